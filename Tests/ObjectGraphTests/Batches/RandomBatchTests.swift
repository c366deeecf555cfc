import CoreDataLayout
import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import StoreInterface
import Testing

/// The same batches in the SQLite store (row by row, and with tables written anew), in the in-memory store, and as
/// changes of objects in a context that is saved.
@Suite("Random batches")
struct RandomBatchTests {
  /// - Returns: whether the stores agree.
  private func compare(
    _ world: BatchWorld, _ outcomes: [String], _ what: String, withContext: Bool = true, history: Bool = false
  ) throws -> Bool {
    #expect(Set(outcomes).count == 1, "\(what)")
    let expected = try world.contents(world.oracle)
    let tables = try world.tables(world.stores[0], history: history)
    var isSame = Set(outcomes).count == 1
    for store in world.stores + (withContext ? [world.contextStore] : []) {
      let (found, foundTables) = (try world.contents(store), try world.tables(store, history: history))
      let name = "\(what) \((store.path as NSString).lastPathComponent)"
      #expect(found == expected, "\(name): \(Self.difference(found, expected))")
      #expect(foundTables == tables, "\(name): \(Self.difference(foundTables, tables))")
      isSame = isSame && found == expected && foundTables == tables
    }
    return isSame
  }

  private static func difference(_ left: [String], _ right: [String]) -> String {
    let (left, right) = (Set(left), Set(right))
    return
      "only here \(left.subtracting(right).sorted().prefix(4)), only there \(right.subtracting(left).sorted().prefix(4))"
  }

  private func seal(_ world: BatchWorld) throws {
    let schemas = try (world.stores + [world.contextStore]).map { try world.schema($0) }
    #expect(Set(schemas).count == 1)
    for store in world.stores {
      try store.close()
      let report = try StoreChecker.check(path: store.path, model: world.model)
      // Rules may let references stay that lead nowhere, and relationships begin with as many members as chance gave.
      let allowed: Set<StoreFinding.Code> = [.danglingReference, .toManyCount]
      #expect(report.findings.filter { !allowed.contains($0.code) }.isEmpty, "\(report.findings)")
    }
  }

  @Test("deletions follow the model's rules in every store as objects do in a context", arguments: UInt64(1)...12)
  func deletions(seed: UInt64) throws {
    var world = try BatchWorld(seed: seed, tracksHistory: seed % 4 == 0)
    try world.fill(nodes: 40)
    // Deletions of something, and refused ones.
    var effective = 0
    for round in 0..<8 {
      let selection = try world.selection()
      var batch = StoreBatch(.delete(BatchDeletion(selection)), wantsObjectIDs: true)
      // As the history calls the context that does the same.
      batch.contextName = "batches"
      var outcomes = [batchOutcome { try world.oracle.perform(batch) }]
      for (store, limit) in zip(world.stores, BatchWorld.rebuildsFrom) {
        outcomes.append(batchOutcome { try store.perform(batch, rebuildsFrom: limit) })
      }
      if !outcomes[0].contains("deleted 0") { effective += 1 }
      let context = world.container.newBackgroundContext(name: "batches")
      let inContext = context.performAndWait {
        do {
          for object in try context.fetch(selection) { context.delete(object) }
          try context.save()
          return ""
        } catch let error as ValidationError {
          return error.problems.map(\.code.rawValue).sorted().joined(separator: " ")
        } catch {
          return "\(error)"
        }
      }
      // A context also refuses to save a changed object that leads to a deleted one by a relationship that no rule
      // clears.
      let mayDiffer = inContext.contains("deleted-destination")
      #expect(
        mayDiffer || inContext.isEmpty == outcomes[0].hasPrefix("inserted"),
        "round \(round): \(inContext), \(outcomes[0])")
      let isHistory = world.stores[0].options.tracksHistory
      if try !compare(
        world, outcomes, "round \(round) \(selection.entity.name) \(selection.predicate)", withContext: !mayDiffer,
        history: isHistory) || mayDiffer
      {
        break
      }
    }
    #expect(effective > 0)
    try seal(world)
  }

  /// An update, and what it means for an object.
  private static let updates: [(assignments: [String: FetchExpression], apply: @Sendable (ManagedObject) -> Void)] = [
    (["rank": FetchExpression(format: "rank + 1")], { $0["rank"] = rank($0).map { .integer($0 + 1) } ?? .null }),
    (
      ["name": .constant(.string("new")), "weight": FetchExpression(format: "weight / 2")],
      {
        $0["name"] = .string("new")
        $0["weight"] = weight($0).map { .double($0 / 2) } ?? .null
      }
    ),
    (
      ["rank": FetchExpression(format: "TERNARY(rank > 9, 0, rank * 2)")],
      {
        guard let rank = rank($0) else { return $0["rank"] = .null }
        $0["rank"] = .integer(rank > 9 ? 0 : rank * 2)
      }
    ),
    (
      ["rank": FetchExpression(format: "parent.rank")],
      { object in
        // What the parent had before, which may have been updated meanwhile.
        object["rank"] = before(object.object(for: "parent"), "rank")
      }
    ),
    (
      ["price": .constant(.null), "flag": .constant(.boolean(true))],
      {
        $0["price"] = .null
        $0["flag"] = .boolean(true)
      }
    ),
    (
      ["name": FetchExpression(format: "uppercase:(name)")],
      { object in
        if case .string(let text) = object["name"] { object["name"] = .string(text.uppercased()) }
      }
    ),
    (
      ["code": FetchExpression(format: "code + 1")],
      { object in
        if case .integer(let code) = object["code"] { object["code"] = .integer(code + 1) }
      }
    ),
    (
      ["rank": FetchExpression(format: "children.@count")],
      { object in
        object["rank"] = .integer(Int64((try? object.objects(for: "children").count) ?? -1))
      }
    ),
  ]

  private static func rank(_ object: ManagedObject) -> Int64? { object["rank"]?.integer }
  private static func weight(_ object: ManagedObject) -> Double? { object["weight"]?.double }
  private static func before(_ object: ManagedObject?, _ name: String) -> Value {
    if case .attribute(let value)? = object?.committedPropertyValues(forKeys: [name])[name] { return value }
    return .null
  }

  @Test("updates give every store what they give objects in a context", arguments: UInt64(1)...8)
  func updates(seed: UInt64) throws {
    var world = try BatchWorld(seed: seed &+ 100, hasRules: false, tracksHistory: seed % 4 == 0)
    try world.fill(nodes: 30)
    for round in 0..<8 {
      var selection = try world.selection()
      (selection.sortDescriptors, selection.fetchLimit, selection.fetchOffset) = ([], 0, 0)
      guard selection.entity.root.name == "Node" else { continue }
      let update = Self.updates[world.number(Self.updates.count)]
      let work = StoreBatch.Work.update(BatchUpdate(selection, assignments: update.assignments))
      let wantsIDs = world.number(2) == 0
      var batch = StoreBatch(work, wantsObjectIDs: wantsIDs)
      batch.contextName = "batches"
      var outcomes = [batchOutcome { try world.oracle.perform(batch) }]
      for (store, limit) in zip(world.stores, BatchWorld.rebuildsFrom) {
        outcomes.append(batchOutcome { try store.perform(batch, rebuildsFrom: limit) })
      }
      let context = world.container.newBackgroundContext(name: "batches")
      let inContext = context.performAndWait {
        do {
          for object in try context.fetch(selection) { update.apply(object) }
          try context.save()
          return ""
        } catch { return "\(error)" }
      }
      #expect(inContext.isEmpty == outcomes[0].hasPrefix("inserted"), "round \(round): \(inContext), \(outcomes[0])")
      if try !compare(
        world, outcomes, "round \(round) \(update.assignments) where \(selection.predicate)",
        history: world.stores[0].options.tracksHistory)
      {
        break
      }
    }
    try seal(world)
  }

  @Test("insertions insert, keep, update and replace alike in every store", arguments: UInt64(1)...8)
  func insertions(seed: UInt64) throws {
    var world = try BatchWorld(seed: seed &+ 200, hasRules: false, tracksHistory: seed % 4 == 0)
    try world.fill(nodes: 20)
    for round in 0..<6 {
      let entity = try world.entity(world.number(3) == 0 ? "Leaf" : "Node")
      let rule = BatchInsertion.ConflictRule.allCases[world.number(4)]
      var rows: [[String: BatchRowWriter.Content]] = []
      for index in 0..<world.number(12) {
        let code = rule == .fail ? 1_000 * Int64(round + 1) + Int64(index) : Int64(world.number(30))
        var row: [String: BatchRowWriter.Content] = [:]
        for (name, value) in world.values(code: code) where entity.attribute(name) != nil {
          if name == "code" || world.number(3) > 0 { row[name] = .value(value) }
        }
        if world.number(2) == 0 { row["box"] = .object(world.id(try world.entity("Box"), Int64(1 + world.number(5)))) }
        if world.number(3) == 0 {
          row["parent"] = .object(world.id(try world.entity("Node"), Int64(1 + world.number(22))))
        }
        if world.number(5) == 0 { row["box"] = .value(.null) }
        rows.append(row)
      }
      let size = 1 + world.number(6)
      func batch() -> StoreBatch {
        var writer = BatchRowWriter(entity, capacity: size)
        var rest = rows[...]
        return StoreBatch(
          .insert(
            BatchInsertion(entity, conflictRule: rule) {
              writer.clear()
              while !writer.isFull, let row = rest.popFirst() { try writer.append(row) }
              return writer.batch.count > 0 ? writer.batch : nil
            }), wantsObjectIDs: true)
      }
      var outcomes = [batchOutcome { try world.oracle.perform(batch()) }]
      for store in world.stores { outcomes.append(batchOutcome { try store.perform(batch()) }) }
      // A failed batch may have reserved keys in the oracle, which has no transaction.
      if !outcomes[0].hasPrefix("inserted") {
        #expect(Set(outcomes).count == 1, "round \(round)")
        break
      }
      if try !compare(world, outcomes, "round \(round) \(rule) \(rows)", withContext: false) { break }
    }
    for store in world.stores {
      try store.seal()
      #expect(try StoreChecker.check(path: store.path, model: world.model).isSound)
    }
  }
}
