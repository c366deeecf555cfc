import CoreDataLayout
import Foundation
import Migration
import ObjectModel
import TestSupport
import Testing

@Suite("What mapping models lose")
struct MappingLossesTests {
  /// Things with two texts and a number, and an entity that stays as it is; in the newer model the number is a text.
  private static func model(_ number: AttributeType, extra: Bool = true) throws -> ManagedObjectModel {
    var thing = EntityDefinition("Thing")
    thing.attributes = [
      AttributeDefinition("a", .string), AttributeDefinition("b", .string), AttributeDefinition("n", number),
    ]
    var other = EntityDefinition("Extra")
    other.attributes = [AttributeDefinition("k", .string)]
    return try ManagedObjectModel(entities: extra ? [thing, other] : [thing])
  }

  private static func mapping(
    _ older: ManagedObjectModel, _ newer: ManagedObjectModel, filter: String = "TRUEPREDICATE",
    _ properties: [PropertyMapping]
  ) -> EntityMapping {
    var mapping = EntityMapping("ThingToThing", .transform, from: "Thing", to: "Thing")
    mapping.sourceEntityVersionHash = older["Thing"]?.versionHash
    mapping.destinationEntityVersionHash = newer["Thing"]?.versionHash
    mapping.sourceExpression = Journal.fetch("Thing").replacing("TRUEPREDICATE", with: filter)
    mapping.attributeMappings = properties
    return mapping
  }

  private static func extra() -> EntityMapping {
    var mapping = EntityMapping("ExtraToExtra", .copy, from: "Extra", to: "Extra")
    mapping.sourceExpression = Journal.fetch("Extra")
    mapping.attributeMappings = [PropertyMapping("k", "$source.k")]
    return mapping
  }

  private static let number = PropertyMapping("n", "CAST($source.n, \"NSString\")")
  private static let whole = [PropertyMapping("a", "$source.a"), PropertyMapping("b", "$source.b"), number]

  private func chain(
    _ mappings: [EntityMapping], to newer: ManagedObjectModel? = nil, isNamed: Bool = false, accepts: Bool = false
  ) throws -> MigrationChain {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let older = try Self.model(.integer32)
    try Stores.write(url, older) { context in
      for number in 1...3 { try context.insert("Thing", ["a": "a\(number)", "b": "b", "n": number]) }
      try context.insert("Extra", ["k": "k"])
    }
    let newer = try newer ?? Self.model(.string)
    let library = ModelLibrary(
      versions: [.init(name: "1", model: older), .init(name: "2", model: newer)],
      mappings: [.init(name: "bridge", mappingModel: MappingModel(entityMappings: mappings))])
    var migration = ProgressiveMigration(library: library)
    migration.acceptsLossesOnTheWay = accepts
    migration.takesMappingsAsTheyAre = isNamed
    return try migration.chain(forStoreAt: url, type: .sqlite, to: newer)
  }

  @Test("what no entity mapping reads needs consent where the newer version has it, and is told")
  func leftOut() throws {
    let (older, newer) = (try Self.model(.integer32), try Self.model(.string))
    #expect(try chain([Self.mapping(older, newer, Self.whole), Self.extra()]).steps.flatMap(\.losses) == [])
    let some = [Self.mapping(older, newer, [PropertyMapping("a", "$source.a"), Self.number])]
    let error = try #require(throws: MigrationError.self) { try chain(some) }
    #expect(error.code == .lossesOnTheWay, "\(error)")
    #expect(error.message == "the mapping model bridge leaves out what the version 2 has: Extra, Thing.b")
    for (isNamed, accepts) in [(true, false), (false, true)] {
      #expect(
        try chain(some, isNamed: isNamed, accepts: accepts).steps.flatMap(\.losses) == [
          "Extra: the mapping model leaves it out, and its objects go",
          "Thing.b: the mapping model leaves it out, and its values go",
        ])
    }
  }

  @Test("what the newer model does not have, or gets something else on purpose, is told and needs no consent")
  func intended() throws {
    let (older, newer) = (try Self.model(.integer32), try Self.model(.string, extra: false))
    let mapping = Self.mapping(
      older, newer, [PropertyMapping("a", "$source.a"), PropertyMapping("b", "\"x\""), Self.number])
    #expect(
      try chain([mapping], to: newer).steps.flatMap(\.losses) == [
        "Extra: removed, its objects go", "Thing.b: the mapping model gives b something else, and the values go",
      ])
  }

  @Test("what filters leave out of the store is counted, and complementary filters leave nothing out")
  func filters() throws {
    let (older, newer) = (try Self.model(.integer32), try Self.model(.string))
    func losses(_ filters: [(String, [PropertyMapping])]) throws -> [String] {
      let mappings = filters.enumerated().map { index, filter in
        var mapping = Self.mapping(older, newer, filter: filter.0, filter.1)
        mapping.name = "Things\(index)"
        return mapping
      }
      return try chain(mappings + [Self.extra()]).steps.flatMap(\.losses)
    }
    #expect(
      try losses([("n < 2", Self.whole)]) == ["Thing: 2 objects go that the filter \"n < 2\" leaves out"])
    #expect(try losses([("n < 2", Self.whole), ("n >= 2", Self.whole)]) == [])
    let rest = Self.whole.filter { $0.name != "b" }
    #expect(
      try losses([("n < 2", Self.whole), ("n >= 2", rest)])
        == ["Thing.b: 2 values go of objects that the filter \"n < 2\" leaves out"])
  }

  @Test("everything that is wrong with a mapping model is said at once, with mapping model, mapping and property")
  func mistakes() throws {
    let (older, newer) = (try Self.model(.integer32), try Self.model(.string))
    let wrong = Self.mapping(
      older, newer, filter: "m > 1",
      [PropertyMapping("aa", "$source.a"), PropertyMapping("b", "$source.bb"), Self.number])
    let error = try #require(throws: MigrationError.self) { try chain([wrong, Self.extra()]) }
    #expect(error.code == .mappingModel && error.mappingModel == "bridge", "\(error)")
    for text in [
      "mapping model bridge: it has 3 mistakes",
      "mapping ThingToThing, Thing.aa: Thing of the destination model has no such",
      "(it has: a, b, n)", "mapping ThingToThing, Thing.b: Thing of the source model has no property \"bb\"",
      "m > 1",
    ] {
      #expect(error.description.contains(text), "\(text): \(error)")
    }
    let twice = Self.mapping(older, newer, Self.whole + [PropertyMapping("a", "$source.b")])
    let other = try #require(throws: MigrationError.self) { try chain([twice, Self.extra()]) }
    #expect(
      other.description.contains("mapping model bridge, mapping ThingToThing, Thing.a: the property is mapped twice"))
  }

  @Test("a mapping model that leaves out an entity is not passed over where something would be lost without it")
  func passedOver() throws {
    let older = try Self.model(.integer32)
    var thing = older.definitions.first { $0.name == "Thing" } ?? EntityDefinition("Thing")
    thing.attributes.removeAll { $0.name == "n" }
    let rest = older.definitions.filter { $0.name != "Thing" }
    let newer = try ManagedObjectModel(entities: rest + [thing])
    let mapping = Self.mapping(older, newer, [PropertyMapping("a", "$source.a"), PropertyMapping("b", "$source.b")])
    let error = try #require(throws: MigrationError.self) { try chain([mapping], to: newer) }
    #expect(error.code == .mappingModel && error.message.contains("leaves out Extra"), "\(error)")
    #expect(try chain([mapping], to: newer, isNamed: true).isLightweight == false)
    #expect(try chain([mapping, Self.extra()], to: newer).isLightweight == false)
  }

  @Test("an entity that no version has is named, and the mapping model is not passed over")
  func unknownEntity() throws {
    let (older, newer) = (try Self.model(.integer32), try Self.model(.string))
    var extra = Self.extra()
    extra.sourceEntityName = "Extar"
    let error = try #require(throws: MigrationError.self) {
      try chain([Self.mapping(older, newer, Self.whole), extra])
    }
    #expect(
      error.message
        == "the mapping model bridge cannot be used: the entity mapping ExtraToExtra has the source entity Extar, which no "
        + "version has (did you mean \"Extra\"?)")
  }
}
