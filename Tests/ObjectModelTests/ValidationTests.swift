import Foundation
import ObjectModel
import Testing

/// Two entities, A (attribute a, relationship r) and B (attribute b, relationship q, the inverse of r), with a change
/// that breaks them.
struct BrokenModel: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var change: @Sendable (inout EntityDefinition, inout EntityDefinition) -> Void
  var code: ModelError.Code
  var message: String

  init(
    _ name: String, _ code: ModelError.Code, _ message: String,
    _ change: @escaping @Sendable (inout EntityDefinition, inout EntityDefinition) -> Void
  ) {
    testDescription = name
    self.change = change
    self.code = code
    self.message = message
  }
}

@Suite("Mistakes in models built in code")
struct ValidationTests {
  static func pair() -> (EntityDefinition, EntityDefinition) {
    var first = EntityDefinition("A")
    first.attributes = [AttributeDefinition("a", .string)]
    first.relationships = [RelationshipDefinition("r", toMany: "B", inverse: "q")]
    var second = EntityDefinition("B")
    second.attributes = [AttributeDefinition("b", .integer16)]
    second.relationships = [RelationshipDefinition("q", toOne: "A", inverse: "r")]
    return (first, second)
  }

  func problems(
    _ entities: [EntityDefinition], configurations: [String: [String]] = [:], templates: [FetchRequestTemplate] = []
  ) -> [ModelError.Problem] {
    do {
      _ = try ManagedObjectModel(
        entities: entities, configurations: configurations, fetchRequestTemplates: templates)
      return []
    } catch {
      return error.problems
    }
  }

  @Test("each mistake is reported once, with its code and what to do", arguments: BrokenModel.all)
  func broken(model: BrokenModel) {
    var (first, second) = Self.pair()
    model.change(&first, &second)
    let found = problems([first, second])
    #expect(found.map(\.message) == [model.message])
    #expect(found.first?.code == model.code)
    #expect(found.first?.hint?.isEmpty == false)
  }

  @Test("all mistakes are reported together, and a sound model has none")
  func together() {
    var (first, second) = Self.pair()
    #expect(problems([first, second]).isEmpty)
    first.superentityName = "Z"
    second.attributes[0].name = "1b"
    let found = problems(
      [first, second, first], configurations: ["C": ["a"]],
      templates: [FetchRequestTemplate("t", entityName: "Y"), FetchRequestTemplate("t", entityName: "A")])
    #expect(
      found.map(\.message) == [
        "there is more than one entity named A", "A has the parent entity Z, which is not in the model",
        "A has the parent entity Z, which is not in the model", "\"1b\" is not a valid property name (B)",
        "the fetch request template t fetches Y, which is not in the model",
        "there is more than one fetch request template named t",
        "the configuration C lists the entity a, which is not in the model",
      ])
    #expect(found.last?.hint == "did you mean A?")
  }

  @Test("cycles of parents are found wherever one starts, each once")
  func cycles() {
    func entity(_ name: String, _ parent: String?) -> EntityDefinition {
      var entity = EntityDefinition(name)
      entity.superentityName = parent
      return entity
    }
    let found = problems([
      entity("A", "B"), entity("B", "C"), entity("C", "B"), entity("D", "D"), entity("E", "A"), entity("F", nil),
    ])
    #expect(
      found.map(\.message) == [
        "the parents of B form a cycle: B → C → B", "the parents of D form a cycle: D → D",
      ])
  }

  @Test("a long line of parents is no trouble")
  func depth() throws {
    let entities = (0..<2_000).map { number in
      var entity = EntityDefinition("E\(number)")
      if number > 0 { entity.superentityName = "E\(number - 1)" }
      return entity
    }
    let model = try ManagedObjectModel(entities: entities)
    #expect(model["E1999"]?.root.name == "E0")
  }

  @Test("names may have letters of any script, digits and underscores")
  func names() {
    for name in ["a", "_a", "a1", "größe", "名前", "A_b"] {
      #expect(problems([EntityDefinition(name)]).isEmpty, "\(name)")
    }
    for name in ["", "1a", "a b", "a-b", "a.b", "😀", "a\n"] {
      #expect(problems([EntityDefinition(name)]).map(\.code) == [.invalidName], "\(name)")
    }
  }
}

extension BrokenModel {
  static let all = [
    BrokenModel("an unknown destination", .unknownEntity, "A.s has the destination b, which is not in the model") {
      first, _ in first.relationships.append(RelationshipDefinition("s", toOne: "b"))
    },
    BrokenModel("a property twice", .duplicateName, "A has more than one property named a") { first, _ in
      first.relationships.append(RelationshipDefinition("a", toOne: "B"))
    },
    BrokenModel(
      "the name of an inherited property", .duplicateName, "B.a has the name of a property inherited from A"
    ) { first, second in
      second.superentityName = first.name
      second.attributes[0].name = "a"
    },
    BrokenModel(
      "an inverse that leads elsewhere", .inverseMismatch,
      "A.s has the inverse B.q, but that one names r as its inverse"
    ) { first, _ in first.relationships.append(RelationshipDefinition("s", toOne: "B", inverse: "q")) },
    BrokenModel(
      "an inverse to another entity", .inverseMismatch, "A.s has the inverse B.t, but that one leads to B, not to A"
    ) { first, second in
      first.relationships.append(RelationshipDefinition("s", toOne: "B", inverse: "t"))
      second.relationships.append(RelationshipDefinition("s", toOne: "B", inverse: "t"))
      second.relationships.append(RelationshipDefinition("t", toOne: "B", inverse: "s"))
    },
    BrokenModel(
      "a to-one with a maximum of 2", .invalidCount, "the to-one relationship B.q has a maximum count of 2"
    ) { _, second in second.relationships[0].maximumCount = 2 },
    BrokenModel(
      "a to-many with a maximum of 1", .invalidCount, "the to-many relationship A.r has a maximum count of 1"
    ) { first, _ in first.relationships[0].maximumCount = 1 },
    BrokenModel(
      "a to-one with a minimum of 2", .invalidCount, "the to-one relationship B.q has a minimum count of 2"
    ) { _, second in second.relationships[0].minimumCount = 2 },
    BrokenModel("a minimum over the maximum", .invalidAttribute, "the minimum of B.b is greater than its maximum") {
      _, second in
      second.attributes[0].minimumValue = .integer(2)
      second.attributes[0].maximumValue = .integer(1)
    },
    BrokenModel("a default of another type", .invalidAttribute, "the default value of B.b does not fit its type") {
      _, second in second.attributes[0].defaultValue = .integer(40_000)
    },
    BrokenModel("a bound of another type", .invalidAttribute, "the maximum of A.a does not fit its type") {
      first, _ in first.attributes[0].maximumValue = .string("z")
    },
    BrokenModel(
      "a regular expression on a number", .invalidAttribute, "B.b has a regular expression but is not a String"
    ) { _, second in second.attributes[0].regularExpression = "x" },
    BrokenModel(
      "a derived attribute without expression", .invalidAttribute,
      "the derived attribute B.b has no derivation expression"
    ) { _, second in second.attributes[0].derivation = AttributeDefinition.Derivation(expression: " ") },
    BrokenModel(
      "a composite without type", .invalidComposite, "A.a is a Composite but names no composite type"
    ) { first, _ in first.attributes[0].type = .composite },
    BrokenModel(
      "an element twice", .duplicateName, "the composite C has more than one element named x"
    ) { first, _ in
      let element = AttributeDefinition("x", .string)
      first.attributes[0].type = .composite
      first.attributes[0].composite = .init(name: "C", elements: [element, element])
    },
    BrokenModel("an empty constraint", .invalidConstraint, "a uniqueness constraint of A is empty") { first, _ in
      first.uniquenessConstraints = [[]]
    },
    BrokenModel(
      "a constraint over a to-many", .invalidConstraint,
      "the uniqueness constraint (a, r) of A names the to-many relationship r"
    ) { first, _ in first.uniquenessConstraints = [["a", "r"]] },
    BrokenModel(
      "a constraint over what is not there", .unknownProperty,
      "the uniqueness constraint (A) of A names A, which is not a property of A"
    ) { first, _ in first.uniquenessConstraints = [["A"]] },
    BrokenModel(
      "a constraint over a transient attribute", .invalidConstraint,
      "the uniqueness constraint (a) of A names a, which is transient and not stored"
    ) { first, _ in
      first.attributes[0].isTransient = true
      first.uniquenessConstraints = [["a"]]
    },
    BrokenModel(
      "an index without elements", .invalidFetchIndex, "the fetch index i of A has no name or no elements"
    ) { first, _ in first.fetchIndexes = [FetchIndexDefinition("i", elements: [])] },
    BrokenModel(
      "an index whose name SQL would not take as it is", .invalidName,
      "\"by-name\" is not a valid name of a fetch index (A)"
    ) { first, _ in first.fetchIndexes = [FetchIndexDefinition("by-name", elements: [.init(.property("a"))])] },
    BrokenModel(
      "an index over what is not there", .unknownProperty,
      "the fetch index i of A names a.b, which is not a single stored value"
    ) { first, _ in first.fetchIndexes = [FetchIndexDefinition("i", elements: [.init(.property("a.b"))])] },
    BrokenModel(
      "a fetched property of an unknown entity", .unknownEntity,
      "the fetched property A.f fetches Z, which is not in the model"
    ) { first, _ in
      first.fetchedProperties = [
        FetchedPropertyDefinition("f", fetchRequest: FetchRequestTemplate("f", entityName: "Z"))
      ]
    },
  ]
}
