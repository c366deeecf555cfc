import ObjectGraph
import ObjectModel
import StoreInterface
import TestStores
import TestSupport
import Testing

/// How many members a to-many relationship must have: what "not optional" and the counts of the model mean.
@Suite("Limits of to-many relationships")
struct MemberCountTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var isOptional: Bool
    var least: Int
    var most = 0
    /// The numbers of members, of 0 to 4, that a save accepts.
    var accepted: [Int]
    var testDescription: String { "\(isOptional ? "optional" : "required"), \(least) to \(most)" }
  }

  private static let cases = [
    Case(isOptional: true, least: 0, accepted: [0, 1, 2, 3, 4]),
    Case(isOptional: false, least: 0, accepted: [0, 1, 2, 3, 4]),
    Case(isOptional: false, least: 0, most: 2, accepted: [0, 1, 2]),
    Case(isOptional: false, least: 1, accepted: [1, 2, 3, 4]),
    Case(isOptional: false, least: 2, most: 3, accepted: [2, 3]),
    Case(isOptional: true, least: 2, accepted: [0, 2, 3, 4]),
    Case(isOptional: true, least: 2, most: 3, accepted: [0, 2, 3]),
  ]

  /// Carts with lines that need a cart, and with tags, each with the limits of the case.
  private static func container(_ limits: Case, _ kind: StoreKind, _ folder: TemporaryFolder) throws
    -> PersistentContainer
  {
    var cart = EntityDefinition("Cart")
    var lines = RelationshipDefinition("lines", toMany: "Line", inverse: "cart")
    lines.isOptional = limits.isOptional
    lines.minimumCount = limits.least
    lines.maximumCount = limits.most
    lines.deleteRule = .cascade
    var tags = lines
    tags.name = "tags"
    tags.destinationEntityName = "Tag"
    tags.inverseName = "carts"
    cart.relationships = [lines, tags]
    var line = EntityDefinition("Line")
    line.relationships = [RelationshipDefinition("cart", toOne: "Cart", inverse: "lines")]
    line.relationships[0].isOptional = false
    var tag = EntityDefinition("Tag")
    tag.relationships = [RelationshipDefinition("carts", toMany: "Cart", inverse: "tags")]
    tag.relationships[0].isOptional = false
    let model = try ManagedObjectModel(entities: [cart, line, tag])
    return try PersistentContainer(name: "shop", model: model, store: try kind.makeStore(model, in: folder))
  }

  @Test("a required to-many without a minimum count may be empty; a minimum above zero binds", arguments: cases)
  func counts(limits: Case) throws {
    for kind in StoreKind.allCases {
      let folder = try TemporaryFolder()
      let container = try Self.container(limits, kind, folder)
      let context = container.newBackgroundContext(name: "test")
      try context.performAndWait {
        let model = container.persistentStoreCoordinator.model
        for count in 0...4 {
          let cart = context.insert(try model.required("Cart"))
          for _ in 0..<count { try context.insert(model.required("Line")).setObject(cart, for: "cart") }
          try cart.setObjects((0..<count).map { _ in context.insert(try model.required("Tag")) }, for: "tags")
          if limits.accepted.contains(count) {
            try context.save()
          } else {
            let error = #expect(throws: ValidationError.self) { try context.save() }
            let code: ValidationError.Code = count < limits.least ? .tooFewObjects : .tooManyObjects
            #expect(
              Set(error?.problems.map { "\($0.property ?? "") \($0.code)" } ?? []) == [
                "lines \(code)", "tags \(code)",
              ])
            context.rollback()
          }
        }
        // The limit holds for an object that loses its members later, too.
        if let most = limits.accepted.last(where: { $0 > 0 }) {
          let cart = context.insert(try model.required("Cart"))
          let lines = try (0..<most).map { _ in context.insert(try model.required("Line")) }
          for line in lines { line.setObject(cart, for: "cart") }
          try cart.setObjects((0..<most).map { _ in context.insert(try model.required("Tag")) }, for: "tags")
          try context.save()
          for line in lines { context.delete(line) }
          try cart.setObjects([], for: "tags")
          if limits.accepted.contains(0) {
            try context.save()
          } else {
            #expect(throws: ValidationError.self) { try context.save() }
          }
        }
      }
    }
  }

  @Test("a to-one that is not optional still needs its object")
  func toOne() throws {
    let folder = try TemporaryFolder()
    let container = try Self.container(Self.cases[1], .sqlite, folder)
    let context = container.newBackgroundContext(name: "test")
    try context.performAndWait {
      context.insert(try container.persistentStoreCoordinator.model.required("Line"))
      let error = #expect(throws: ValidationError.self) { try context.save() }
      #expect(error?.problems.map(\.code) == [.missingRelationship])
    }
  }
}
