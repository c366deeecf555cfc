import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import StoreInterface
import TestStores
import TestSupport
import Testing

/// Uniqueness constraints that have attributes of type Boolean alone.
@Suite("Constraints of Booleans alone")
struct BooleanConstraintTests {
  /// A container over a store of switches, unique by both flags, and of defaults, of which one at most may be the
  /// chosen one.
  private struct World: TestGraph {
    private let folder: TemporaryFolder
    let container: PersistentContainer

    init(_ kind: StoreKind) throws {
      var toggle = EntityDefinition("Toggle")
      toggle.attributes = [.init("left", .boolean), .init("right", .boolean), .init("name", .string)]
      toggle.uniquenessConstraints = [["left", "right"]]
      var choice = EntityDefinition("Choice")
      choice.attributes = [.init("chosen", .boolean), .init("name", .string)]
      choice.uniquenessConstraints = [["chosen"]]
      let model = try ManagedObjectModel(entities: [toggle, choice])
      folder = try TemporaryFolder()
      container = try PersistentContainer(name: "flags", model: model, store: try kind.makeStore(model, in: folder))
    }

    /// `name left right` or `name chosen` of every object of an entity.
    func rows(_ entity: String) throws -> [String] {
      var lines: [String] = []
      try work { context in
        let request = FetchRequest<ManagedObject>(entityName: entity)
        lines = try context.fetch(request).map { object in
          let flags = (entity == "Toggle" ? ["left", "right"] : ["chosen"]).map { object[$0].flag }
          return ([object["name"]?.string ?? "nil"] + flags).joined(separator: " ")
        }
      }
      return lines.sorted()
    }
  }

  private let toggles: [[String: Any]] = [
    ["name": "a", "left": true, "right": true], ["name": "b", "left": true, "right": false],
    ["name": "c", "left": false, "right": false], ["name": "d", "left": false],
    ["name": "e", "left": false, "right": NSNull()],
  ]

  /// - Returns: how many were new.
  @discardableResult
  private func insert(
    _ objects: [[String: Any]], _ entity: String, _ policy: MergePolicy = .error, into world: World
  ) throws -> Int {
    var count = 0
    try world.work(policy) { context in
      count = try context.execute(BatchInsertRequest(entityName: entity, objects: objects)).insertedCount
    }
    return count
  }

  /// - Returns: how many were changed.
  private func update(_ entity: String, _ attribute: String, _ format: String, in world: World) throws -> Int {
    var count = 0
    try world.work { context in
      let update = BatchUpdateRequest(entityName: entity)
      update.propertiesToUpdate = [attribute: FetchExpression(format: format)]
      count = try context.execute(update).count
    }
    return count
  }

  /// Saves new objects with these values.
  private func save(_ objects: [[String: Value]], _ entity: String, _ policy: MergePolicy = .error, in world: World)
    throws
  {
    try world.work(policy) { context in
      for values in objects {
        let object = context.insert(try context.coordinator.model.required(entity))
        for (name, value) in values { object[name] = value }
      }
      try context.save()
    }
  }

  @Test(
    "a batch insertion finds the object with the same flags, and missing flags are like no other",
    arguments: StoreKind.allCases)
  func batch(kind: StoreKind) throws {
    let before = ["a true true", "b true false", "c false false", "d false nil", "e false nil"]
    let after = ["a true true", "c false false", "d false nil", "e false nil", "x true false"]
    let again: [[String: Any]] = [["name": "x", "left": true, "right": false]]
    for policy in [MergePolicy.mergeByPropertyObjectTrump, .overwrite, .mergeByPropertyStoreTrump] {
      let world = try World(kind)
      #expect(try insert(toggles, "Toggle", policy, into: world) == 5)
      #expect(try insert(again, "Toggle", policy, into: world) == 0)
      let keeps = policy === MergePolicy.mergeByPropertyStoreTrump
      #expect(try world.rows("Toggle") == (keeps ? before : after), "\(policy.kind)")
    }
    let world = try World(kind)
    try insert(toggles, "Toggle", into: world)
    #expect(throws: StoreError.self) { try insert(again, "Toggle", into: world) }
    #expect(try world.rows("Toggle") == before)
  }

  @Test("an integer that stands for a flag finds the flag", arguments: StoreKind.allCases)
  func integers(kind: StoreKind) throws {
    let world = try World(kind)
    let rows: [[String: Any]] = [
      ["name": "a", "chosen": true], ["name": "b", "chosen": 1], ["name": "c", "chosen": 0],
      ["name": "d", "chosen": false],
    ]
    #expect(try insert(rows, "Choice", .mergeByPropertyObjectTrump, into: world) == 2)
    #expect(try world.rows("Choice") == ["b true", "d false"])
  }

  @Test("a save resolves conflicts of flags by its merge policy", arguments: StoreKind.allCases)
  func saves(kind: StoreKind) throws {
    let old: [String: Value] = ["name": .string("old"), "chosen": .boolean(true)]
    let new: [String: Value] = ["name": .string("new"), "chosen": .boolean(true)]
    for policy in [MergePolicy.mergeByPropertyObjectTrump, .overwrite, .mergeByPropertyStoreTrump] {
      let world = try World(kind)
      try save([old], "Choice", in: world)
      try save([new], "Choice", policy, in: world)
      let keeps = policy === MergePolicy.mergeByPropertyStoreTrump
      #expect(try world.rows("Choice") == [keeps ? "old true" : "new true"], "\(policy.kind)")
    }
    let world = try World(kind)
    try save([old], "Choice", in: world)
    #expect(throws: (any Error).self) { try save([new], "Choice", in: world) }
    #expect(try world.rows("Choice") == ["old true"])
  }

  @Test(
    "two new objects with the same flags in one save are a conflict, missing flags are none",
    arguments: StoreKind.allCases)
  func together(kind: StoreKind) throws {
    let world = try World(kind)
    func toggle(_ name: String, _ left: Value, _ right: Value = .boolean(false)) -> [String: Value] {
      ["name": .string(name), "left": left, "right": right]
    }
    try save([toggle("a", .boolean(false)), toggle("b", .null), toggle("c", .null)], "Toggle", in: world)
    let same = [toggle("x", .boolean(true)), toggle("y", .boolean(true))]
    #expect(throws: (any Error).self) { try save(same, "Toggle", in: world) }
    #expect(throws: StoreError.self) { try update("Toggle", "left", "NO", in: world) }
    #expect(try world.rows("Toggle") == ["a false false", "b nil false", "c nil false"])
  }

  @Test("flags may be exchanged by an update of all", arguments: StoreKind.allCases)
  func exchange(kind: StoreKind) throws {
    let world = try World(kind)
    try insert([["name": "a", "chosen": true], ["name": "b", "chosen": false]], "Choice", into: world)
    #expect(try update("Choice", "chosen", "TERNARY(chosen == YES, NO, YES)", in: world) == 2)
    #expect(try world.rows("Choice") == ["a false", "b true"])
  }
}

extension Optional<Value> {
  fileprivate var flag: String {
    guard case .boolean(let flag)? = self else { return "nil" }
    return "\(flag)"
  }
}
