import Foundation
import Seedbed
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
    #expect(throws: ModelError.self) { try ManagedObjectModel(entities: [EntityDescription()]) }
  }
}
