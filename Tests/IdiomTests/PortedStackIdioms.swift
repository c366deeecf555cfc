import Foundation
import Seedbed
import TestSupport
import Testing

/// Lines that programs had before there were containers, and that importers write.
@Suite("Idioms: older programs")
struct PortedStackIdioms {
  /// Persons with an age; the second model has a nickname more.
  private static func model(hasNickname: Bool) throws -> ManagedObjectModel {
    var person = EntityDefinition("Person")
    person.attributes = [
      AttributeDefinition("age", .integer32), AttributeDefinition("born", .date), AttributeDefinition("name", .string),
    ]
    if hasNickname { person.attributes.append(AttributeDefinition("nickname", .string)) }
    var team = EntityDefinition("Team")
    team.attributes = [AttributeDefinition("name", .string)]
    team.relationships = [RelationshipDefinition("members", toMany: "Person", inverse: "team")]
    person.relationships = [RelationshipDefinition("team", toOne: "Team", inverse: "members")]
    var club = EntityDefinition("Club")
    club.relationships = [RelationshipDefinition("teams", toMany: "Team", inverse: "club")]
    team.relationships.append(RelationshipDefinition("club", toOne: "Club", inverse: "teams"))
    return try ManagedObjectModel(entities: [person, team, club])
  }

  @Test("older programs: a coordinator migrates where the options ask for it, and only there")
  func migration() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Old.sqlite")
    let old = PersistentStoreCoordinator(managedObjectModel: try Self.model(hasNickname: false))
    try old.addPersistentStore(ofType: SQLiteStoreType, configurationName: nil, at: url, options: nil)
    let context = ManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = old
    try context.performAndWait {
      let person = EntityDescription.insertNewObject(forEntityName: "Person", into: context)
      person.setValue("Ann", forKey: "name")
      try context.save()
    }
    for store in old.persistentStores { try old.remove(store) }

    let newer = try Self.model(hasNickname: true)
    #expect(throws: (any Error).self) {
      try PersistentStoreCoordinator(managedObjectModel: newer).addPersistentStore(
        ofType: SQLiteStoreType, configurationName: nil, at: url,
        options: [MigratePersistentStoresAutomaticallyOption: true, InferMappingModelAutomaticallyOption: false])
    }
    #expect(throws: (any Error).self) {
      try PersistentStoreCoordinator(managedObjectModel: newer).addPersistentStore(
        ofType: SQLiteStoreType, configurationName: nil, at: url, options: nil)
    }
    let coordinator = PersistentStoreCoordinator(managedObjectModel: newer)
    try coordinator.addPersistentStore(
      ofType: SQLiteStoreType, configurationName: nil, at: url,
      options: [MigratePersistentStoresAutomaticallyOption: true, InferMappingModelAutomaticallyOption: true])
    let migrated = ManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    migrated.persistentStoreCoordinator = coordinator
    let request = FetchRequest<ManagedObject>(entityName: "Person")
    let names = try migrated.performAndWait { try migrated.fetch(request).map { $0.value(forKey: "name") as? String } }
    #expect(names == ["Ann"])
  }

  @Test("older programs: the model of a store by its metadata")
  func modelOfStore() throws {
    let folder = try TemporaryFolder()
    for hasNickname in [false, true] {
      try ModelWriter.write(
        try Self.model(hasNickname: hasNickname), path: folder.file("Club\(hasNickname ? 2 : 1).xcdatamodeld").path)
    }
    let bundle = try #require(Bundle(url: folder.url))
    let older = try Self.model(hasNickname: false)
    let url = folder.file("Old.sqlite")
    try PersistentStoreCoordinator(managedObjectModel: older).addPersistentStore(type: SQLiteStoreType, at: url)
    let metadata = try PersistentStoreCoordinator.metadataForPersistentStore(type: SQLiteStoreType, at: url)
    let model = ManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: metadata)
    #expect(model?.entitiesByName["Person"]?.attributesByName.keys.sorted() == ["age", "born", "name"])
    #expect(ManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: [:]) == nil)
    let versions = [older, try Self.model(hasNickname: true)]
    #expect(ManagedObjectModel(byMerging: versions, forStoreMetadata: metadata) == older)
    #expect(ManagedObjectModel(byMerging: [versions[1]], forStoreMetadata: metadata) == nil)
    #expect(ManagedObjectModel(byMerging: versions, forStoreMetadata: [:]) == nil)
  }

  @Test("older programs: attributes say the class of their values")
  func classNames() throws {
    let person = try #require(try Self.model(hasNickname: false).entitiesByName["Person"])
    #expect(person.attributesByName["age"]?.attributeValueClassName == "NSNumber")
    #expect(person.attributesByName["born"]?.attributeValueClassName == "NSDate")
    let color = AttributeDescription()
    color.attributeType = .transformableAttributeType
    #expect(color.attributeValueClassName == nil)
    color.attributeValueClassName = "Color"
    #expect(color.attributeValueClassName == "Color")
  }

  @Test("older programs: operators behind operators, sets of members, and sets of expressions")
  func operators() throws {
    let model = try Self.model(hasNickname: false)
    let container = try PersistentContainer(name: "Club", model: model, store: InMemoryStore(model: model))
    let context = container.newBackgroundContext()
    try context.performAndWait { try operators(in: context) }
  }

  private func operators(in context: ManagedObjectContext) throws {
    let club = EntityDescription.insertNewObject(forEntityName: "Club", into: context)
    var teams: [ManagedObject] = []
    for count in [2, 0, 1] {
      let team = EntityDescription.insertNewObject(forEntityName: "Team", into: context)
      team.setValue(club, forKey: "club")
      for number in 0..<count {
        let person = EntityDescription.insertNewObject(forEntityName: "Person", into: context)
        person.setValue(10 + number, forKey: "age")
        person.setValue(team, forKey: "team")
      }
      teams.append(team)
    }
    #expect(club.value(forKeyPath: "teams.@sum.members.@count") as? Int == 3)
    #expect(club.value(forKeyPath: "teams.@max.members.@count") as? Int == 2)
    #expect(club.value(forKeyPath: "teams.@sum.members.@sum.age") as? Int == 31)
    #expect(club.value(forKeyPath: "teams.@min.members.@min.age") as? Int == 10)

    let members = club.mutableSetValue(forKey: "teams")
    members.filter(using: FetchPredicate(format: "members.@count > 0"))
    #expect(members.count == 2 && !members.contains(teams[1]))
    members.setSet([teams[1]] as Set)
    #expect(club.value(forKey: "teams") as? Set<ManagedObject> == [teams[1]])

    let both = FetchExpression(
      forUnionSet: FetchExpression(forConstantValue: [1, 2]), with: FetchExpression(forConstantValue: [2, 3]))
    let shared = FetchExpression(
      forIntersectSet: FetchExpression(forConstantValue: [1, 2]), with: FetchExpression(forConstantValue: [2, 3]))
    let first = FetchExpression(
      forMinusSet: FetchExpression(forConstantValue: [1, 2]), with: FetchExpression(forConstantValue: [2, 3]))
    #expect(
      both.expressionType == .unionSet && shared.expressionType == .intersectSet && first.expressionType == .minusSet)
    #expect(first.expressionValue(with: nil, context: nil) as? [Int] == [1])
  }
}
