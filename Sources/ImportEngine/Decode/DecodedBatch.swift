import CoreDataLayout
import ObjectModel
import Pipelines
import SeedFormats
import StoreInterface

/// Rows of one node of a plan, decoded from the records of one batch.
///
/// Unchecked, because one thread has a decoded batch at a time: the worker that decodes it hands it to the writer.
final class DecodedNode: @unchecked Sendable {
  let plan: NodePlan
  let batch: RowBatch
  /// Index of the record that each row comes from.
  var records: [Int32] = []
  /// Nested nodes: the row of the parent node that each row hangs on.
  var owners: [Int32] = []
  /// Per to-one or to-many nested child: whether the parent row had the field at all. Null and absent are told apart,
  /// because null clears the relationship.
  var childStates: [[RowBatch.State]] = []
  var children: [DecodedNode] = []
  /// Per reference: its keys.
  var keys: [ReferenceKeys] = []
  /// Where the step has record keys: one entry per row.
  var recordKeys = ReferenceKeys()
  /// Per to-many reference: the destinations found, filled in when the batch is resolved.
  private(set) var links: [[FoundLink]] = []
  /// Primary key of each row, once known; 0 before.
  private(set) var primaryKeys: [Int64] = []
  /// The model index of each row's own entity, where some rows may be of sub-entities; empty when all are of the
  /// plan's.
  private var ownEntities: [Int] = []
  /// Nested nodes whose objects were made: which rows stand for objects that were stored before.
  private var isStored: [Bool] = []
  /// Rows that can update an object but not become a new one, because something required is absent.
  var insertProblems: [Int32: [RecordProblem]] = [:]

  init(plan: NodePlan, batch: RowBatch) {
    self.plan = plan
    self.batch = batch
  }

  /// This node and those below it, parents first.
  var withDescendants: [DecodedNode] { [self] + children.flatMap(\.withDescendants) }

  /// Rows of this node and of those below it.
  var rowCount: Int { batch.count + children.reduce(0) { $0 + $1.rowCount } }

  /// Forgets the primary keys of all rows, here and below.
  func resetPrimaryKeys() {
    for node in withDescendants { node.setPrimaryKeys([Int64](repeating: 0, count: node.batch.count)) }
  }

  /// The stored row of a row with a primary key: a record may be about an object of a sub-entity.
  func reference(ofRow row: Int) -> RowReference {
    RowReference(
      primaryKey: primaryKeys[row], entityIndex: ownEntities.isEmpty ? plan.entity.index : ownEntities[row])
  }

  /// Notes which rows stand for objects that were stored before; nil for rows of which nothing new is known.
  func noteStoredRows(_ isStored: [Bool?]) {
    if self.isStored.count != isStored.count { self.isStored = isStored.map { $0 ?? false } }
    for (row, isStored) in isStored.enumerated() { if let isStored { self.isStored[row] = isStored } }
  }

  /// Sets the primary keys of the rows.
  /// - Parameter entities: the model index of each row's own entity; empty when all are of the plan's.
  func setPrimaryKeys(_ keys: [Int64], ofEntities entities: [Int] = []) {
    assert(keys.count == batch.count, "a key for each row")
    assert(entities.isEmpty || entities.count == keys.count, "an entity for each row")
    primaryKeys = keys
    ownEntities = entities
  }

  /// Gives the rows keys that follow one another.
  func numberRows(from first: Int64) { setPrimaryKeys((0..<Int64(batch.count)).map { first + $0 }) }

  /// Sets the primary key of one row, and its own entity.
  func setPrimaryKey(_ key: Int64, of entity: Entity, ofRow row: Int) {
    primaryKeys[row] = key
    if ownEntities.isEmpty {
      if entity.index == plan.entity.index { return }
      ownEntities = [Int](repeating: plan.entity.index, count: primaryKeys.count)
    }
    ownEntities[row] = entity.index
  }

  /// Drops the primary keys of rows whose records are not good, here and below.
  func keepPrimaryKeys(records good: [Bool]) {
    ownEntities = zip(ownEntities, records).compactMap { good[Int($1)] ? $0 : nil }
    primaryKeys = zip(primaryKeys, records).compactMap { good[Int($1)] ? $0 : nil }
    for child in children { child.keepPrimaryKeys(records: good) }
  }

  /// Forgets the destinations of all to-many references.
  func clearLinks() { links = plan.references.map { _ in [] } }

  /// Notes that a key of a to-many reference leads to an object.
  func addLink(_ link: FoundLink, ofReference index: Int) { links[index].append(link) }

  /// Removes the destinations of a to-many reference of some rows, which have to wait after all.
  func removeLinks(ofReference index: Int, ofRows rows: Set<Int>) {
    removeLinks(ofReference: index) { rows.contains($0.row) }
  }

  /// Removes some destinations of a to-many reference.
  func removeLinks(ofReference index: Int, where isUnwanted: (FoundLink) -> Bool) {
    links[index].removeAll(where: isUnwanted)
  }

  /// Drops rows of records for which the mask is false, in this node and below it.
  func keep(records good: [Bool]) {
    let mask = records.map { good[Int($0)] }
    guard mask.contains(false) else { return }
    keep(rows: mask, recordMask: good, newRow: nil)
  }

  /// A deep copy.
  func copy() -> DecodedNode {
    let copy = DecodedNode(plan: plan, batch: batch.copy())
    copy.records = records
    copy.owners = owners
    copy.childStates = childStates
    copy.keys = keys
    copy.recordKeys = recordKeys
    copy.insertProblems = insertProblems
    copy.children = children.map { $0.copy() }
    return copy
  }

  /// The rows that some records brought, in this node and below: record → rows with their keys, this node's first.
  func rowsByRecord(_ wanted: [Int]) -> [Int: [RowReference]] {
    let wanted = Set(wanted)
    var found: [Int: [RowReference]] = [:]
    func visit(_ node: DecodedNode) {
      for (row, record) in node.records.enumerated()
      where wanted.contains(Int(record)) && row < node.primaryKeys.count
        && !(row < node.isStored.count && node.isStored[row])
      {
        found[Int(record), default: []].append(node.reference(ofRow: row))
      }
      node.children.forEach(visit)
    }
    visit(self)
    return found
  }

  /// The records of the rows that stand for objects that were stored before, of this node alone.
  var recordsOfStoredRows: [Int] { zip(records, isStored).compactMap { $1 ? Int($0) : nil } }

  private func keep(rows mask: [Bool], recordMask good: [Bool], newRow parentRow: [Int32]?) {
    var renumbered = [Int32](repeating: -1, count: mask.count)
    var next: Int32 = 0
    for row in mask.indices where mask[row] {
      renumbered[row] = next
      next += 1
    }
    batch.keepRows(mask)
    records = filter(records, mask)
    // Once rows have keys.
    if primaryKeys.count == mask.count { primaryKeys = filter(primaryKeys, mask) }
    if ownEntities.count == mask.count { ownEntities = filter(ownEntities, mask) }
    if isStored.count == mask.count { isStored = filter(isStored, mask) }
    if let parentRow { owners = filter(owners, mask).map { parentRow[Int($0)] } }
    for index in childStates.indices { childStates[index] = filter(childStates[index], mask) }
    for index in keys.indices { keys[index].keep(rows: mask, renumbered: renumbered) }
    recordKeys.keep(rows: mask, renumbered: renumbered)
    insertProblems = Dictionary(
      uniqueKeysWithValues: insertProblems.compactMap { row, problems in
        renumbered[Int(row)] < 0 ? nil : (renumbered[Int(row)], problems)
      })
    for child in children {
      child.keep(rows: child.records.map { good[Int($0)] }, recordMask: good, newRow: renumbered)
    }
  }

  private func filter<Element>(_ elements: [Element], _ mask: [Bool]) -> [Element] {
    zip(elements, mask).compactMap { $1 ? $0 : nil }
  }
}

/// The natural keys of one reference, encoded.
struct ReferenceKeys: Sendable {
  /// To-one: one entry per row of the node. To-many: entries in row order, any number per row.
  struct Entry: Sendable {
    var row: Int32
    var state: RowBatch.State
    var offset: UInt32
    var length: UInt32
    /// Where the key stands in its record as written.
    var rawOffset: UInt32
  }
  var entries: [Entry] = []
  var bytes: [UInt8] = []
  /// To-many: whether the row's field was there.
  var states: [RowBatch.State] = []

  mutating func keep(rows mask: [Bool], renumbered: [Int32]) {
    entries = entries.compactMap { entry in
      guard mask[Int(entry.row)] else { return nil }
      var moved = entry
      moved.row = renumbered[Int(entry.row)]
      return moved
    }
    if !states.isEmpty { states = zip(states, mask).compactMap { $1 ? $0 : nil } }
  }

  @inline(__always)
  func withKey<Result>(_ entry: Entry, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    // Safety: an entry says where its key was put; bytes are only ever added behind it.
    try unsafe bytes.withUnsafeBytes { all in
      try unsafe body(
        UnsafeRawBufferPointer(rebasing: all[Int(entry.offset)..<Int(entry.offset) + Int(entry.length)]))
    }
  }
}

/// The result of decoding a record batch. One thread has it at a time, see `DecodedNode`.
final class DecodedBatch: @unchecked Sendable {
  let records: RecordBatch
  /// Index of the source file in the step's list.
  let file: Int
  let root: DecodedNode
  /// Problems by record index; such records have no rows.
  private(set) var problems: [Int: [RecordProblem]] = [:]
  private(set) var filtered = 0
  private(set) var duplicate = 0
  /// References with `missing: null` that lead nowhere, by relationship, once nothing more can come.
  private(set) var leftOut: [String: Int] = [:]
  /// The records of all rows as they are stored, where a worker could make them already.
  var encoded: EncodedRows?
  /// The stored rows that a worker has found for the records' keys, and the references that lead nowhere.
  var lookup: LookedUpRows?
  /// Which of its records need not be looked up among the stored rows, where a first reading has found that out.
  var knownNew: KnownNewRecords?
  /// Whether the scanner's faults were already turned into rejects.
  private(set) var faultsAreDone = false
  /// Whether its records were held back once.
  private(set) var wasHeld = false
  /// Whether the record batch is still needed, so that it must not be filled again.
  var recordsAreRetained = false

  init(records: RecordBatch, file: Int, root: DecodedNode) {
    self.records = records
    self.file = file
    self.root = root
  }

  /// Adds a problem of a record.
  func addProblem(ofRecord record: Int, _ problem: RecordProblem) { problems[record, default: []].append(problem) }

  /// Removes problems that were found later than the given state.
  func restoreProblems(_ earlier: [Int: [RecordProblem]]) { problems = earlier }

  /// Counts a record that `where:` leaves out.
  func noteFiltered() { filtered += 1 }

  /// Counts a record that another one with its key supersedes.
  func noteDuplicate() { duplicate += 1 }

  /// Counts a reference of a relationship that leads nowhere, where its plan allows that.
  func noteReferenceLeftOut(_ relationship: String) { leftOut[relationship, default: 0] += 1 }

  /// Forgets references that lead nowhere, because all are resolved anew.
  func forgetReferencesLeftOut() { leftOut = [:] }

  /// Notes that the records left out by decoding have been counted.
  func forgetLeftOut() {
    filtered = 0
    duplicate = 0
  }

  /// Notes that the scanner's faults have been turned into rejects.
  func forgetRejected() {
    problems = [:]
    faultsAreDone = true
  }

  /// Drops the rows of some records, here and below.
  func drop(records dropped: some Sequence<Int>) {
    var good = [Bool](repeating: true, count: records.count)
    for record in dropped { good[record] = false }
    root.keep(records: good)
  }

  /// A batch of its own with the rows of records that are held back. It shares the record batch, which is not reused
  /// from then on.
  func copy(records wanted: Set<Int>) -> DecodedBatch {
    recordsAreRetained = true
    let copy = DecodedBatch(records: records, file: file, root: root.copy())
    copy.faultsAreDone = true
    copy.wasHeld = true
    copy.root.keep(records: (0..<records.count).map { wanted.contains($0) })
    return copy
  }
}
