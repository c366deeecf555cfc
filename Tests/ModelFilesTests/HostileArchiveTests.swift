import Foundation
import ModelFiles
import ObjectModel
import Platform
import TestSupport
import Testing

@Suite("Damaged and hostile compiled models")
struct HostileArchiveTests {
  static func message(_ bytes: [UInt8]) -> String {
    do {
      _ = try CompiledModelReader.read(archive: bytes, origin: "made.mom")
      return "no error"
    } catch {
      return error.description
    }
  }

  static func message(_ root: Node) -> String { message(ModelArchive.bytes(root)) }

  /// A sound archive with most classes in it.
  static let sound: [UInt8] = {
    var builder = ArchiveBuilder()
    let parent = builder.reserve()
    let child = builder.reserve()
    let relationship = builder.reserve()
    let inverse = builder.reserve()
    func side(_ name: String, _ destination: Int, _ inverse: Int, _ maximum: Int) -> Node {
      .object(
        "NSRelationshipDescription",
        [
          "NSPropertyName": .text(name), "NSDestinationEntity": .reference(destination),
          "NSInverseRelationship": .reference(inverse), "NSMaxCount": .integer(maximum), "NSMinCount": .integer(0),
          "NSDeleteRule": .integer(1), "NSIsOptional": .flag(true),
        ])
    }
    builder.archive(side("children", child, inverse, 0), as: relationship)
    builder.archive(side("parent", parent, relationship, 1), as: inverse)
    let bound = ModelArchive.compare(ModelArchive.path("length"), 3, ModelArchive.constant(.integer(2)))
    let name = ModelArchive.attribute("name", .string, ["NSValidationPredicates": .array([bound])])
    builder.archive(
      ModelArchive.entity(
        "Parent", [name, ("children", .reference(relationship))],
        ["NSUniqueTuples": .array([.array([.text("name")])]), "NSUserInfo": .dictionary([("k", .text("v"))])]
      ).1,
      as: parent)
    let price = ModelArchive.attribute(
      "price", .decimal, ["NSDefaultValue": ArchivedFeatureTests.decimal([9], words: 1, exponent: -1)])
    builder.archive(
      ModelArchive.entity(
        "Child", [price, name, ("parent", .reference(inverse))], ["NSIsAbstract": .flag(false)]
      ).1, as: child)
    let root = builder.archive(
      ModelArchive.model(
        [("Parent", .reference(parent)), ("Child", .reference(child))],
        [
          "NSConfigurations": .dictionary([("Cloud", .array([.reference(child)]))]),
          "NSVersionIdentifiers": .object("NSSet", ["NS.objects": .array([.text("1")])]),
        ]))
    return builder.finish(root: root)
  }()

  @Test("the sound archive is read")
  func soundArchive() throws {
    let model = try CompiledModelReader.read(archive: Self.sound).model
    #expect(model["Parent"]?.relationship("children")?.inverse?.name == "parent")
    #expect(model.entityNamesByConfiguration == ["Cloud": ["Child"]] && model.versionIdentifier == "1")
  }

  @Test("bytes that are no archive of a model say what they are not")
  func notArchives() {
    let none: [(String, [UInt8], String)] = [
      ("empty", [], "it is not a binary property list"),
      ("XML", Array("<?xml version=\"1.0\"?><plist/>".utf8), "it is not a binary property list"),
      ("header only", Array("bplist00".utf8), "the property list ends too early"),
      ("cut", Array(Self.sound.dropLast(40)), "the property list has a damaged trailer, or ends too early"),
      (
        "not an archive", ArchiveBuilder.encode([.text("x"), .dictionary([(0, 0)])], root: 1),
        "it is a property list, but not a keyed archive of the known version"
      ),
      ("a string", ArchiveBuilder.encode([.text("x")], root: 0), "it is a property list, but not a keyed archive"),
      (
        "another class", ModelArchive.bytes(.object("NSMappingModel", [:])),
        "it is an archive of an object of the class NSMappingModel, not of a model"
      ),
    ]
    for (name, bytes, expected) in none {
      #expect(Self.message(bytes).hasPrefix("made.mom: \(expected)\n  hint: "), "\(name): \(Self.message(bytes))")
    }
  }

  @Test("objects that do not belong where they are give an error with their place")
  func misplaced() {
    let text = Node.text("x")
    let attribute = ModelArchive.attribute("a", .string)
    let cases: [(Node, String)] = [
      (ModelArchive.model([("A", text)]), "the entity A is a string, or has another name"),
      (ModelArchive.model([("B", ModelArchive.entity("A", []).1)]), "the entity B is an object of the class"),
      (ModelArchive.model([ModelArchive.entity("A", [("a", text)])]), "A: a: the property is a string"),
      (ModelArchive.model([ModelArchive.entity("A", [("b", attribute.1)])]), "A: b: the property has another name"),
      (
        ModelArchive.model([ModelArchive.entity("A", [("a", .object("_NSPropertyDescriptionProxy", [:]))])]),
        "A: a: the property stands for one that the superentity does not have"
      ),
      (
        ModelArchive.model([ModelArchive.entity("A", [("a", .object("Evil.Gadget", ["NSPropertyName": .text("a")]))])]),
        "A: a: the property is of the class Evil.Gadget, which no property has"
      ),
      (
        ModelArchive.model([
          ModelArchive.entity("A", [ModelArchive.attribute("a", .string, ["NSAttributeType": .integer(7)])])
        ]),
        "A: a: the attribute type 7 is not known"
      ),
      (ModelArchive.model([ModelArchive.entity("A", [], ["NSUniqueTuples": text])]), "A: NSUniqueTuples of"),
      (
        ModelArchive.model([ModelArchive.entity("A", [], ["NSUniqueTuples": .array([.array([.array([])])])])]),
        "A: NSUniq"
      ),
      (ModelArchive.model([ModelArchive.entity("A", [], ["NSIsAbstract": .integer(3)])]), "A: NSIsAbstract of"),
      (ModelArchive.model([("A", .reference(9_999_999))]), "a reference leads to an object that is not there"),
    ]
    for (root, expected) in cases {
      #expect(Self.message(root).hasPrefix("made.mom: \(expected)"), "\(Self.message(root))")
    }
  }

  @Test("objects that refer to themselves are refused or harmless")
  func cycles() {
    var builder = ArchiveBuilder()
    let entity = builder.reserve()
    builder.archive(ModelArchive.entity("A", [], ["NSSuperentity": .reference(entity)]).1, as: entity)
    var root = builder.archive(ModelArchive.model([("A", .reference(entity))]))
    #expect(Self.message(builder.finish(root: root)).contains("the parents of A form a cycle: A → A"))

    builder = ArchiveBuilder()
    let compound = builder.reserve()
    builder.archive(ModelArchive.compound(1, [.reference(compound), .reference(compound)]), as: compound)
    let attribute = ModelArchive.attribute("a", .string, ["NSValidationPredicates": .array([.reference(compound)])])
    root = builder.archive(ModelArchive.model([ModelArchive.entity("A", [attribute])]))
    #expect(Self.message(builder.finish(root: root)).contains("A: a: a validation predicate is nested too deeply"))

    builder = ArchiveBuilder()
    let composite = builder.reserve()
    builder.archive(
      .object(
        "NSCompositeAttributeDescription",
        [
          "NSPropertyName": .text("a"), "NSAttributeType": .integer(2100),
          "NSElements": .array([.reference(composite), .reference(composite)]),
        ]), as: composite)
    root = builder.archive(ModelArchive.model([ModelArchive.entity("A", [("a", .reference(composite))])]))
    #expect(Self.message(builder.finish(root: root)).contains("composites are nested too deeply"))

    builder = ArchiveBuilder()
    let model = builder.reserve()
    builder.archive(.object("NSManagedObjectModel", ["NSEntities": .reference(model)]), as: model)
    #expect(Self.message(builder.finish(root: model)).contains("NSEntities of NSManagedObjectModel is an object"))
  }

  @Test("few bytes cannot describe an endless text, an endless list or a huge model")
  func expansion() {
    // Each level holds the one below twice: 2^60 comparisons.
    var predicate = ModelArchive.compare(ModelArchive.path("a"), 4, ModelArchive.constant(.integer(1)))
    var builder = ArchiveBuilder()
    for _ in 0..<60 {
      let number = builder.archive(predicate)
      predicate = ModelArchive.compound(2, [.reference(number), .reference(number)])
    }
    var attribute = ModelArchive.attribute("a", .string, ["NSValidationPredicates": .array([predicate])])
    var root = builder.archive(ModelArchive.model([ModelArchive.entity("A", [attribute])]))
    #expect(Self.message(builder.finish(root: root)).contains("nested too deeply or has too many parts"))

    builder = ArchiveBuilder()
    var nested = builder.archive(ModelArchive.compound(1, []))
    for _ in 0..<40 { nested = builder.archive(ModelArchive.compound(1, [.reference(nested), .reference(nested)])) }
    attribute = ModelArchive.attribute("a", .string, ["NSValidationPredicates": .array([.reference(nested)])])
    root = builder.archive(ModelArchive.model([ModelArchive.entity("A", [attribute])]))
    #expect(Self.message(builder.finish(root: root)).contains("it would expand without bound"))

    // One list of 2,000 names in 2,000 entities.
    builder = ArchiveBuilder()
    let names = builder.archive(.array((0..<2_000).map { _ in .text("a") }))
    let lists = builder.archive(.array((0..<2_000).map { _ in .reference(names) }))
    let entities = (0..<4).map {
      ModelArchive.entity("E\($0)", [ModelArchive.attribute("a", .string)], ["NSUniqueTuples": .reference(lists)])
    }
    root = builder.archive(ModelArchive.model(entities))
    #expect(Self.message(builder.finish(root: root)).contains("it would expand without bound"))
  }

  @Test("parents with many properties and many children are refused before they fill the memory")
  func inheritance() {
    var parent = EntityDefinition("P")
    parent.attributes = (0..<1_500).map { AttributeDefinition("a\($0)", .date) }
    let children = (0..<1_000).map {
      var child = EntityDefinition("C\($0)")
      child.superentityName = "P"
      return child
    }
    #expect(throws: ModelError.self) { try ManagedObjectModel(entities: [parent] + children) }
  }

  @Test("counts and offsets beyond the bytes are refused")
  func counts() {
    // The trailer's fields: sizes, number of objects, root, offset of the table.
    for (place, value) in [(25, 0), (25, 9), (24, 0), (24, 9), (24, 255), (16, 1), (15, 255), (8, 127), (0, 255)] {
      var bytes = Self.sound
      bytes[bytes.count - 1 - place] = UInt8(value)
      #expect(Self.message(bytes).hasPrefix("made.mom: "), "\(place) \(value): \(Self.message(bytes))")
    }
    let many = [UInt8](repeating: 0x5F, count: 12)
    for marker: [UInt8] in [
      [0xAF, 0x13] + many, [0xDF, 0x13, 0x7F] + many, [0x6F, 0x12, 0x7F] + many, [0x4F, 0x5F],
    ] {
      let tail: [UInt8] =
        [8, 0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 15)
        + [UInt8(8 + marker.count)]
      let bytes = Array("bplist00".utf8) + marker + tail
      #expect(Self.message(bytes).hasPrefix("made.mom: object 0 "), "\(marker): \(Self.message(bytes))")
    }
  }

  @Test("a cache that does not inflate, or inflates beyond the limit, is an error")
  func bomb() throws {
    let deflated = try RawDeflate.deflate([UInt8](repeating: 0, count: CompiledModelReader.maximumByteCount + 1))
    #expect(deflated.count < 100_000)
    for bytes in [deflated, [1, 2, 3], []] {
      #expect(throws: ModelError.self) {
        try CachedModelReader.read(deflated: bytes, origin: "A.sqlite")
      }
    }
    let sound = try RawDeflate.deflate(Self.sound)
    #expect(
      try CachedModelReader.read(deflated: sound, origin: "A.sqlite").path == "A.sqlite")
  }

  @Test(
    "a damaged VersionInfo.plist is an error",
    arguments: [
      "", "<plist", "bplist00", "<plist version=\"1.0\"><array/></plist>",
      "<plist version=\"1.0\"><dict><key>NSManagedObjectModel_CurrentVersionName</key><integer>1</integer></dict></plist>",
      "<plist version=\"1.0\"><dict><key>NSManagedObjectModel_CurrentVersionName</key><string>../A</string></dict></plist>",
      "<plist version=\"1.0\"><dict><key>NSManagedObjectModel_VersionHashes</key><dict><key>A</key><dict>"
        + "<key>E</key><data>AAAA</data></dict></dict></dict></plist>",
      "<plist version=\"1.0\">" + String(repeating: "<array>", count: 100_000),
    ])
  func versionInfo(text: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(Data(Self.sound), to: "A.momd/A.mom")
    #expect(try ModelReader.readFile(path: folder.path + "/A.momd").versionName == "A")
    try folder.write(text, to: "A.momd/VersionInfo.plist")
    #expect(throws: ModelError.self) { try ModelReader.read(path: folder.path + "/A.momd") }
  }

  /// Archives to damage: our own, and those of the fixtures where they are.
  static let seeds: [(name: String, bytes: [UInt8])] =
    [("own", sound)]
    + CompiledVersion.all.prefix(5).compactMap { version in
      let path = FixtureFolder.path("\(version.folder)/\(version.version).mom")
      return (try? Data(contentsOf: URL(fileURLWithPath: path))).map { (version.version, [UInt8]($0)) }
    }

  @Test("random damage gives a model or an error, and never a crash", arguments: seeds.map(\.name))
  func mutations(name: String) throws {
    let sound = try #require(Self.seeds.first { $0.name == name }).bytes
    var generator = SeededGenerator(seed: 0x5EED)
    let rounds = min(2_000, 4_000_000 / sound.count)
    var refused = 0
    for _ in 0..<rounds {
      var bytes = sound
      switch UInt8.random(in: 0..<4, using: &generator) {
      case 0:
        bytes.removeSubrange(Int.random(in: 0..<bytes.count, using: &generator)...)
        // With the old trailer behind what is left, offsets lead anywhere.
        if Bool.random(using: &generator) { bytes += sound.suffix(32) }
      case 1:
        // A copied stretch: references to other, also enclosing, objects.
        let count = Int.random(in: 1...64, using: &generator)
        let from = Int.random(in: 0..<(bytes.count - count), using: &generator)
        let to = Int.random(in: 0..<(bytes.count - count), using: &generator)
        bytes.replaceSubrange(to..<(to + count), with: sound[from..<(from + count)])
      default:
        for _ in 0..<Int.random(in: 1...12, using: &generator) {
          bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        }
      }
      do {
        _ = try CompiledModelReader.read(archive: bytes)
      } catch {
        #expect(!error.problems.isEmpty && error.problems.allSatisfy { !$0.message.isEmpty })
        refused += 1
      }
    }
    #expect(refused > rounds / 2)
  }
}
