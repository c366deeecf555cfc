import Diagnostics
import Foundation
import ObjectGraph
import ObjectModel
import Pipelines
import Predicates
import StoreInterface

/// Writes records through private-queue contexts, one context and one save per batch: the way with full object-graph
/// semantics. Objects are found with one `IN` fetch per batch.
final class ObjectWriter {
  private let container: PersistentContainer
  private let target: any ImportTarget
  private let tables: KeyTables
  /// The context of the batch at hand, which `existing` has filled.
  private var current: ManagedObjectContext?
  /// Ids of the objects that the batch's records match, by record.
  private var foundByRecord: [Int: ObjectID] = [:]

  init(target: any ImportTarget, tables: KeyTables) throws {
    self.target = target
    self.tables = tables
    container = try PersistentContainer(name: "seedbed.import", model: target.model, store: target)
  }

  /// The requests of its contexts to the target.
  var counts: PerformanceCounts { container.persistentStoreCoordinator.counters.current }

  /// A context for one batch: nothing that it loads or saves is kept for others.
  private func newContext() -> ManagedObjectContext {
    let context = container.newBackgroundContext()
    context.stalenessInterval = 0
    // A run raises the versions of owners once, at its end.
    context.updatesOwners = false
    return context
  }

  /// Finds the objects that a batch's records match.
  /// - Parameter isNew: rows whose keys no stored object has, as a scan has found: they are not looked up.
  func existing(_ node: DecodedNode, plan: StepPlan, isNew: (Int) -> Bool) throws -> ExistingObjects {
    let context = newContext()
    current = context
    foundByRecord = [:]
    guard !plan.root.match.isEmpty, node.batch.count > 0 else {
      return ExistingObjects(rows: Array(repeating: nil, count: node.batch.count))
    }
    let found = try context.performAndWait { () throws -> [ObjectMatch] in
      try find(node, rows: Array(0..<node.batch.count), isNew: isNew, in: context)
    }
    var existing = ExistingObjects(rows: found.map(\.row))
    for (row, match) in found.enumerated() {
      if let id = match.id { foundByRecord[Int(node.records[row])] = id }
      if match.isAmbiguous { existing.ambiguous.append(row) }
    }
    return existing
  }

  /// The stored objects that the rows of a node match by their keys.
  func matches(of node: DecodedNode) throws -> [ObjectMatch] {
    let context = newContext()
    return try context.performAndWait { try find(node, rows: Array(0..<node.batch.count), in: context) }
  }

  /// The objects that some rows of a node match by their keys.
  private func find(
    _ node: DecodedNode, rows: [Int], isNew: (Int) -> Bool = { _ in false }, in context: ManagedObjectContext
  ) throws -> [ObjectMatch] {
    let columns = node.plan.matchColumns
    // The store is not asked in vain, for it may be writing the batch before.
    if rows.allSatisfy(isNew) { return Array(repeating: ObjectMatch(), count: rows.count) }
    guard let names = node.plan.matchAttributes else {
      // A key with a relationship: the store looks the foreign keys up.
      var ambiguous: [Int] = []
      let keys = try target.primaryKeys(
        matching: node.batch, keyColumns: columns, isNew: isNew, ambiguous: &ambiguous)
      let found = try target.rows(of: node.plan.entity, primaryKeys: keys)
      let isAmbiguous = Set(ambiguous)
      return rows.map { row in
        ObjectMatch(
          id: found[row].map { ObjectID(space: target.idSpaces[$0.entityIndex], primaryKey: $0.primaryKey) },
          isAmbiguous: isAmbiguous.contains(row))
      }
    }
    let tuples = rows.map { row in isNew(row) ? [.null] : columns.map { node.value(column: $0, row: row) } }
    let found = try context.matches(
      of: tuples.filter { !$0.contains(.null) }, by: names, entity: node.plan.entity)
    return tuples.map { tuple in tuple.contains(.null) ? ObjectMatch() : found[ValueTuple(tuple)] ?? ObjectMatch() }
  }

  /// Begins to make objects of the rows of the batch that `existing` was asked about, on the queue of their context.
  /// They are saved when they may be, and `finish` waits for that.
  /// - Parameter unresolved: references that are set later; mandatory ones are not checked yet.
  func begin(_ decoded: DecodedBatch, plan: StepPlan, unresolved: [UnresolvedReference]) -> ObjectSave {
    decoded.root.resetPrimaryKeys()
    let save = makeSave(
      Array(0..<decoded.root.batch.count), of: decoded, plan: plan, unresolved: unresolved, found: foundByRecord,
      in: current ?? newContext())
    current = nil
    foundByRecord = [:]
    save.begin()
    return save
  }

  /// Waits until the save is over. Records that the store refuses get a problem.
  func finish(_ save: ObjectSave) throws -> StepOutcomes {
    var result = StepOutcomes()
    do {
      result = try save.outcome()
    } catch let error where Self.isAboutObjects(error) {
      result = try writeInParts(save)
    }
    let kept = save.keptRecords
    for node in save.decoded.root.withDescendants { tables.register(node) { !kept.contains(Int(node.records[$0])) } }
    return result
  }

  /// Some records spoil the save of their batch. Those that constraints refuse are left out where the others can be
  /// written then; else the batch is halved, and again, to find which they are, all in one transaction. A part is saved
  /// before what stands behind it, so that of two records that exclude each other the later one is refused.
  private func writeInParts(_ save: ObjectSave) throws -> StepOutcomes {
    let decoded = save.decoded
    var result = StepOutcomes()
    try target.inTransaction {
      var parts: [Range<Int>] = []
      func divide(_ part: Range<Int>, refused refusals: ConstraintRefusals?) throws {
        if let refusals, let outcomes = try write(part, of: save, without: refusals) {
          result += outcomes
        } else {
          parts += halves(of: part)
        }
      }
      try divide(0..<decoded.root.batch.count, refused: save.refusals)
      while let part = parts.popLast() {
        let attempt = try beginSave(of: part, of: save)
        do {
          result += try attempt.outcome()
        } catch let error where Self.isAboutObjects(error) {
          if part.count == 1 {
            let record = Int(decoded.root.records[part.lowerBound])
            let rules = (error as? ValidationError)?.problems ?? []
            decoded.addProblem(
              ofRecord: record, decoded.insertProblem(ofRecord: record, breaking: rules) ?? Self.problem(error))
          } else {
            try divide(part, refused: attempt.refusals)
          }
        }
      }
    }
    return result
  }

  /// Saves some of a batch's rows but for those of refused records, which get problems.
  /// - Returns: nil where the others cannot be written either: then nothing is refused yet.
  private func write(
    _ part: Range<Int>, of save: ObjectSave, without refusals: ConstraintRefusals
  ) throws -> StepOutcomes? {
    if refusals.byRecord.isEmpty { return nil }
    let before = save.decoded.problems
    for (record, refusal) in refusals.byRecord { save.decoded.addProblem(ofRecord: record, Self.problem(refusal)) }
    do {
      return try beginSave(of: part, of: save).outcome()
    } catch let error where Self.isAboutObjects(error) {
      save.decoded.restoreProblems(before)
      return nil
    }
  }

  /// Both halves, the first one last.
  private func halves(of part: Range<Int>) -> [Range<Int>] {
    if part.count < 2 { return [part] }
    let middle = part.lowerBound + part.count / 2
    return [middle..<part.upperBound, part.lowerBound..<middle]
  }

  /// Begins to save those of some rows of a batch whose records have no problems.
  private func beginSave(of part: Range<Int>, of save: ObjectSave) throws -> ObjectSave {
    let root = save.decoded.root
    let rows = Array(part)
    let context = newContext()
    // An earlier record may have brought an object since the batch was looked up.
    let found = try context.performAndWait { () throws -> [Int: ObjectID] in
      if save.plan.root.match.isEmpty { return [:] }
      let matches = try find(root, rows: rows, in: context)
      return Dictionary(
        zip(rows, matches).compactMap { row, match in match.id.map { (Int(root.records[row]), $0) } },
        uniquingKeysWith: { first, _ in first })
    }
    let attempt = makeSave(
      rows, of: save.decoded, plan: save.plan, unresolved: save.unresolved, found: found, in: context, isPart: true)
    attempt.begin()
    attempt.allow()
    return attempt
  }

  private func makeSave(
    _ rows: [Int], of decoded: DecodedBatch, plan: StepPlan, unresolved: [UnresolvedReference],
    found: [Int: ObjectID], in context: ManagedObjectContext, isPart: Bool = false
  ) -> ObjectSave {
    ObjectSave(
      context: context, target: target, decoded: decoded, plan: plan, unresolved: unresolved, rows: rows, found: found,
      isPart: isPart, recordObjects: tables.recordObjects
    ) { [unowned self] node in
      try find(node, rows: Array(0..<node.batch.count), in: context)
    }
  }

  private static func isAboutObjects(_ error: any Error) -> Bool {
    if error is ValidationError { return true }
    return (error as? SaveConflictError)?.constraintConflicts.isEmpty == false
  }

  private static func problem(_ error: any Error) -> RecordProblem {
    if let error = error as? ValidationError, let first = error.problems.first {
      return RecordProblem(
        rawOffset: nil, property: first.property ?? "", code: "validation.\(first.code.rawValue)", value: "",
        message: error.problems.map { "\($0.entity).\($0.property ?? ""): \($0.message)" }.joined(separator: "; "),
        hint: "the model sets this rule")
    }
    if let error = error as? SaveConflictError, let refusal = ConstraintRefusals.Refusal(alone: error) {
      return problem(refusal)
    }
    return RecordProblem(rawOffset: nil, property: "", code: "object.refused", value: "", message: "\(error)", hint: "")
  }

  /// A record whose object would have the values of another one: rows of all entities of a hierarchy share a table, and
  /// its unique indexes.
  private static func problem(_ refusal: ConstraintRefusals.Refusal) -> RecordProblem {
    let names = refusal.conflict.constraint
    let holder =
      refusal.holder == refusal.own ? "another \(refusal.own.name)" : "an object of \(refusal.holder.name)"
    return RecordProblem(
      rawOffset: nil, property: names.joined(separator: "+"), code: "constraint.conflict",
      value: names.map { refusal.conflict.constraintPropertyValues[$0].map(shown) ?? "" }.joined(separator: ", "),
      message: "\(holder) has the same \(names.joined(separator: ", "))",
      hint: "match by that constraint")
  }

  private static func shown(_ value: PropertyValue) -> String {
    value.value?.rejectText ?? value.description
  }

  /// Sets relationships between stored objects, inverses included. The pairs of an object's ordered relationship stand
  /// together and are all of its members, in order, unless they are added to those that it has.
  func relate(
    _ relationship: Relationship, pairs: [(row: RowReference, destination: RowReference)], adds: Bool
  ) throws {
    let context = newContext()
    let idSpaces = target.idSpaces
    func id(_ row: RowReference) -> ObjectID {
      ObjectID(space: idSpaces[row.entityIndex], primaryKey: row.primaryKey)
    }
    try context.performAndWait { () throws -> Void in
      // Held until they are saved, so that they are loaded with one fetch, and once.
      var loaded = try context.objects(with: pairs.map { id($0.row) })
      if relationship.isOneToOne { loaded += try context.objects(with: pairs.map { id($0.destination) }) }
      defer { withExtendedLifetime(loaded) {} }
      if relationship.isToMany, relationship.isOrdered, !adds {
        var start = 0
        while start < pairs.count {
          let end = pairs[start...].firstIndex { $0.row != pairs[start].row } ?? pairs.count
          let members = pairs[start..<end].map { context.object(with: id($0.destination)) }
          deferMissing(of: context.object(with: id(pairs[start].row)), besides: relationship)
          if let inverse = relationship.inverse {
            for member in members { deferMissing(of: member, besides: inverse) }
          }
          try context.object(with: id(pairs[start].row)).setObjects(members, for: relationship.name)
          start = end
        }
        return try context.save()
      }
      for pair in pairs {
        let object = context.object(with: id(pair.row))
        let destination = context.object(with: id(pair.destination))
        deferMissing(of: object, besides: relationship)
        if let inverse = relationship.inverse { deferMissing(of: destination, besides: inverse) }
        if relationship.isToMany {
          try object.add(destination, to: relationship.name)
        } else {
          object.setObjectID(id(pair.destination), for: relationship.name)
        }
      }
      try context.save()
    }
  }

  /// Puts off the check that an object has its other required destinations: where a stored object lacks one, a
  /// reference that waits sets it in the same turn.
  private func deferMissing(of object: ManagedObject, besides relationship: Relationship) {
    for other in object.entity.relationships
    where other.requiresDestination && other.name != relationship.name && object.objectID(for: other.name) == nil {
      object.deferredRelationships.insert(other.name)
    }
  }
}
