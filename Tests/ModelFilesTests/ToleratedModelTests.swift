import Foundation
import ModelFiles
import ObjectModel
import TestSupport
import Testing

/// The inside of entity A in a model's source, and what the reader warns of, without the line.
struct ToleratedSource: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var inside: String
  var warnings: [String]

  init(_ name: String, _ inside: String, _ warnings: String...) {
    testDescription = name
    self.inside = inside
    self.warnings = warnings
  }
}

@Suite("Oddities that Apple's tools let pass")
struct ToleratedModelTests {
  static func source(_ inside: String) -> String {
    """
    <model documentVersion="1.0">
    <entity name="A">
    <attribute name="a" optional="YES" attributeType="String"/>
    <relationship name="many" optional="YES" toMany="YES" destinationEntity="B" inverseName="one" inverseEntity="B"/>
    \(inside)
    </entity>
    <entity name="B">
    <relationship name="one" optional="YES" maxCount="1" destinationEntity="A" inverseName="many" inverseEntity="A"/>
    </entity>
    </model>
    """
  }

  func read(_ xml: String) throws -> ModelFile {
    let folder = try TemporaryFolder()
    return try ModelReader.readFile(path: try folder.write(xml, to: "A.xcdatamodel/contents"))
  }

  @Test("a source with one is read, with a warning at most", arguments: ToleratedSource.all)
  func source(oddity: ToleratedSource) throws {
    let file = try read(Self.source(oddity.inside))
    #expect(file.warnings.map(\.message) == oddity.warnings)
    #expect(file.warnings.allSatisfy { $0.file?.hasSuffix("contents") == true && ($0.line ?? 0) >= 5 })
  }

  @Test("defaults of numbers may be the words for Booleans")
  func words() throws {
    let types = ["Integer 16", "Integer 32", "Integer 64", "Double", "Float", "Decimal"]
    let attributes = types.enumerated().map { index, type in
      """
      <attribute name="y\(index)" attributeType="\(type)" defaultValueString="YES"/>
      <attribute name="n\(index)" attributeType="\(type)" defaultValueString="NO"/>
      """
    }
    let entity = try #require(try read(Self.source(attributes.joined(separator: "\n"))).model["A"])
    let ones: [Value] = [.integer(1), .integer(1), .integer(1), .double(1), .double(1), .decimal(1)]
    for (index, one) in ones.enumerated() {
      #expect(entity.attribute("y\(index)")?.defaultValue == one)
      #expect(entity.attribute("n\(index)")?.defaultValue != .null)
    }
  }

  @Test("what is left out of a model still enters its version hash")
  func hashes() throws {
    let plain = try read(Self.source("")).model["A"]?.versionHash
    let constraint =
      "<uniquenessConstraints><uniquenessConstraint><constraint value=\"many\"/>"
      + "</uniquenessConstraint></uniquenessConstraints>"
    let odd = try #require(try read(Self.source(constraint)).model["A"])
    #expect(odd.uniquenessConstraints.isEmpty && odd.versionHash != plain)
    let index = "<fetchIndex name=\"i\"><fetchIndexElement property=\"nothing\"/></fetchIndex>"
    #expect(try read(Self.source(index)).model["A"]?.versionHash == plain)
    let again = try read(Self.source(constraint)).takingUnconfirmedHashes(from: [:]).model["A"]
    #expect(again?.versionHash == odd.versionHash)
  }

  @Test("a to-one that is marked as ordered keeps the mark in its hash and has no order")
  func orderedToOne() throws {
    func model(_ ordered: String) throws -> ManagedObjectModel {
      try read(
        Self.source("").replacingOccurrences(of: "maxCount=\"1\" ", with: "maxCount=\"1\" \(ordered)")
      ).model
    }
    let (plain, marked) = (try model(""), try model("ordered=\"YES\" "))
    #expect(marked["B"]?.relationship("one")?.isOrdered == false)
    #expect(marked["B"]?.versionHash != plain["B"]?.versionHash)
    #expect(marked["A"]?.versionHash == plain["A"]?.versionHash)
  }

  @Test(
    "a current-version file that says nothing means the version named like the folder, else the first",
    arguments: [
      "", "\n", "<plist version=\"1.0\"/>", "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict/></plist>",
      "<plist><dict><key>_XCCurrentVersionName</key><string/></dict></plist>",
      "<plist><dict><key>_XCCurrentVersionName</key><string> \n</string></dict></plist>",
    ])
  func emptyCurrentVersion(text: String) throws {
    let folder = try TemporaryFolder()
    let empty = "<model documentVersion=\"1.0\"/>"
    for (path, names) in [("Shop", ["Aisle", "Shop", "Shop 2"]), ("Mall", ["Mall 2", "Mall 3"])] {
      for name in names { try folder.write(empty, to: "\(path).xcdatamodeld/\(name).xcdatamodel/contents") }
      try folder.write(text, to: "\(path).xcdatamodeld/.xccurrentversion")
    }
    #expect(try ModelReader.versions(path: folder.path + "/Shop.xcdatamodeld").current == "Shop")
    #expect(try ModelReader.readFile(path: folder.path + "/Mall.xcdatamodeld").versionName == "Mall 2")
  }

  // MARK: - Compiled models

  private static func relationship(
    _ name: String, to destination: String, inverse: String?, toMany: Bool, _ more: [String: Node] = [:]
  ) -> (String, Node) {
    var fields: [String: Node] = [
      "NSPropertyName": .text(name), "_NSDestinationEntityName": .text(destination), "NSIsOptional": .flag(true),
      "NSMaxCount": .integer(toMany ? 0 : 1), "NSMinCount": .integer(0), "NSDeleteRule": .integer(1),
    ]
    if let inverse { fields["_NSInverseRelationshipName"] = .text(inverse) }
    fields.merge(more) { _, new in new }
    return (name, .object("NSRelationshipDescription", fields))
  }

  private static func index(_ name: String, _ elements: [Node]) -> Node {
    .object("NSFetchIndexDescription", ["NSIndexName": .text(name), "NSIndexElements": .array(elements)])
  }

  private static func element(_ name: String, _ more: [String: Node] = [:]) -> Node {
    var fields: [String: Node] = ["NSPropertyName": .text(name), "NSAscending": .flag(true)]
    fields.merge(more) { _, new in new }
    return .object("NSFetchIndexElementDescription", fields)
  }

  @Test("a compiled model may break Xcode's rules about properties, indexes, constraints and templates")
  func compiled() throws {
    let expression = Node.object(
      "NSExpressionDescription", ["NSPropertyName": .text("entity"), "NSExpression": ModelArchive.path("entity")])
    let a = ModelArchive.entity(
      "A",
      [
        ModelArchive.attribute("small", .integer16, ["NSDefaultValue": .integer(70_000)]),
        ModelArchive.attribute(
          "text", .string,
          [
            "NSDefaultValue": .text("abc"),
            "NSValidationPredicates": .array([
              ModelArchive.compare(
                ModelArchive.path("length"), 1, ModelArchive.constant(.integer(2))),
              ModelArchive.compare(
                ModelArchive.this, 6, ModelArchive.constant(.text("(")), class: "NSMatchingPredicateOperator"),
            ]),
          ]),
        ModelArchive.attribute("gone", .string, ["NSIsTransient": .flag(true)]),
        Self.relationship("bs", to: "B", inverse: "nothing", toMany: true),
        Self.relationship("b", to: "B", inverse: "a", toMany: false, ["NSIsOrdered": .flag(true)]),
        Self.relationship("alone", to: "B", inverse: nil, toMany: true),
      ],
      [
        "NSUniqueTuples": .array([
          .array([]), .array([.text("small"), .text("small")]), .array([.text("none")]), .array([.text("gone")]),
          .array([.text("bs")]), .array([.text("text"), .text("b")]),
        ]),
        "NSCompoundIndexes": .array([.array([.text("entity"), .text("self"), .text("small")])]),
        "NSFetchIndexDescriptions": .array([
          Self.index("empty", []), Self.index("toMany", [Self.element("bs")]),
          Self.index("gone", [Self.element("gone")]),
          Self.index("mixed", [Self.element("small"), Self.element("b", ["NSFetchIndexElementType": .integer(1)])]),
          Self.index("kinds", [Self.element("small"), Self.element("entity", ["NSIndexedProperty": expression])]),
          Self.index("selves", [Self.element("self"), Self.element("small")]),
        ]),
      ])
    let b = ModelArchive.entity(
      "B",
      [
        Self.relationship("a", to: "A", inverse: "other", toMany: false),
        Self.relationship("other", to: "A", inverse: nil, toMany: false),
      ])
    let file = try ModelArchive.read(
      ModelArchive.model(
        [a, b, ModelArchive.entity("Unused", []), ModelArchive.entity("Lone", [], ["NSIsAbstract": .flag(true)])],
        [
          "NSFetchRequestTemplates": .dictionary([
            ("lost", .object("NSFetchRequest", [:])),
            (
              "all",
              .object("NSFetchRequest", ["NSEntity": .object("NSEntityDescription", ["NSEntityName": .text("A")])])
            ),
          ])
        ]))
    let found = file.warnings.map(\.message)
    for wanted in [
      "the default value of A.small does not fit its type", "the default value of A.text is above its maximum",
      "the regular expression of A.text is not valid: (", "a uniqueness constraint of A is empty",
      "the uniqueness constraint (small, small) of A names a property twice",
      "the uniqueness constraint (none) of A names none, which is not a property of A",
      "the uniqueness constraint (gone) of A names gone, which is transient and not stored",
      "the uniqueness constraint (bs) of A names the to-many relationship bs",
      "the fetch index empty of A has no name or no elements",
      "the fetch index gone of A names gone, which is transient and not stored",
      "the fetch index mixed of A mixes binary and R-tree elements",
      "A.bs has the inverse B.nothing, which is not a relationship of B",
      "A.b has the inverse B.a, but that one names other as its inverse",
      "the fetch request lost was left out: it has no entity",
    ] {
      #expect(found.contains { $0.hasPrefix(wanted) }, "\(wanted)")
    }
    let entity = try #require(file.model["A"])
    #expect(entity.uniquenessConstraints == [["text", "b"]])
    #expect(entity.relationship("b")?.inverse == nil && entity.relationship("b")?.isOrdered == false)
    #expect(entity.attribute("small")?.defaultValue == .null && entity.attribute("text")?.regularExpression == nil)
    #expect(file.model.fetchRequestTemplates.keys.sorted() == ["all"])
  }
}

extension ToleratedSource {
  static func index(_ name: String, _ elements: String...) -> String {
    "<fetchIndex name=\"\(name)\">"
      + elements.map { "<fetchIndexElement \($0) type=\"Binary\" order=\"ascending\"/>" }
      .joined() + "</fetchIndex>"
  }

  static func constraint(_ names: String...) -> String {
    "<uniquenessConstraints><uniquenessConstraint>" + names.map { "<constraint value=\"\($0)\"/>" }.joined()
      + "</uniquenessConstraint></uniquenessConstraints>"
  }

  static let all = [
    ToleratedSource("an index over a to-many", index("i", "property=\"many\"")),
    ToleratedSource("an index over the row and its entity", index("i", "expression=\"self\"", "property=\"entity\"")),
    ToleratedSource(
      "a legacy index over entity, self and a to-many",
      "<compoundIndexes><compoundIndex><index value=\"a\"/><index value=\"entity\"/><index value=\"self\"/>"
        + "<index value=\"many\"/></compoundIndex></compoundIndexes>"),
    ToleratedSource(
      "an ordered to-one",
      "<relationship name=\"o\" optional=\"YES\" maxCount=\"1\" ordered=\"YES\" destinationEntity=\"B\"/>"),
    ToleratedSource(
      "an index over what is not there", index("i", "property=\"c\""),
      "the fetch index i of A names c, which is not a property of A; that is left out"),
    ToleratedSource(
      "constraints over what cannot be unique", constraint("b"),
      "the uniqueness constraint (b) of A names b, which is not a property of A; that is left out"),
    ToleratedSource(
      "a constraint over a to-many", constraint("a", "many"),
      "the uniqueness constraint (a, many) of A names the to-many relationship many; that is left out"),
    ToleratedSource(
      "a default above the maximum",
      "<attribute name=\"n\" attributeType=\"Integer 16\" defaultValueString=\"9\" maxValueString=\"5\"/>",
      "the default value of A.n is above its maximum"),
    ToleratedSource(
      "a default that is too short",
      "<attribute name=\"n\" attributeType=\"String\" defaultValueString=\"\" minValueString=\"1\"/>",
      "the default value of A.n is below its minimum"),
    ToleratedSource(
      "limits in the wrong order",
      "<attribute name=\"n\" attributeType=\"Double\" minValueString=\"2\" maxValueString=\"1\"/>",
      "the minimum of A.n is greater than its maximum; that is left out"),
    ToleratedSource(
      "a broken regular expression", "<attribute name=\"n\" attributeType=\"String\" regularExpressionString=\"(\"/>",
      "the regular expression of A.n is not valid: (; that is left out"),
    ToleratedSource(
      "a default that does not fit",
      "<attribute name=\"n\" attributeType=\"Integer 16\" defaultValueString=\"40000\"/>",
      "A.n: defaultValueString=\"40000\" was left out: it does not fit into Integer 16"),
    ToleratedSource(
      "values left from another type",
      "<attribute name=\"n\" attributeType=\"Transformable\" defaultValueString=\"0\"/>\n"
        + "<attribute name=\"m\" attributeType=\"Boolean\" minValueString=\"0\"/>",
      "A.n: defaultValueString=\"0\" was left out: attributes of type Transformable take none",
      "A.m: minValueString=\"0\" was left out: attributes of type Boolean take none"),
    ToleratedSource(
      "a to-many of at most one",
      "<relationship name=\"o\" optional=\"YES\" toMany=\"YES\" maxCount=\"1\" destinationEntity=\"B\"/>",
      "A.o: a maximum count of 1 makes the to-many relationship a to-one"),
    ToleratedSource(
      "counts in the wrong order",
      "<relationship name=\"o\" optional=\"YES\" toMany=\"YES\" minCount=\"3\" maxCount=\"2\" destinationEntity=\"B\"/>",
      "the minimum count of A.o is greater than its maximum count; that is left out"),
    ToleratedSource(
      "an inverse said to be elsewhere",
      "<relationship name=\"o\" optional=\"YES\" maxCount=\"1\" destinationEntity=\"B\" inverseEntity=\"A\"/>",
      "A.o: the inverse is on A but the destination is B, which counts"),
    ToleratedSource(
      "fetched properties and templates without a request, or of unknown entities",
      "<fetchedProperty name=\"f\"/>\n<fetchedProperty name=\"g\"><fetchRequest name=\"g\" entity=\"Z\"/></fetchedProperty>\n"
        + "<fetchedProperty name=\"h\"><fetchRequest name=\"h\"/></fetchedProperty>",
      "A.f: the fetched property has no fetch request and was left out",
      "A.h: the fetch request h has no entity and was left out",
      "the fetched property A.g fetches Z, which is not in the model; that is left out"),
    ToleratedSource(
      "names that classes have taken",
      ["description", "hash", "objectID", "entity", "self", "Z_PK", "class"].map {
        "<attribute name=\"\($0)\" optional=\"YES\" attributeType=\"String\"/>"
      }.joined(separator: "\n"), taken("description"), taken("hash"), taken("objectID"), taken("entity"), taken("self"),
      "the attribute A.Z_PK begins with a capital letter, which Xcode refuses", taken("class")),
  ]

  private static func taken(_ name: String) -> String {
    "A.\(name) has the name of a method of every managed object, which Core Data does not allow"
  }
}
