import Foundation
import Seedbed
import TestSupport
import Testing

class ModelFolder: ManagedObject {}

/// Models put together in code, as tests and small apps do without a model file.
@Suite("Idioms: models in code")
struct ModelIdioms {
  static func library() -> ManagedObjectModel {
    let folder = EntityDescription()
    folder.name = "Folder"
    folder.managedObjectClassName = NSStringFromClass(ModelFolder.self)
    let note = EntityDescription()
    note.name = "Note"

    let title = AttributeDescription()
    title.name = "title"
    title.attributeType = .stringAttributeType
    title.isOptional = false
    title.defaultValue = "Untitled"
    let created = AttributeDescription()
    created.name = "createdAt"
    created.type = .date
    created.isOptional = true
    let stars = AttributeDescription()
    stars.name = "stars"
    stars.attributeType = .doubleAttributeType
    stars.defaultValue = 3

    let notes = RelationshipDescription()
    let inFolder = RelationshipDescription()
    notes.name = "notes"
    notes.destinationEntity = note
    notes.minCount = 0
    notes.maxCount = 0
    notes.isOrdered = true
    notes.deleteRule = .cascadeDeleteRule
    notes.inverseRelationship = inFolder
    inFolder.name = "folder"
    inFolder.destinationEntity = folder
    inFolder.maxCount = 1
    inFolder.deleteRule = .nullifyDeleteRule
    inFolder.inverseRelationship = notes

    folder.properties = [notes]
    note.properties = [title, created, stars, inFolder]
    note.uniquenessConstraints = [["title"]]
    let model = ManagedObjectModel()
    model.entities = [folder, note]
    return model
  }

  @Test("models: a model in code, a container over it, objects in it")
  func container() throws {
    let model = Self.library()
    let container = PersistentContainer(name: "Library", managedObjectModel: model)
    let description = PersistentStoreDescription()
    description.type = InMemoryStoreType
    container.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    #expect(failure == nil)
    let context = container.newBackgroundContext()
    try context.performAndWait {
      let folder = EntityDescription.insertNewObject(forEntityName: "Folder", into: context)
      let entity = try #require(EntityDescription.entity(forEntityName: "Note", in: context))
      let note = ManagedObject(entity: entity, insertInto: context)
      #expect(note.value(forKey: "title") as? String == "Untitled" && note.value(forKey: "stars") as? Double == 3)
      note.setValue(folder, forKey: "folder")
      #expect(folder.mutableOrderedSetValue(forKey: "notes").count == 1)
      try context.save()
      context.delete(folder)
      try context.save()
      #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Note")) == 0)
    }
  }

  @Test("models: entities and properties of a model in use are read through the same classes")
  func reading() throws {
    let model = Self.library()
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    let note: EntityDescription = try #require(coordinator.managedObjectModel.entitiesByName["Note"])
    let title: AttributeDescription? = note.attributesByName["title"]
    #expect(title?.attributeType == .stringAttributeType && title?.defaultValue as? String == "Untitled")
    #expect(title?.entity == note && title?.isOptional == false && title?.versionHash.count == 32)
    let folder: RelationshipDescription = try #require(note.relationshipsByName["folder"])
    #expect(folder.destinationEntity?.name == "Folder" && !folder.isToMany && folder.maxCount == 1)
    #expect(folder.inverseRelationship?.name == "notes" && folder.inverseRelationship?.inverseRelationship === folder)
    #expect(folder.inverseRelationship?.isOrdered == true && folder.inverseRelationship?.isToMany == true)
    let property: PropertyDescription = try #require(note.propertiesByName["createdAt"])
    if let attribute = property as? AttributeDescription { #expect(attribute.attributeType == .date) }
    #expect((property as? RelationshipDescription) == nil)
    #expect(note.properties.map(\.name).sorted() == ["createdAt", "folder", "stars", "title"])
    #expect(note.relationships(forDestination: try #require(folder.destinationEntity)) == [folder])
    #expect(note.managedObjectModel == model && note.versionHash == model.entityVersionHashesByName["Note"])
    #expect(note.uniquenessConstraints as? [[String]] == [["title"]] && note.superentity == nil)
    #expect(model.entities.map(\.name) == ["Folder", "Note"] && note.name! == "Note")
  }

  @Test("models: inheritance, an index, a derived and a composite attribute, a fetched property")
  func everything() throws {
    let place = EntityDescription()
    place.name = "Place"
    place.isAbstract = true
    let code = AttributeDescription()
    code.name = "code"
    code.attributeType = .integer64AttributeType
    code.renamingIdentifier = "number"
    code.versionHashModifier = "v2"
    code.userInfo = ["unit": "none"]
    let town = AttributeDescription()
    town.name = "town"
    town.attributeType = .stringAttributeType
    let address = CompositeAttributeDescription()
    address.name = "address"
    address.elements = [town]
    #expect(address.composite?.elements.map(\.name) == ["town"])
    place.properties = [code, address]
    place.uniquenessConstraints = [[code]]
    let element = FetchIndexElementDescription(property: code, collationType: .binary)
    element.isAscending = false
    let index = FetchIndexDescription(name: "byCode", elements: [element])
    index.partialIndexPredicate = FetchPredicate(format: "code > 10")
    place.indexes = [index]

    let shop = EntityDescription()
    shop.name = "Shop"
    let lines = RelationshipDescription()
    lines.name = "lines"
    let line = EntityDescription()
    line.name = "Line"
    let inShop = RelationshipDescription()
    inShop.name = "shop"
    (lines.destinationEntity, lines.inverseRelationship, lines.maxCount) = (line, inShop, 0)
    (inShop.destinationEntity, inShop.inverseRelationship, inShop.maxCount) = (shop, lines, 1)
    let count = DerivedAttributeDescription()
    count.name = "count"
    count.attributeType = .integer64AttributeType
    count.derivationExpression = FetchExpression(format: "lines.@count")
    let siblings = FetchedPropertyDescription()
    siblings.name = "siblings"
    let request = FetchRequest<any FetchRequestResult>(entityName: "Shop")
    request.predicate = FetchPredicate(format: "code == $FETCH_SOURCE.code")
    siblings.fetchRequest = request
    shop.properties = [lines, count, siblings]
    line.properties = [inShop]
    place.subentities = [shop]

    let model = ManagedObjectModel()
    model.entities = [place, shop, line]
    model.setEntities([line], forConfigurationName: "Lines")
    model.versionIdentifiers = ["3"]
    let all = FetchRequest<ManagedObject>(entityName: "Shop")
    all.predicate = FetchPredicate(format: "code >= $LEAST")
    model.setFetchRequestTemplate(all, forName: "From")

    #expect(shop.superentity === place && place.subentitiesByName["Shop"] === shop && shop.isKindOf(entity: place))
    #expect(shop.propertiesByName.keys.sorted() == ["address", "code", "count", "lines", "siblings"])
    let container = try PersistentContainer(name: "Shops", model: model, store: InMemoryStore(model: model))
    #expect(model.entities(forConfigurationName: "Lines")?.map(\.name) == ["Line"])
    #expect(model.versionIdentifiers == ["3"] && shop.attributesByName["code"]?.renamingIdentifier == "number")
    #expect(place.indexes[0].elements[0].property === code && place.indexes[0].elements[0].isAscending == false)
    #expect(place.indexes[0].partialIndexPredicate?.predicateFormat == "code > 10")
    #expect((shop.attributesByName["address"] as? CompositeAttributeDescription)?.elements.map(\.name) == ["town"])
    #expect((shop.propertiesByName["siblings"] as? FetchedPropertyDescription)?.fetchRequest?.predicate != nil)
    let context = container.newBackgroundContext()
    try context.performAndWait {
      for number in [11, 12] {
        let shop = EntityDescription.insertNewObject(forEntityName: "Shop", into: context)
        shop.setValue(number, forKey: "code")
        let line = EntityDescription.insertNewObject(forEntityName: "Line", into: context)
        line.setValue(shop, forKey: "shop")
      }
      try context.save()
      let request = try #require(
        model.fetchRequestFromTemplate(withName: "From", substitutionVariables: ["LEAST": 12]))
      let found = try context.fetch(request)
      #expect(found.count == 1 && found.first?.value(forKey: "count") as? Int == 1)
      #expect(found.first?.fetchedMembers(of: "siblings").count == 1)
    }
  }

  @Test("models: a copy of a model is changed, the model is not")
  func copying() throws {
    let model = Self.library()
    let hashes = model.entityVersionHashesByName
    let copy = try #require(model.copy() as? ManagedObjectModel)
    let untouched = try #require(model.copy() as? ManagedObjectModel)
    #expect(untouched == model && untouched.entityVersionHashesByName == hashes)
    copy.entitiesByName["Note"]?.attributesByName["title"]?.isOptional = true
    copy.entitiesByName["Note"]?.relationshipsByName["folder"]?.deleteRule = .denyDeleteRule
    let extra = AttributeDescription()
    extra.name = "extra"
    extra.attributeType = .booleanAttributeType
    let note = try #require(copy.entitiesByName["Note"])
    note.properties += [extra]
    #expect(copy != model && copy.entityVersionHashesByName["Note"] != hashes["Note"])
    #expect(note.attributesByName["title"]?.isOptional == true && note.attributesByName.count == 4)
    #expect(model.entitiesByName["Note"]?.attributesByName["title"]?.isOptional == false)
    #expect(model.entityVersionHashesByName == hashes)
  }

  private static func attribute(_ name: String, _ type: AttributeType) -> AttributeDescription {
    let attribute = AttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    return attribute
  }

  private static func entity(_ name: String, _ properties: PropertyDescription...) -> EntityDescription {
    let entity = EntityDescription()
    entity.name = name
    entity.properties = properties
    return entity
  }

  @Test("models: a default may be set before the type, and a limit as any number")
  func defaults() throws {
    let count = AttributeDescription()
    count.name = "count"
    count.defaultValue = 3
    count.attributeType = .doubleAttributeType
    let flag = AttributeDescription()
    flag.name = "flag"
    flag.defaultValue = 0
    flag.attributeType = .booleanAttributeType
    let price = Self.attribute("price", .decimal)
    price.minimumValue = 0
    let model = ManagedObjectModel()
    model.entities = [Self.entity("Item", count, flag, price)]
    let entity = try #require(model["Item"])
    #expect(entity.attribute("count")?.defaultValue == .double(3) && count.defaultValue as? Double == 3)
    #expect(entity.attribute("flag")?.defaultValue == .boolean(false))
    #expect(entity.attribute("price")?.minimumValue == .decimal(0))
  }

  @Test("models: a mistake in descriptions is thrown with all others")
  func mistakes() throws {
    let number = Self.attribute("number", .integer16)
    number.defaultValue = 100_000
    let text = Self.attribute("text", .string)
    text.defaultValue = 7
    let item = Self.entity("Item", number, text)
    item.uniquenessConstraints = [["nothing"]]
    let error = #expect(throws: ModelError.self) { try ManagedObjectModel(entities: [item]) }
    #expect(error?.problems.count == 3)
    #expect(item.attributesByName["text"]?.isOptional == true)
    let shop = Self.entity("Shop")
    let parent = Self.entity("Place", Self.attribute("code", .string))
    parent.subentities = [shop]
    #expect(throws: ModelError.self) { try ManagedObjectModel(entities: [shop]) }
  }

  @Test("models: an open model tells what was put into it, and stays open")
  func open() throws {
    let note = Self.entity("Note", Self.attribute("title", .string))
    let model = ManagedObjectModel()
    model.entities = [note]
    model.setEntities([note], forConfigurationName: "Notes")
    model.versionIdentifiers = ["7"]
    #expect(model.entities == [note] && model.entitiesByName["Note"] === note && note.managedObjectModel === model)
    #expect(model.entityNamesByConfiguration == ["Notes": ["Note"]] && model.configurations == ["Notes"])
    #expect(model.entities(forConfigurationName: "Notes") == [note] && model.versionIdentifiers == ["7"])
    let copy = try #require(model.copy() as? ManagedObjectModel)
    let request = FetchRequest<ManagedObject>(entity: note)
    request.predicate = FetchPredicate(format: "title == $FETCH_SOURCE.title")
    let same = FetchedPropertyDescription()
    same.name = "same"
    let other = FetchRequest<any FetchRequestResult>()
    other.entity = note
    other.predicate = request.predicate
    other.resultType = .managedObjectIDResultType
    same.fetchRequest = other
    note.properties.append(same)
    model.setFetchRequestTemplate(request, forName: "Same")
    #expect(copy.entities[0] != note && copy.entities[0].propertiesByName["same"] == nil)
    #expect(model.entityVersionHashesByName["Note"] != nil && note.propertiesByName["same"] == same)
    #expect(same.fetchRequest?.resultType == .managedObjectIDResultType)
    #expect(model.fetchRequestTemplates["Same"]?.entityName == "Note" && request.entity === note)
  }

  @Test("models: constraints and indexes of a copy follow a rename, and a property is copied by itself")
  func renaming() throws {
    let place = Self.entity("Place", Self.attribute("code", .string))
    let shop = Self.entity("Shop", Self.attribute("owner", .string))
    place.subentities = [shop]
    place.uniquenessConstraints = [["code"]]
    shop.indexes = [
      FetchIndexDescription(
        name: "byCode",
        elements: [
          FetchIndexElementDescription(property: try #require(shop.propertiesByName["code"]), collationType: .binary)
        ])
    ]
    let model = try ManagedObjectModel(entities: [place, shop])
    let copy = try #require(model.copy() as? ManagedObjectModel)
    let code = try #require(copy.entitiesByName["Place"]?.attributesByName["code"])
    code.name = "number"
    #expect(copy["Place"]?.uniquenessConstraints == [["number"]])
    #expect(copy["Shop"]?.definition.fetchIndexes.first?.elements.first?.content == .property("number"))
    let twin = try #require(code.copy() as? AttributeDescription)
    twin.name = "other"
    #expect(twin != code && twin.attributeType == .string && code.name == "number" && code.versionHash.count == 32)
  }

  @Test("models: two containers over one file have stores of their own")
  func persistentStores() throws {
    let folder = try TemporaryFolder()
    let model = Self.library()
    let containers = try (0..<3).map { _ in
      let container = PersistentContainer(name: "Library", managedObjectModel: model)
      container.persistentStoreDescriptions = [PersistentStoreDescription(url: folder.file("Library.sqlite"))]
      try container.loadPersistentStores()
      return container
    }
    for container in containers {
      let context = container.newBackgroundContext()
      try context.performAndWait {
        let note = EntityDescription.insertNewObject(forEntityName: "Folder", into: context)
        try context.save()
        let store = try #require(note.objectID.persistentStore)
        #expect(store.persistentStoreCoordinator === container.persistentStoreCoordinator)
      }
    }
  }

  @Test("models: what a model in use is, and mistakes in one, stop the program")
  func refusals() async {
    await #expect(processExitsWith: .failure) {
      let model = Self.library()
      let note = model.entities[1]
      _ = PersistentStoreCoordinator(managedObjectModel: model)
      _ = model.entityVersionHashesByName
      note.name = "Memo"
    }
    await #expect(processExitsWith: .failure) {
      let model = Self.library()
      _ = model.entityVersionHashesByName
      model.entities = []
    }
    await #expect(processExitsWith: .failure) {
      let model = ManagedObjectModel()
      model.entities = [EntityDescription()]
      _ = model.entityVersionHashesByName
    }
    await #expect(processExitsWith: .failure) {
      let one = Self.library()
      _ = one.entityVersionHashesByName
      let two = ManagedObjectModel()
      two.entities = one.entities
    }
    await #expect(processExitsWith: .failure) {
      let shared = Self.attribute("shared", .string)
      let entities = [Self.entity("A", shared), Self.entity("B", shared)]
      print(entities)
    }
    await #expect(processExitsWith: .failure) {
      let request = FetchRequest<ManagedObject>(entityName: "Note")
      request.sortDescriptors = [FetchSortDescriptor(key: "title", ascending: true)]
      ManagedObjectModel().setFetchRequestTemplate(request, forName: "Sorted")
    }
    #expect(throws: ModelError.self) { try ManagedObjectModel(entities: [EntityDescription()]) }
  }

  @Test("models: every delete rule has its case, and every mapping type its longer name")
  func rules() throws {
    let names = [DeleteRule.noAction, .nullify, .cascade, .deny].map { rule in
      switch rule {
      case .noActionDeleteRule: "no action"
      case .nullifyDeleteRule: "nullify"
      case .cascadeDeleteRule: "cascade"
      case .denyDeleteRule: "deny"
      @unknown default: "unknown"
      }
    }
    #expect(names == ["no action", "nullify", "cascade", "deny"])
    let types: [EntityMapping.MappingType] = [
      .undefinedEntityMappingType, .customEntityMappingType, .addEntityMappingType, .removeEntityMappingType,
      .copyEntityMappingType, .transformEntityMappingType,
    ]
    #expect(types.map(\.rawValue) == [0, 1, 2, 3, 4, 5])
    let descriptor = FetchSortDescriptor(key: "author.name", ascending: false)
    #expect((descriptor.key ?? "-") + (descriptor.key!) == "author.nameauthor.name")
    #expect(AttributeDescription.AttributeType.binaryData == .binaryDataAttributeType)
    #expect((ValidationInvalidDateError, CocoaError.Code.persistentStoreSave.rawValue) == (1650, 134_030))
  }
}
