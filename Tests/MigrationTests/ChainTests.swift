import CoreDataLayout
import Foundation
import Migration
import ObjectGraph
import ObjectModel
import Synchronization
import TestSupport
import Testing

@Suite("Chains of migration steps")
struct ChainTests {
  /// A model with an entity of these attributes: a name, its type and what it was called before.
  private static func model(
    _ attributes: [(name: String, type: AttributeType, before: String?)]
  ) throws -> ManagedObjectModel {
    var entity = EntityDefinition("Thing")
    entity.attributes = attributes.map { name, type, before in
      var attribute = AttributeDefinition(name, type)
      attribute.renamingIdentifier = before
      return attribute
    }
    return try ManagedObjectModel(entities: [entity])
  }

  private func chain(
    _ models: [ManagedObjectModel], from start: Int = 0, mappings: [ModelLibrary.Mapping] = [], infers: Bool = true,
    acceptsLosses: Bool = false
  ) throws -> [String] {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    try Stores.write(url, models[start]) { _ = try $0.insert("Thing") }
    let library = ModelLibrary(
      versions: models.enumerated().map { ModelLibrary.Version(name: "\($0.offset)", model: $0.element) },
      mappings: mappings)
    var migration = ProgressiveMigration(library: library)
    migration.acceptsLossesOnTheWay = acceptsLosses
    let chain = try migration.chain(
      forStoreAt: url, type: .sqlite, to: try #require(models.last), infersMappingModels: infers)
    return chain.steps.map { "\($0.source.name)-\($0.destination.name)" }
  }

  @Test("many versions are one step where nothing is lost by it")
  func direct() throws {
    let models = try (0..<120).map { count in
      try Self.model((0...count).map { ("a\($0)", .string, nil) })
    }
    #expect(try chain(models) == ["0-119"])
    #expect(try chain(models, from: 119) == [])
    #expect(try chain(models, from: 60) == ["60-119"])
  }

  @Test("names that changed twice take the steps that know them")
  func renames() throws {
    let models = [
      try Self.model([("a", .string, nil)]), try Self.model([("b", .string, "a")]),
      try Self.model([("c", .string, "b")]), try Self.model([("c", .string, "b"), ("d", .string, nil)]),
    ]
    #expect(try chain(models) == ["0-1", "1-3"])
    // An identifier that all versions keep leads there at once.
    let canonical = try [("a", nil), ("b", "a"), ("c", "a")].map { try Self.model([($0.0, .string, $0.1)]) }
    #expect(try chain(canonical) == ["0-2"])
    #expect(try chain(canonical, from: 1) == ["1-2"])
  }

  @Test("a chain may lead through a version in which two hierarchies get one ancestor")
  func mergedHierarchies() throws {
    func model(_ names: [(String, AttributeType, String?)], isMerged: Bool) throws -> ManagedObjectModel {
      let thing = EntityDefinition("Thing")
      var other = EntityDefinition("Other")
      other.attributes = names.map { name, type, before in
        var attribute = AttributeDefinition(name, type)
        attribute.renamingIdentifier = before
        return attribute
      }
      if isMerged { other.superentityName = "Thing" }
      return try ManagedObjectModel(entities: [thing, other])
    }
    // What was exchanged in a version between is found by its identifiers there only.
    let models = [
      try model([("p", .boolean, nil), ("q", .string, nil)], isMerged: false),
      try model([("p", .boolean, nil), ("q", .string, nil), ("x", .string, nil)], isMerged: true),
      try model([("p", .string, "q"), ("q", .boolean, "p"), ("x", .string, nil)], isMerged: true),
      try model([("p", .string, nil), ("q", .boolean, nil), ("x", .string, nil), ("y", .string, nil)], isMerged: true),
    ]
    #expect(try chain(models) == ["0-2", "2-3"])
  }

  @Test("what an entity loses that leaves its parent in a later step is told of it")
  func leavingParent() throws {
    func model(_ name: String, before: String?, isLeft: Bool) throws -> ManagedObjectModel {
      var thing = EntityDefinition("Thing")
      var attribute = AttributeDefinition(name, .string)
      attribute.renamingIdentifier = before
      thing.attributes = [attribute]
      var child = EntityDefinition("Child")
      child.superentityName = isLeft ? nil : "Thing"
      return try ManagedObjectModel(entities: [thing, child])
    }
    let models = [
      try model("a", before: nil, isLeft: false), try model("b", before: "a", isLeft: false),
      try model("c", before: "b", isLeft: true),
    ]
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    try Stores.write(url, models[0]) { _ = try $0.insert("Child") }
    let library = ModelLibrary(
      versions: models.enumerated().map { ModelLibrary.Version(name: "\($0.offset)", model: $0.element) })
    let chain = try ProgressiveMigration(library: library).chain(forStoreAt: url, type: .sqlite, to: models[2])
    #expect(chain.steps.map(\.losses) == [[], ["Child.b: removed, its values go"]])
  }

  @Test("a way on which properties go comes before one on which their whole entity goes")
  func renamedEntity() throws {
    func model(_ name: String, before: String?, _ attributes: String...) throws -> ManagedObjectModel {
      var entity = EntityDefinition(name)
      entity.renamingIdentifier = before
      entity.attributes = attributes.map { AttributeDefinition($0, .string) }
      return try ManagedObjectModel(entities: [entity])
    }
    let models = [
      try model("Thing", before: nil, "kept", "p", "q"), try model("Item", before: "Thing", "kept", "p", "q"),
      try model("Item", before: nil, "kept"),
    ]
    #expect(try chain(models) == ["0-1", "1-2"])
  }

  @Test("a composite attribute may be renamed, and a new one be mandatory where its elements have defaults")
  func composites() throws {
    func composite(_ name: String, before: String? = nil) -> AttributeDefinition {
      var attribute = AttributeDefinition(name, .composite)
      var street = AttributeDefinition("street", .string)
      street.defaultValue = "Main Street"
      street.isOptional = name == "place"
      attribute.composite = .init(name: "Address", elements: [street, AttributeDefinition("number", .integer32)])
      attribute.renamingIdentifier = before
      return attribute
    }
    var (older, newer) = (EntityDefinition("Thing"), EntityDefinition("Thing"))
    older.attributes = [composite("place")]
    var second = composite("second")
    second.isOptional = false
    second.composite = .init(
      name: "Other", elements: second.composite?.elements ?? [])
    var moved = composite("place", before: "place")
    moved.name = "address"
    newer.attributes = [moved, second]
    let models = try [older, newer].map { try ManagedObjectModel(entities: [$0]) }
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    try Stores.write(url, models[0]) { try $0.insert("Thing", ["place": ["street": "Elm", "number": 7]]) }
    let library = ModelLibrary(
      versions: models.enumerated().map { ModelLibrary.Version(name: "\($0.offset)", model: $0.element) })
    let chain = try ProgressiveMigration(library: library).migrateStore(at: url, type: .sqlite, to: models[1])
    #expect(chain.steps.map(\.losses) == [[]])
    #expect(try Stores.problems(url, models[1]) == [])
    try Stores.open(url, models[1]) { context in
      let thing = try #require(try context.all("Thing").first)
      #expect(thing["address"] == .composite(["street": "Elm", "number": 7]))
      #expect(thing["second"] == .composite(["street": "Main Street"]))
    }
  }

  @Test("a hundred renames are a hundred steps, and the value and the object stay what they were")
  func manySteps() throws {
    let models = try (0...100).map { try Self.model([("a\($0)", .string, $0 == 0 ? nil : "a\($0 - 1)")]) }
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    try Stores.write(url, models[0]) { try $0.insert("Thing", ["a0": "kept"]) }
    let names = try folder.names()
    let library = ModelLibrary(
      versions: models.enumerated().map { ModelLibrary.Version(name: "\($0.offset)", model: $0.element) })
    let chain = try ProgressiveMigration(library: library).migrateStore(at: url, type: .sqlite, to: models[100])
    #expect(chain.steps.count == 100 && chain.isLightweight && chain.steps.allSatisfy(\.losses.isEmpty))
    #expect(try Stores.problems(url, models[100]) == [])
    try Stores.open(url, models[100]) { context in
      let things = try context.all("Thing")
      #expect(things.map { $0["a100"] as String? } == ["kept"])
      #expect(things.first?.objectID.primaryKey == 1)
    }
    #expect(try folder.names() == names)
  }

  @Test("several steps leave the store's permissions and a symbolic link to it as they were")
  func placeOfTheStore() throws {
    let models = try (0...2).map { try Self.model([("a\($0)", .string, $0 == 0 ? nil : "a\($0 - 1)")]) }
    let folder = try TemporaryFolder()
    let (url, link) = (folder.file("store.sqlite"), folder.file("link.sqlite"))
    try Stores.write(url, models[0]) { try $0.insert("Thing", ["a0": "kept"]) }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "store.sqlite")
    let library = ModelLibrary(
      versions: models.enumerated().map { ModelLibrary.Version(name: "\($0.offset)", model: $0.element) })
    let chain = try ProgressiveMigration(library: library).migrateStore(at: link, type: .sqlite, to: models[2])
    #expect(chain.steps.count == 2)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == "store.sqlite")
    let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let values = try Stores.open(url, models[2]) { try $0.all("Thing").map { $0["a2"] as String? } }
    #expect(values == ["kept"])
  }

  /// An attribute that is text in the first version, gone in the next and a number in the last; and one that comes and
  /// goes on the way.
  private static func detour() throws -> [ManagedObjectModel] {
    [
      try model([("a", .string, nil), ("b", .string, nil)]),
      try model([("b", .string, nil), ("passing", .string, nil)]),
      try model([("b", .string, nil), ("a", .integer32, nil)]),
    ]
  }

  @Test("what the wanted version has is lost on the way only where that is accepted")
  func consent() throws {
    let models = try Self.detour()
    let error = try #require(throws: MigrationError.self) { try chain(models) }
    #expect(error.code == .lossesOnTheWay, "\(error)")
    #expect(
      error.message
        == "no one step leads from 0 to 2 (Thing.a: changes its type from string to integer32), and the steps by way of 1 "
        + "would lose what the last version has: Thing.a")
    #expect(try chain(models, acceptsLosses: true) == ["0-1", "1-2"])
    // What goes in the wanted version too needs no word, nor what the store never had.
    #expect(try chain(models, from: 1) == ["1-2"])
    let gone = try models + [Self.model([("b", .string, nil)])]
    #expect(try chain(gone) == ["0-3"])
    // Renames that only steps know keep what they rename.
    let renames = try [
      [("a", AttributeType.string, nil), ("b", .string, nil)], [("c", .string, "a"), ("b", .string, nil)],
      [("d", .string, "c"), ("b", .string, nil)],
    ].map { try Self.model($0) }
    #expect(try chain(renames) == ["0-1", "1-2"])
  }

  @Test("a store with several names, of which one would stay as it was, is refused where a copy takes its place")
  func hardLink() throws {
    let models = try (0...2).map { try Self.model([("a\($0)", .string, $0 == 0 ? nil : "a\($0 - 1)")]) }
    let folder = try TemporaryFolder()
    let (url, other) = (folder.file("store.sqlite"), folder.file("other.sqlite"))
    try Stores.write(url, models[0]) { try $0.insert("Thing", ["a0": "kept"]) }
    try FileManager.default.linkItem(at: url, to: other)
    let before = try Data(contentsOf: url)
    let library = ModelLibrary(
      versions: models.enumerated().map { ModelLibrary.Version(name: "\($0.offset)", model: $0.element) })
    let migration = ProgressiveMigration(library: library)
    let error = try #require(throws: MigrationError.self) {
      try migration.migrateStore(at: url, type: .sqlite, to: models[2])
    }
    #expect(error.message.hasPrefix("\(url.path) has several names"), "\(error)")
    #expect(try Data(contentsOf: url) == before && Data(contentsOf: other) == before)
    // One step is done in the file itself, under both names.
    try migration.migrateStore(at: url, type: .sqlite, to: models[1])
    #expect(try Stores.problems(other, models[1]) == [])
  }

  @Test(
    "a store that may not be written to is refused by its own name",
    .disabled(if: FileManager.default.isWritableFile(atPath: "/"), "the superuser may write everything"))
  func readOnly() throws {
    let models = try (0...2).map { try Self.model([("a\($0)", .string, $0 == 0 ? nil : "a\($0 - 1)")]) }
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    try Stores.write(url, models[0]) { try $0.insert("Thing", ["a0": "kept"]) }
    try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: url.path)
    let before = try Data(contentsOf: url)
    let library = ModelLibrary(
      versions: models.enumerated().map { ModelLibrary.Version(name: "\($0.offset)", model: $0.element) })
    let error = try #require(throws: MigrationError.self) {
      try ProgressiveMigration(library: library).migrateStore(at: url, type: .sqlite, to: models[2])
    }
    #expect(error.message == "\(url.path) may not be written to")
    #expect(try Data(contentsOf: url) == before)
  }

  @Test("of the stores in between one is there at a time")
  func storesInBetween() throws {
    let models = try (0...6).map { try Self.model([("a\($0)", .string, $0 == 0 ? nil : "a\($0 - 1)")]) }
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    try Stores.write(url, models[0]) { try $0.insert("Thing", ["a0": "kept"]) }
    let library = ModelLibrary(
      versions: models.enumerated().map { ModelLibrary.Version(name: "\($0.offset)", model: $0.element) })
    let counts = Mutex<[Int]>([])
    var migration = ProgressiveMigration(library: library)
    let root = url.deletingLastPathComponent()
    migration.willBeginStep = { _ in
      let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL }
      counts.withLock { $0.append((files ?? []).count { $0.lastPathComponent == url.lastPathComponent }) }
    }
    try migration.migrateStore(at: url, type: .sqlite, to: models[6])
    // The store itself, and what the step before made of it.
    #expect(counts.withLock { $0 } == [1, 2, 2, 2, 2, 2])
  }

  @Test("a mapping model bridges what cannot be inferred, and inference goes to it and on")
  func bridge() throws {
    let models = [
      try Self.model([("a", .string, nil)]), try Self.model([("a", .string, nil), ("b", .string, nil)]),
      try Self.model([("a", .integer32, nil)]), try Self.model([("a", .integer32, nil), ("c", .string, nil)]),
    ]
    var mapping = EntityMapping("ThingToThing", .transform, from: "Thing", to: "Thing")
    mapping.sourceEntityVersionHash = models[1]["Thing"]?.versionHash
    mapping.destinationEntityVersionHash = models[2]["Thing"]?.versionHash
    mapping.sourceExpression = Journal.fetch("Thing")
    mapping.attributeMappings = [PropertyMapping("a", "CAST($source.a, \"NSNumber\")")]
    let known = ModelLibrary.Mapping(name: "bridge", mappingModel: MappingModel(entityMappings: [mapping]))
    #expect(try chain(models, mappings: [known]) == ["0-1", "1-2", "2-3"])
    let error = try #require(throws: MigrationError.self) { try chain(models) }
    #expect(error.code == .missingMappingModel && error.message.contains("Thing.a: changes its type"), "\(error)")
    #expect(throws: MigrationError.self) { try chain(models, mappings: [known], infers: false) }
    #expect(try chain(Array(models[1...2]), mappings: [known], infers: false) == ["0-1"])
  }

  @Test("a stale mapping model is said to be so")
  func stale() throws {
    let models = [try Self.model([("a", .string, nil)]), try Self.model([("b", .string, nil)])]
    var mapping = EntityMapping("ThingToThing", .transform, from: "Thing", to: "Thing")
    mapping.sourceEntityVersionHash = Data(count: 32)
    mapping.destinationEntityVersionHash = models[1]["Thing"]?.versionHash
    let library = ModelLibrary(
      versions: models.map { ModelLibrary.Version(name: "m", model: $0) },
      mappings: [ModelLibrary.Mapping(name: "old", mappingModel: MappingModel(entityMappings: [mapping]))])
    #expect(library.warnings.count == 1 && library.warnings[0].contains("old is stale"), "\(library.warnings)")
    #expect(library.mapping(from: models[0], to: models[1]) == nil)
  }

  @Test(
    "mapping models of files are found by their hashes",
    .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"))
  func fixtures() throws {
    let library = try ModelLibrary(
      modelURL: FixtureFolder.url.appendingPathComponent("models/uncloud-notes/UnCloudNotesDataModel.xcdatamodeld"))
    #expect(library.mappings.count == 2 && library.warnings == [])
    let names = library.versions.map(\.name)
    #expect(names.count == 4 && names == names.sorted())
    for (source, destination, count) in [(1, 2, 1), (2, 3, 1), (0, 1, 0), (1, 3, 0)] {
      let found = library.mapping(from: library.versions[source].model, to: library.versions[destination].model)
      #expect((found == nil ? 0 : 1) == count, "\(names[source]) to \(names[destination])")
    }
  }
}
