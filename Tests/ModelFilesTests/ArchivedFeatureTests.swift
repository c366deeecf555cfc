import Foundation
import ModelFiles
import ObjectModel
import Testing

@Suite("Features of compiled models that the fixtures do not have")
struct ArchivedFeatureTests {
  static func decimal(_ mantissa: [UInt8], words: Int, exponent: Int, isNegative: Bool = false, order: Int = 1) -> Node
  {
    .object(
      "NSDecimalNumberPlaceholder",
      [
        "NS.mantissa": .data(mantissa + [UInt8](repeating: 0, count: 16 - mantissa.count)),
        "NS.length": .integer(words), "NS.exponent": .integer(exponent), "NS.mantissa.bo": .integer(order),
        "NS.negative": .flag(isNegative), "NS.compact": .flag(true),
      ])
  }

  func attribute(_ type: AttributeType, _ fields: [String: Node]) throws -> (AttributeDefinition, [String]) {
    let file = try ModelArchive.read(properties: [ModelArchive.attribute("a", type, fields)])
    return (try #require(file.model["A"]?.attribute("a")), file.warnings.map(\.message))
  }

  @Test("default values of every type are read")
  func defaults() throws {
    let uuid = try #require(UUID(uuidString: "8D8AC610-566D-4EF0-9C22-186B2A5ED793"))
    let bytes: [UInt8] = [
      0x8D, 0x8A, 0xC6, 0x10, 0x56, 0x6D, 0x4E, 0xF0, 0x9C, 0x22, 0x18, 0x6B, 0x2A, 0x5E, 0xD7, 0x93,
    ]
    let site = try #require(URL(string: "https://example.org/a?b"))
    let large = try #require(Decimal(string: "-340282366920938463463374607431768211455"))
    let cases: [(AttributeType, Node, Value)] = [
      (.integer16, .integer(-5), .integer(-5)), (.integer64, .integer(.min), .integer(.min)),
      (.integer32, .real(4), .integer(4)), (.boolean, .flag(true), .boolean(true)),
      (.boolean, .integer(0), .boolean(false)), (.double, .real(0.1), .double(0.1)), (.double, .integer(2), .double(2)),
      (.float, .real(0.1), .double(Double(Float(0.1)))), (.string, .text("été"), .string("été")),
      (.string, .object("NSMutableString", ["NS.string": .text("x")]), .string("x")),
      (.date, .object("NSDate", ["NS.time": .real(-1.5)]), .date(Date(timeIntervalSinceReferenceDate: -1.5))),
      (.binary, .data([1, 2]), .data(Data([1, 2]))),
      (.binary, .object("NSMutableData", ["NS.data": .data([3])]), .data(Data([3]))),
      (.uuid, .object("NSUUID", ["NS.uuidbytes": .data(bytes)]), .uuid(uuid)),
      (.uri, .object("NSURL", ["NS.base": .null, "NS.relative": .text(site.absoluteString)]), .uri(site)),
      (.decimal, Self.decimal([0xF3, 0x03], words: 1, exponent: -2), .decimal(Decimal(1011) / 100)),
      (.decimal, Self.decimal([0x03, 0xF3], words: 1, exponent: 1, order: 2), .decimal(10_110)),
      (.decimal, Self.decimal([], words: 0, exponent: -1), .decimal(0)),
      (
        .decimal, Self.decimal([UInt8](repeating: 0xFF, count: 16), words: 8, exponent: 0, isNegative: true),
        .decimal(large)
      ),
    ]
    for (type, node, value) in cases {
      let (attribute, warnings) = try attribute(type, ["NSDefaultValue": node])
      #expect(attribute.defaultValue == value && warnings.isEmpty, "\(type) \(value)")
    }
    let (misfit, warnings) = try attribute(.integer16, ["NSDefaultValue": .text("7")])
    #expect(misfit.defaultValue == .null && warnings == ["A.a: the default value is a string and was left out"])
  }

  @Test("validation predicates become minimum, maximum and regular expression")
  func limits() throws {
    func limit(_ operation: Int, _ value: Node, of left: Node = ModelArchive.this) -> Node {
      ModelArchive.compare(left, operation, ModelArchive.constant(value))
    }
    let length = ModelArchive.path("length")
    let (text, _) = try attribute(
      .string,
      [
        "NSValidationPredicates": .array([
          ModelArchive.compound(1, [limit(3, .integer(2), of: length), limit(1, .integer(9), of: length)]),
          ModelArchive.compare(
            ModelArchive.this, 6, ModelArchive.constant(.text("[a-z]+")), class: "NSMatchingPredicateOperator"),
        ])
      ])
    #expect(text.minimumValue == .integer(2) && text.maximumValue == .integer(9) && text.regularExpression == "[a-z]+")
    let (number, _) = try attribute(.double, ["NSValidationPredicates": .array([limit(3, .integer(0))])])
    #expect(number.minimumValue == .double(0) && number.maximumValue == .null)
    let (price, _) = try attribute(
      .decimal, ["NSValidationPredicates": .array([limit(1, Self.decimal([5], words: 1, exponent: -1))])])
    #expect(price.maximumValue == .decimal(Decimal(5) / 10))
    let (date, _) = try attribute(
      .date, ["NSValidationPredicates": .array([limit(3, .object("NSDate", ["NS.time": .real(9)]))])])
    #expect(date.minimumValue == .date(Date(timeIntervalSinceReferenceDate: 9)))
    let (other, warnings) = try attribute(
      .integer16,
      ["NSValidationPredicates": .array([limit(0, .integer(5)), limit(1, .integer(4)), limit(1, .integer(3))])])
    #expect(other.maximumValue == .integer(4))
    let subject = "A.a: a validation that is neither a limit nor a regular expression was left out: "
    #expect(warnings == [subject + "SELF < 5", subject + "SELF <= 3"])
  }

  @Test("inherited properties stay with the parent, as proxies and as copies, in a dictionary of known keys too")
  func inheritance() throws {
    var builder = ArchiveBuilder()
    let parent = builder.reserve()
    let a = ModelArchive.attribute("a", .string)
    let b = ModelArchive.attribute("b", .date)
    builder.archive(ModelArchive.entity("Parent", [a, b], ["NSIsAbstract": .flag(true)]).1, as: parent)
    let proxy = Node.object(
      "_NSPropertyDescriptionProxy", ["NSUnderlyingProperty": .null, "NSEntityDescription": .reference(parent)])
    let child = ModelArchive.entity(
      "Child", [("a", proxy), b, ModelArchive.attribute("c", .binary, ["NSFlagsKey": .integer(20)])],
      ["NSSuperentity": .reference(parent), "NSRenamingIdentifier": .text("Kid")])
    let entities = Node.object(
      "NSKnownKeysDictionary1",
      [
        "searchMapping": .object(
          "NSKnownKeysMappingStrategy1", ["keys": .array([.text("Child"), .text("None"), .text("Parent")])]),
        "values": .array([child.1, .text("__empty__"), .reference(parent)]), "emptyToken": .text("__empty__"),
      ])
    let root = builder.archive(.object("NSManagedObjectModel", ["NSEntities": entities]))
    let model = try CompiledModelReader.read(archive: builder.finish(root: root)).model
    #expect(model.definitions.map(\.name) == ["Child", "Parent"])
    #expect(model["Child"]?.superentity == model["Parent"])
    #expect(model["Child"]?.definition.attributes.map(\.name) == ["c"])
    #expect(model["Child"]?.attributes.map(\.name) == ["a", "b", "c"])
    #expect(model["Child"]?.definition.renamingIdentifier == "Kid")
    let c = try #require(model["Child"]?.attribute("c"))
    #expect(c.allowsExternalBinaryDataStorage && c.preservesValueInHistoryOnDeletion)
  }

  @Test("indexes of expressions, R-tree and partial indexes are read")
  func indexes() throws {
    func element(_ name: String, _ kind: Int, _ ascending: Bool, _ more: [String: Node] = [:]) -> Node {
      var fields: [String: Node] = [
        "NSPropertyName": .text(name), "NSFetchIndexElementType": .integer(kind), "NSAscending": .flag(ascending),
      ]
      fields.merge(more) { _, new in new }
      return .object("NSFetchIndexElementDescription", fields)
    }
    func index(_ name: String, _ elements: [Node], _ predicate: Node = .null) -> Node {
      .object(
        "NSFetchIndexDescription",
        ["NSIndexName": .text(name), "NSIndexElements": .array(elements), "NSPartialIndexPredicate": predicate])
    }
    let expression = Node.object(
      "NSExpressionDescription", ["NSPropertyName": .text("self"), "NSExpression": ModelArchive.this])
    let entity = ModelArchive.entity(
      "A", [ModelArchive.attribute("a", .double), ModelArchive.attribute("b", .double)],
      [
        "NSFetchIndexDescriptions": .array([
          index(
            "partial", [element("a", 0, false), element("self", 0, true, ["NSIndexedProperty": expression])],
            ModelArchive.compare(ModelArchive.path("a"), 2, ModelArchive.constant(.integer(0)))),
          index("area", [element("a", 1, true), element("b", 1, true)]),
          index("lost", [element("a", 0, true)], .object("NSBlockPredicate", [:])),
        ])
      ])
    let file = try ModelArchive.read(ModelArchive.model([entity]))
    typealias Element = FetchIndexDefinition.Element
    #expect(
      file.model["A"]?.definition.fetchIndexes == [
        FetchIndexDefinition(
          "partial", elements: [Element(.property("a"), isAscending: false), Element(.expression("SELF", type: nil))],
          partialIndexPredicate: "a > 0"),
        FetchIndexDefinition(
          "area", elements: [Element(.property("a"), kind: .rTree), Element(.property("b"), kind: .rTree)]),
      ])
    #expect(file.warnings.count == 1 && file.warnings[0].message.hasPrefix("A: the fetch index lost was left out: "))
  }

  @Test("an entity that rests on an unconfirmed rule takes its stored hash")
  func storedHash() throws {
    let derived = Node.object(
      "NSDerivedAttributeDescription",
      [
        "NSPropertyName": .text("d"), "NSAttributeType": .integer(900), "NSIsOptional": .flag(true),
        "NSDerivationExpression": ModelArchive.function("now", []),
      ])
    let root = ModelArchive.model([
      ModelArchive.entity("A", [("d", derived)]), ModelArchive.entity("B", [ModelArchive.attribute("b", .date)]),
    ])
    let computed = try ModelArchive.read(root).model
    #expect(computed["A"]?.attribute("d")?.derivation?.expression == "now()")
    #expect(computed["A"]?.restsOnUnconfirmedHashRule == true)
    let stored = ["A": Data(repeating: 7, count: 32), "B": Data(repeating: 8, count: 32)]
    let file = try CompiledModelReader.read(archive: ModelArchive.bytes(root), storedHashes: stored)
    #expect(file.model["A"]?.versionHash == stored["A"] && file.model["A"]?.restsOnUnconfirmedHashRule == false)
    #expect(file.model["B"]?.versionHash == computed["B"]?.versionHash)
    #expect(file.warnings.map(\.message) == ["B: the version hash stored with the model is another one"])
  }

  @Test("a composite attribute's elements are found, with a warning that this is not confirmed")
  func composite() throws {
    let elements = ["x", "y"].map { ModelArchive.attribute($0, .double).1 }
    let point = Node.object(
      "NSCompositeAttributeDescription",
      ["NSPropertyName": .text("p"), "NSAttributeType": .integer(2100), "NSElements": .array(elements)])
    let file = try ModelArchive.read(properties: [("p", point)])
    #expect(file.model["A"]?.storedLeaves.map(\.path) == ["p.x", "p.y"])
    #expect(file.warnings.count == 1 && file.model["A"]?.restsOnUnconfirmedHashRule == false)
  }
}
