import Dispatch
import ObjectGraph
import ObjectModel
import Pipelines
import Synchronization

/// Rows of a batch on their way into the store: objects are made of them and validated at once, and written as soon as
/// that is allowed, so that the objects of one batch can be made while those of the batch before are being written.
///
/// Both happen in one piece of work on the context's queue. Its objects must not be used elsewhere from `begin` until
/// `outcome` returns.
final class ObjectSave: @unchecked Sendable {
  let decoded: DecodedBatch
  let plan: StepPlan
  let unresolved: [UnresolvedReference]
  private let context: ManagedObjectContext
  private let target: any ImportTarget
  private let rows: [Int]
  /// Ids of the objects that the records match, by record.
  private let found: [Int: ObjectID]
  /// The records whose objects stay as they are, whatever the records say.
  var keptRecords: Set<Int> { plan.step.onMatch == .keep ? Set(found.keys) : [] }
  /// Whether a transaction is open, which the save is a part of.
  private let isPart: Bool
  private let recordObjects: RecordObjects
  private let findNested: (DecodedNode) throws -> [ObjectMatch]

  private let permission = DispatchSemaphore(value: 0)
  private let isAbandoned = Atomic(false)
  /// Empty when the objects are written or cannot be.
  private let writing = DispatchGroup()
  private let end = DispatchGroup()
  private var result: Result<StepOutcomes, any Error>?
  private var isWritten = false
  /// The records that constraints refuse, where they refuse the save. To be read after `outcome` has thrown.
  private(set) var refusals: ConstraintRefusals?

  private struct Abandoned: Error {}

  init(
    context: ManagedObjectContext, target: any ImportTarget, decoded: DecodedBatch, plan: StepPlan,
    unresolved: [UnresolvedReference], rows: [Int], found: [Int: ObjectID], isPart: Bool,
    recordObjects: RecordObjects, findNested: @escaping (DecodedNode) throws -> [ObjectMatch]
  ) {
    self.context = context
    self.target = target
    self.decoded = decoded
    self.plan = plan
    self.unresolved = unresolved
    self.rows = rows
    self.found = found
    self.isPart = isPart
    self.recordObjects = recordObjects
    self.findNested = findNested
  }

  /// Starts to make the objects.
  func begin() {
    writing.enter()
    end.enter()
    context.perform { [self] in
      result = Result { try run() }
      if !isWritten { writing.leave() }
      end.leave()
    }
  }

  /// Lets the objects be written. To be called once.
  func allow() { permission.signal() }

  /// Cancels the save unless it has begun, and waits for the end of the work.
  func abandon() {
    isAbandoned.store(true, ordering: .releasing)
    permission.signal()
    end.wait()
  }

  /// Waits until the objects are written or cannot be, and returns whether they are.
  func waitUntilWritten() -> Bool {
    writing.wait()
    return isWritten
  }

  /// Waits for the end.
  /// - Throws: the error because of which nothing was saved.
  func outcome() throws -> StepOutcomes {
    end.wait()
    return try result?.get() ?? StepOutcomes()
  }

  private func run() throws -> StepOutcomes {
    var graph = ObjectBatch(
      context: context, decoded: decoded, plan: plan, idSpaces: target.idSpaces, recordObjects: recordObjects,
      unresolved: unresolved)
    for id in found.values { recordObjects.note(id, plan.root.entity) }
    // Held until the objects are read, so that the first fault that fires fills those that follow.
    let matched = context.faults(with: rows.compactMap { found[Int(decoded.root.records[$0])] })
    defer { withExtendedLifetime(matched) {} }
    try graph.matchNested(findNested)
    let partners = try graph.partners(of: rows)
    defer { withExtendedLifetime(partners) {} }
    for row in rows where decoded.problems[Int(decoded.root.records[row])] == nil {
      try graph.apply(row: row, existing: found[Int(decoded.root.records[row])])
    }
    let outcomes = graph.outcomes()
    var isAllowed = false
    do {
      try context.save { write in
        if !isAllowed { permission.wait() }
        isAllowed = true
        if isAbandoned.load(ordering: .acquiring) { throw Abandoned() }
        try isPart ? write() : target.inTransaction(write)
        noteWritten()
      }
    } catch let error as SaveConflictError {
      refusals = ConstraintRefusals(error, records: graph.recordsByObject)
      throw error
    }
    // A context without changes writes nothing.
    if !isAllowed { permission.wait() }
    if !isWritten { noteWritten() }
    graph.notePrimaryKeys()
    return outcomes
  }

  private func noteWritten() {
    isWritten = true
    writing.leave()
  }
}
