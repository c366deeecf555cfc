import ModelFiles
import ObjectModel
import Testing

@Suite("Predicates in compiled models become text")
struct ArchivedPredicateTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var text: String
    let node: @Sendable () -> Node
    var testDescription: String { text }

    init(_ text: String, _ node: @escaping @Sendable () -> Node) {
      self.text = text
      self.node = node
    }
  }

  static let one = ModelArchive.constant(.integer(1))

  static let cases = [
    Case("TRUEPREDICATE") { .object("NSTruePredicate", [:]) },
    Case("FALSEPREDICATE") { .object("NSFalsePredicate", [:]) },
    Case("age >= 1") { ModelArchive.compare(ModelArchive.path("age"), 3, one) },
    Case("owner.name < $LIMIT") {
      ModelArchive.compare(ModelArchive.path("owner.name"), 0, ModelArchive.variable("LIMIT"))
    },
    Case("age != 1") {
      ModelArchive.compare(
        ModelArchive.path("age"), 4, one, ["NSNegate": .flag(true)], class: "NSEqualityPredicateOperator")
    },
    Case("ANY tags.name ==[cd] \"a\\\"b\\\\\"") {
      ModelArchive.compare(
        ModelArchive.path("tags.name"), 4, ModelArchive.constant(.text("a\"b\\")),
        ["NSModifier": .integer(2), "NSOptions": .integer(3)], class: "NSEqualityPredicateOperator")
    },
    Case("ALL tags.#size IN {1, 2.5, \"x\", nil}") {
      ModelArchive.compare(
        ModelArchive.path("tags.size"), 10,
        ModelArchive.constant(.array([.integer(1), .real(2.5), .text("x"), .object("NSNull", [:])])),
        ["NSModifier": .integer(1)], class: "NSInPredicateOperator")
    },
    Case("name CONTAINS[c] \"x\"") {
      ModelArchive.compare(
        ModelArchive.path("name"), 99, ModelArchive.constant(.text("x")), ["NSFlags": .integer(1)],
        class: "NSInPredicateOperator")
    },
    Case("SELF BETWEEN {1, age}") {
      ModelArchive.compare(
        ModelArchive.this, 100,
        .object("NSAggregateExpression", ["NSCollection": .array([one, ModelArchive.path("age")])]),
        class: "NSBetweenPredicateOperator")
    },
    Case("due <= CAST(86400.5, \"NSDate\")") {
      ModelArchive.compare(
        ModelArchive.path("due"), 1, ModelArchive.constant(.object("NSDate", ["NS.time": .real(86_400.5)])))
    },
    Case("now() > (age + 1)") {
      ModelArchive.compare(
        ModelArchive.function("now", []), 2, ModelArchive.function("add:to:", [ModelArchive.path("age"), one]))
    },
    Case("count:(tags) == nil") {
      ModelArchive.compare(
        ModelArchive.function("count:", [ModelArchive.path("tags")]), 4, ModelArchive.constant(.null),
        class: "NSEqualityPredicateOperator")
    },
    Case("a == 1 AND (b == 1 OR (NOT c == 1))") {
      func equals(_ name: String) -> Node { ModelArchive.compare(ModelArchive.path(name), 4, one) }
      return ModelArchive.compound(
        1, [equals("a"), ModelArchive.compound(2, [equals("b"), ModelArchive.compound(0, [equals("c")])])])
    },
  ]

  @Test("a template's archived predicate is read as text", arguments: cases)
  func template(_ sample: Case) throws {
    let request = Node.object(
      "NSFetchRequest",
      [
        "NSEntity": .reference(1), "NSPredicate": sample.node(), "NSHasFetchRequestFlags": .flag(true),
        "NSFetchRequestFlags": .integer(30), "NSFetchLimit": .integer(7), "NSBatchSize": .integer(20),
        "NSResultType": .integer(1),
      ])
    var builder = ArchiveBuilder()
    let number = builder.reserve()
    builder.archive(ModelArchive.entity("A", []).1, as: number)
    let root = builder.archive(
      ModelArchive.model([("A", .reference(number))], ["NSFetchRequestTemplates": .dictionary([("found", request)])]))
    let model = try CompiledModelReader.read(archive: builder.finish(root: root)).model
    var expected = FetchRequestTemplate("found", entityName: "A", predicate: sample.text)
    expected.fetchLimit = 7
    expected.fetchBatchSize = 20
    expected.resultType = 1
    #expect(model.fetchRequestTemplates["found"] == expected)
  }

  @Test("what has no text is left out with a warning, and the rest of the model stands")
  func unsupported() throws {
    let request = Node.object(
      "NSFetchRequest", ["NSEntity": .reference(1), "NSPredicate": .object("NSBlockPredicate", [:])])
    var builder = ArchiveBuilder()
    let number = builder.reserve()
    builder.archive(ModelArchive.entity("A", []).1, as: number)
    let root = builder.archive(
      ModelArchive.model([("A", .reference(number))], ["NSFetchRequestTemplates": .dictionary([("found", request)])]))
    let file = try CompiledModelReader.read(archive: builder.finish(root: root), origin: "made.mom")
    #expect(file.model.fetchRequestTemplates.isEmpty && file.model["A"] != nil)
    #expect(
      file.warnings.map(\.description) == [
        "made.mom: the fetch request found was left out: a predicate of the class NSBlockPredicate has no text"
      ])
  }
}
