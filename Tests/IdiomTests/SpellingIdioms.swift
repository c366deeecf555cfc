import Foundation
import Seedbed
import TestSupport
import Testing

/// Core Data's own spellings of keys, codes and kinds.
@Suite("Idioms: spellings")
struct SpellingIdioms {
  @Test("spellings: what a notification tells by its keys")
  func notificationKeys() throws {
    try Kitchen.cook { context in
      let recipes = try Kitchen.stock(context)
      let told = Collected<String>()
      let names: [Notification.Name] = [
        .ManagedObjectContextWillSave, .ManagedObjectContextObjectsDidChange, .ManagedObjectContextDidSave,
        .ManagedObjectContextDidSaveObjectIDs,
      ]
      let tokens = names.map { name in
        NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { note in
          for key in [InsertedObjectsKey, UpdatedObjectsKey, DeletedObjectsKey, RefreshedObjectsKey] {
            guard let objects = note.userInfo?[key] as? Set<ManagedObject> else { continue }
            let titles = objects.compactMap { ($0 as? Recipe)?.title }.sorted()
            told.append("\(name == .ManagedObjectContextDidSave ? "saved" : "changed") \(key) \(titles)")
          }
          for key in [InsertedObjectIDsKey, UpdatedObjectIDsKey, DeletedObjectIDsKey]
          where name == .ManagedObjectContextDidSaveObjectIDs {
            if let ids = note.userInfo?[key] as? Set<ManagedObjectID> { told.append("\(key) \(ids.count)") }
          }
        }
      }
      defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
      recipes[0].title = "Stew"
      Recipe(context: context).title = "Pie"
      context.processPendingChanges()
      #expect(told.removeAll() == ["changed inserted [\"Pie\"]", "changed updated [\"Stew\"]"])
      try context.save()
      #expect(
        told.removeAll() == [
          "saved inserted [\"Pie\"]", "saved updated [\"Stew\"]", "inserted_objectIDs 1", "updated_objectIDs 1",
        ])
      context.refresh(recipes[0], mergeChanges: false)
      context.processPendingChanges()
      #expect(told.removeAll() == ["changed refreshed [\"Stew\"]"])
    }
  }

  @Test("spellings: a batch deletion told to a context by a key")
  func remoteKeys() throws {
    try Kitchen.cook { context in
      let recipes = try Kitchen.stock(context)
      let fetch = FetchRequest<any FetchRequestResult>(entityName: "Recipe")
      fetch.predicate = FetchPredicate(format: "title == %@", "Bread")
      let delete = BatchDeleteRequest(fetchRequest: fetch)
      delete.resultType = .resultTypeObjectIDs
      let result = try context.execute(delete) as? BatchDeleteResult
      let ids = result?.result as? [ManagedObjectID] ?? []
      #expect(ids == [recipes[1].objectID] && result?.deletedCount == 1)
      ManagedObjectContext.mergeChanges(fromRemoteContextSave: [DeletedObjectsKey: ids], into: [context])
      context.processPendingChanges()
      #expect(recipes[1].isDeleted || recipes[1].managedObjectContext == nil)
    }
  }

  @Test("spellings: what one context saved, told to another by the whole userInfo")
  func remoteUserInfo() throws {
    let container = try Kitchen.container()
    let (one, other) = (container.newBackgroundContext(), container.newBackgroundContext())
    let recipes = try other.performAndWait { try Kitchen.stock(other) }
    let token = NotificationCenter.default.addObserver(forName: .ManagedObjectContextDidSave, object: one, queue: nil) {
      ManagedObjectContext.mergeChanges(fromRemoteContextSave: $0.userInfo ?? [:], into: [other])
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try one.performAndWait {
      for recipe in try one.fetch(Recipe.fetchRequest()) { recipe.title += "!" }
      try one.save()
    }
    other.performAndWait { #expect(recipes.map(\.title) == ["Soup!", "Bread!", "Cake!"]) }
  }

  @Test("spellings: codes and keys of errors")
  func errors() throws {
    try Kitchen.cook { context in
      let recipe = Recipe(context: context)
      recipe["servings"] = 0
      do {
        try context.save()
        Issue.record("a recipe without a title was saved")
      } catch let error as NSError {
        #expect(error.domain == NSCocoaErrorDomain && error.code == ValidationMultipleErrorsError)
        #expect(CocoaError.Code(rawValue: error.code) == .validationMultipleErrors)
        let details = error.userInfo[DetailedErrorsKey] as? [NSError] ?? []
        #expect(
          Set(details.map(\.code)) == [ValidationMissingMandatoryPropertyError, ValidationNumberTooSmallError])
        #expect(Set(details.compactMap { $0.userInfo[ValidationKeyErrorKey] as? String }) == ["title", "servings"])
        #expect(details.allSatisfy { $0.userInfo[ValidationObjectErrorKey] as? ManagedObjectID == recipe.objectID })
      }
    }
  }

  @Test("spellings: work that is scheduled, at once where the caller is inside the context")
  @MainActor func schedule() async throws {
    let view = try Kitchen.container().viewContext
    let order = Collected<String>()
    func enqueue() { view.perform { order.append("queued") } }
    enqueue()
    try await view.perform(schedule: .immediate) {
      Recipe(context: view).title = "Soup"
      try view.save()
      order.append("immediate")
    }
    await view.perform(schedule: .enqueued) { order.append("enqueued") }
    #expect(order.removeAll() == ["immediate", "queued", "enqueued"])
  }

  @Test("spellings: conflicts with the object of the row, and versions")
  func conflictNames() throws {
    try Kitchen.cook { context in
      context.mergePolicy = MergePolicy.error
      let ann = Person(context: context)
      ann.name = "Ann"
      try context.save()
      #expect(ann.faultingState == 0)
      context.refresh(ann, mergeChanges: false)
      #expect(ann.isFault && ann.faultingState != 0)
      let other = Person(context: context)
      other.name = "Ann"
      do {
        try context.save()
        Issue.record("two persons have one name")
      } catch let error as NSError {
        #expect(error.code == ManagedObjectConstraintMergeError)
        let conflict = (error.userInfo[PersistentStoreSaveConflictsErrorKey] as? [ConstraintConflict])?.first
        #expect(conflict?.databaseObject === ann && conflict?.conflictingObjects == [other])
      }
    }
  }

  @Test("spellings: an error that is caught as NSError and thrown on is the error that it was")
  func thrownOn() throws {
    func save(_ context: ManagedObjectContext) throws {
      do {
        try context.save()
      } catch let error as NSError {
        #expect(error.code == ValidationMissingMandatoryPropertyError)
        throw error
      }
    }
    try Kitchen.cook { context in
      _ = Recipe(context: context)
      let error = #expect(throws: ValidationError.self) { try save(context) }
      #expect(error?.problems.map(\.property) == ["title"])
    }
  }

  static let samples: [any Error & Sendable] = [
    ContextError.objectGone(ObjectIDSample.id), StoreError.busy(path: "/a.sqlite"), ValidationError([]),
    FetchedResultsError.noSortDescriptor, ModelError([]),
    PredicateFormatSample.error,
  ]

  @Test("spellings: every error is caught as NSError, with nothing after it", arguments: samples)
  func caught(sample: any Error & Sendable) {
    func fail() throws { throw sample }
    var caught: NSError?
    do {
      try fail()
      Issue.record("nothing was thrown")
    } catch let error as NSError {
      caught = error
    }
    let other = sample as NSError
    #expect(caught?.domain == other.domain && caught?.code == other.code)
    #expect(caught?.localizedDescription == other.localizedDescription)
    #expect(caught?.userInfo.keys.sorted() == other.userInfo.keys.sorted())
  }

  @Test("spellings: a conflict of two contexts by its code")
  func conflict() throws {
    let container = try Kitchen.container()
    let (one, other) = (container.newBackgroundContext(), container.newBackgroundContext())
    one.mergePolicy = MergePolicy(merge: .errorMergePolicyType)
    let recipes = try one.performAndWait { try Kitchen.stock(one) }
    try other.performAndWait {
      for recipe in try other.fetch(Recipe.fetchRequest()) { recipe.title += "!" }
      try other.save()
    }
    one.performAndWait {
      for recipe in recipes { recipe.title += "?" }
      do {
        try one.save()
        Issue.record("the rows of another save were overwritten")
      } catch let error as NSError {
        #expect(error.code == ManagedObjectMergeError)
        let conflicts = error.userInfo[PersistentStoreSaveConflictsErrorKey] as? [MergeConflict] ?? []
        #expect(conflicts.count == 3 && conflicts.allSatisfy { $0.newVersionNumber == $0.oldVersionNumber + 1 })
      }
    }
  }

  @Test("spellings: merge policies")
  func policies() {
    let policies = [
      ErrorMergePolicy, MergeByPropertyStoreTrumpMergePolicy, MergeByPropertyObjectTrumpMergePolicy,
      OverwriteMergePolicy, RollbackMergePolicy,
    ]
    let types: [MergePolicyType] = [
      .errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType,
      .overwriteMergePolicyType, .rollbackMergePolicyType,
    ]
    #expect(policies.map(\.mergeType) == types && types.map { MergePolicy(merge: $0).kind } == types)
  }

  @Test("spellings: a model in code")
  func model() throws {
    var title = AttributeDefinition()
    title.name = "title"
    title.attributeType = .stringAttributeType
    title.isOptional = false
    var notes = RelationshipDefinition("notes", toMany: "Note", inverse: "folder")
    notes.deleteRule = .cascadeDeleteRule
    notes.minCount = 1
    notes.maxCount = 3
    var folder = EntityDefinition()
    folder.name = "Folder"
    folder.properties = [title, notes]
    folder.indexes = [FetchIndexDefinition(name: "byTitle", elements: [.init(.property("title"))])]
    var note = EntityDefinition("Note")
    note.properties = [RelationshipDefinition("folder", toOne: "Folder", inverse: "notes")]
    let model = try ManagedObjectModel(entities: [folder, note])
    let entity = try #require(model.entitiesByName["Folder"])
    #expect(entity.attributesByName["title"]?.attributeType == .string)
    #expect(entity.definition.properties.map(\.name) == ["title", "notes"])
    let relationship = try #require(entity.relationshipsByName["notes"])
    #expect(relationship.minCount == 1 && relationship.maxCount == 3 && relationship.deleteRule == .cascade)
    #expect(relationship.destinationEntity?.name == "Note" && relationship.inverseRelationship?.name == "folder")
    #expect(relationship.isOptional && relationship.userInfo?.isEmpty == true)
    #expect(entity.managedObjectModel === model && entity.managedObjectClassName == "NSManagedObject")
    #expect(entity.propertiesByName.keys.sorted() == ["notes", "title"] && entity.properties.count == 2)
    #expect(entity.indexes.map(\.name) == ["byTitle"] && entity.renamingIdentifier == "Folder")
    #expect(entity.subentitiesByName.isEmpty && entity.isKindOf(entity: entity))
    #expect(model.entities(forConfigurationName: nil)?.count == 2 && model.versionIdentifiers.isEmpty)
    #expect(try Kitchen.model().versionIdentifiers == ["Kitchen 1"])
    #expect(try Kitchen.model().fetchRequestTemplatesByName.keys.contains("Favorites"))
    let types: [AttributeType] = [
      .undefinedAttributeType, .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
      .decimalAttributeType, .doubleAttributeType, .floatAttributeType, .stringAttributeType, .booleanAttributeType,
      .dateAttributeType, .binaryDataAttributeType, .UUIDAttributeType, .URIAttributeType, .transformableAttributeType,
      .objectIDAttributeType, .compositeAttributeType,
    ]
    #expect(types == AttributeType.allCases && AttributeType.binaryData == .binary)
    let rules: [DeleteRule] = [.noActionDeleteRule, .nullifyDeleteRule, .cascadeDeleteRule, .denyDeleteRule]
    #expect(rules == DeleteRule.allCases)
    #expect(throws: ModelError.self) { try ManagedObjectModel(entities: [EntityDefinition()]) }
  }

  @Test("spellings: changed and committed values of any type")
  func changedValues() throws {
    try Kitchen.cook { context in
      let recipes = try Kitchen.stock(context)
      let soup = recipes[0]
      let step = EntityDescription.insertNewObject(forEntityName: "Step", into: context)
      try soup.setObjects([step], for: "steps")
      soup.title = "Stew"
      soup.author = nil
      let changed = soup.changedValues()
      #expect(changed["title"] as? String == "Stew" && changed["author"] is NSNull)
      #expect(changed["steps"] as? [ManagedObject] == [step])
      let committed = soup.committedValues(forKeys: ["title", "created", "author", "link"])
      #expect(committed["title"] as? String == "Soup" && committed["link"] is NSNull)
      #expect((committed["author"] as? Person)?.name == "Ann" && committed.count == 4)
      #expect(soup.changedValuesForCurrentEvent()["title"] as? String == "Soup")
      #expect(Set(soup.committedValues(forKeys: nil).keys).isSuperset(of: changed.keys))
    }
  }

  @Test("spellings: dictionaries of Foundation, and results of any kind")
  func dictionaries() throws {
    try Kitchen.cook { context in
      try Kitchen.stock(context)
      let count = ExpressionDescription()
      count.name = "count"
      count.expression = FetchExpression(forFunction: "count:", arguments: [FetchExpression(forKeyPath: "title")])
      count.resultType = .integer32AttributeType
      let request = FetchRequest<NSDictionary>(entityName: "Recipe")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = ["author.name", count]
      request.propertiesToGroupBy = ["author.name"]
      request.havingPredicate = FetchPredicate(format: "%@ > 1", FetchExpression(forVariable: "count"))
      let rows = try context.fetch(request)
      #expect(rows.count == 1 && rows.first?["author.name"] as? String == "Ann" && rows.first?["count"] as? Int == 2)

      let any = FetchRequest<any FetchRequestResult>(entityName: "Recipe")
      any.sortDescriptors = [FetchSortDescriptor(key: "title", ascending: true)]
      #expect((try context.fetch(any) as? [Recipe])?.map(\.title) == ["Bread", "Cake", "Soup"])
      any.resultType = .managedObjectIDResultType
      #expect((try context.fetch(any) as? [ManagedObjectID])?.count == 3)
      any.resultType = .countResultType
      #expect((try context.fetch(any) as? [NSNumber])?.first == 3)
      any.resultType = .dictionaryResultType
      any.propertiesToFetch = ["title"]
      #expect((try context.fetch(any) as? [[String: Any]])?.first?["title"] as? String == "Bread")
      #expect(try context.count(for: any) == 3)
    }
  }

  @Test("spellings: a batch insertion by a dictionary of Foundation's")
  func mutableDictionary() throws {
    try Kitchen.cook { context in
      var titles = ["Pie", "Tart"]
      let insert = BatchInsertRequest(entityName: "Recipe") { (row: NSMutableDictionary) -> Bool in
        guard let title = titles.popLast() else { return true }
        row["title"] = title
        row["rating"] = 2.5
        return false
      }
      insert.resultType = .count
      let result = try context.execute(insert) as? BatchInsertResult
      #expect(result?.result as? Int == 2 && result?.insertedCount == 2)
      let request = Recipe.fetchRequest()
      request.predicate = FetchPredicate(format: "rating == 2.5")
      #expect(Set(try context.fetch(request).map(\.title)) == ["Pie", "Tart"])
    }
  }

  @Test("spellings: a refreshed object whose store fails is told by the next save")
  func failingRefresh() throws {
    let folder = try TemporaryFolder()
    let container = PersistentContainer(
      name: "Kitchen", managedObjectModel: try Kitchen.model(),
      persistentStoreDescriptions: [PersistentStoreDescription(url: folder.file("Kitchen.sqlite"))],
      classes: ["Recipe": Recipe.self, "Person": Person.self])
    try container.loadPersistentStores()
    let context = container.newBackgroundContext()
    try context.performAndWait {
      let soup = try Kitchen.stock(context)[0]
      soup.title = "Stew"
      let store = try #require(container.persistentStoreCoordinator.persistentStores.first)
      try container.persistentStoreCoordinator.remove(store)
      context.refresh(soup, mergeChanges: true)
      #expect(soup.title == "Stew")
      #expect(throws: (any Error).self) { try context.save() }
    }
  }
}

private enum ObjectIDSample {
  static var id: ObjectID {
    do {
      let container = try Kitchen.container()
      let context = container.newBackgroundContext()
      return context.performAndWait { Recipe(context: context).objectID }
    } catch {
      preconditionFailure("\(error)")
    }
  }
}

private enum PredicateFormatSample {
  static var error: any Error & Sendable {
    do {
      _ = try FetchPredicate(parsing: "title ==")
      preconditionFailure("\"title ==\" was read as a predicate")
    } catch {
      return error
    }
  }
}
