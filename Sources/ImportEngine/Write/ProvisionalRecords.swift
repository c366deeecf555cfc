import ObjectModel
import Pipelines
import StoreInterface

/// Records of a find-or-create batch that are new and may still be rejected, because an object that they need is not
/// there yet. Their rows can be deleted again; changes that they make to other objects could not be undone, so these
/// wait.
struct ProvisionalRecords {
  private let decoded: DecodedBatch
  /// Records that need objects that are not there yet.
  private let waiting: Set<Int>

  /// - Parameters:
  ///   - isNew: whether a record has no stored object.
  ///   - unresolved: the references of the batch that wait.
  init(_ decoded: DecodedBatch, isNew: (Int) -> Bool, unresolved: [UnresolvedReference]) {
    self.decoded = decoded
    var waiting: Set<Int> = []
    for reference in unresolved where reference.node.plan.references[reference.reference].mustResolve {
      let record = Int(reference.node.records[reference.row])
      if isNew(record) { waiting.insert(record) }
    }
    self.waiting = waiting
  }

  private var nested: [DecodedNode] { decoded.root.withDescendants.dropFirst().filter { !$0.plan.match.isEmpty } }

  /// The records that have to be held back as a whole: those that wait and whose nested objects are stored, or are
  /// another record's too, and those whose nested objects may go again with such a record.
  /// - Parameters:
  ///   - holdsWaiting: whether records that wait themselves are held back; the others always are.
  ///   - mayMeetProvisional: whether a row may still be rejected.
  ///   - isProvisional: whether a row may.
  ///   - find: what the rows of a node match.
  func heldBack(
    holdsWaiting: Bool, mayMeetProvisional: Bool, isProvisional: (RowReference) -> Bool,
    find: (DecodedNode) throws -> [ObjectMatch]
  ) rethrows -> Set<Int> {
    let nested = nested
    if nested.isEmpty || (waiting.isEmpty && !mayMeetProvisional) { return [] }
    var held: Set<Int> = []
    var owners: [[UInt8]: Int] = [:]
    for node in decoded.root.withDescendants where !node.plan.match.isEmpty && !waiting.isEmpty && holdsWaiting {
      for row in 0..<node.batch.count {
        var key = unsafe withUnsafeBytes(of: node.plan.entity.root.index) { unsafe Array($0) }
        guard PayloadKey.append(node, row: row, to: &key) == .key else { continue }
        let record = Int(node.records[row])
        guard let other = owners.updateValue(record, forKey: key), other != record else { continue }
        held.formUnion(waiting.intersection([record, other]))
      }
    }
    for node in nested {
      for (row, match) in try find(node).enumerated() {
        guard let id = match.id, let key = id.primaryKey else { continue }
        let record = Int(node.records[row])
        let object = RowReference(primaryKey: key, entityIndex: node.plan.entity.index)
        if waiting.contains(record) ? holdsWaiting : isProvisional(object) { held.insert(record) }
      }
    }
    return held
  }

  /// Has the references of waiting records wait by which an object would be taken from another one: those whose inverse
  /// is to-one.
  func deferExclusive(_ unresolved: inout [UnresolvedReference]) {
    if waiting.isEmpty { return }
    for node in decoded.root.withDescendants {
      for (index, reference) in node.plan.references.enumerated()
      where reference.relationship.inverse?.isToMany == false {
        let entries = node.keys[index].entries.filter {
          $0.state == .value && waiting.contains(Int(node.records[Int($0.row)]))
        }
        if entries.isEmpty { continue }
        let rows = Set(entries.map { Int($0.row) })
        unresolved.removeAll { $0.node === node && $0.reference == index && rows.contains($0.row) }
        node.removeLinks(ofReference: index, ofRows: rows)
        for entry in entries {
          // Safety: an entry names a row of its batch.
          if let column = reference.column {
            unsafe node.batch.states[column][Int(entry.row)] = RowBatch.State.null.rawValue
          }
          unresolved.append(UnresolvedReference(node: node, row: Int(entry.row), reference: index, entry: entry))
        }
      }
    }
  }
}

/// New records that are held back, and what of them can stand together.
struct HeldRecords {
  private(set) var batches: [DecodedBatch] = []
  var count: Int { batches.reduce(0) { $0 + $1.root.batch.count } }

  mutating func add(_ batch: DecodedBatch) { batches.append(batch) }

  /// Hands over all of them, in input order.
  mutating func release() -> [DecodedBatch] {
    defer { batches = [] }
    return batches
  }

  /// Hands over those that need nothing but stored objects and each other, so that references in a circle can be set.
  /// - Parameters:
  ///   - pending: the references that wait: an object whose record falls with one of them is as good as not stored.
  ///   - steps: all that have begun, by number.
  mutating func releaseStanding(
    _ tables: KeyTables, _ pending: PendingReferences, steps: [any ReferringStep]
  ) throws(RunError) -> [DecodedBatch] {
    if batches.isEmpty { return [] }
    var standing: [(batch: DecodedBatch, records: Set<Int>)] = batches.map {
      ($0, Set($0.root.records.map { Int($0) }))
    }
    while true {
      var keys: Set<HeldKey> = []
      for (batch, records) in standing { Self.addKeys(of: batch, records, tables, to: &keys) }
      var hasFallen = false
      let blocked = try pending.blockedRows(steps) { table, key in
        keys.contains(HeldKey(table: ObjectIdentifier(table), key: key))
      }
      for index in standing.indices {
        let fallen = Self.fallen(standing[index].batch, standing[index].records, tables, keys) {
          blocked.contains(pending.rootReference($0))
        }
        if !fallen.isEmpty { hasFallen = true }
        standing[index].records.subtract(fallen)
      }
      if !hasFallen { break }
    }
    let released = standing.filter { !$0.records.isEmpty }.map { $0.batch.copy(records: $0.records) }
    batches = standing.compactMap { batch, records in
      let rest = Set(batch.root.records.map { Int($0) }).subtracting(records)
      return rest.isEmpty ? nil : batch.copy(records: rest)
    }
    return released
  }

  private struct HeldKey: Hashable {
    var table: ObjectIdentifier
    var key: [UInt8]
  }

  /// The keys by which the objects of some records will be found.
  private static func addKeys(
    of batch: DecodedBatch, _ records: Set<Int>, _ tables: KeyTables, to keys: inout Set<HeldKey>
  ) {
    for node in batch.root.withDescendants {
      for (id, table) in tables.tables(for: node.plan.entity) {
        let columns = id.attributes.compactMap { name in
          node.batch.columns.firstIndex { $0.source == .attribute(name) }
        }
        for row in 0..<node.batch.count where records.contains(Int(node.records[row])) {
          var key: [UInt8] = []
          if id.isByRecordKey {
            guard node.plan.recordKey != nil, node.recordKeys.entries[row].state == .value else { continue }
            key = unsafe node.recordKeys.withKey(node.recordKeys.entries[row]) { unsafe Array($0) }
          } else {
            guard columns.count == id.attributes.count,
              KeyEncoding.append(columns, of: node.batch, row: row, to: &key) == .key
            else { continue }
          }
          keys.insert(HeldKey(table: ObjectIdentifier(table), key: key))
        }
      }
    }
  }

  /// The records that need an object which is neither stored nor one of the keys.
  private static func fallen(
    _ batch: DecodedBatch, _ records: Set<Int>, _ tables: KeyTables, _ keys: Set<HeldKey>,
    isBlocked: (RowReference) -> Bool
  ) -> Set<Int> {
    var fallen: Set<Int> = []
    for node in batch.root.withDescendants {
      for (index, reference) in node.plan.references.enumerated() where reference.mustResolve {
        guard let table = tables[reference.table] else { continue }
        for entry in node.keys[index].entries where entry.state == .value {
          let record = Int(node.records[Int(entry.row)])
          guard records.contains(record) else { continue }
          let key = unsafe node.keys[index].withKey(entry) { unsafe Array($0) }
          if case .row(let row) = unsafe key.withUnsafeBytes({ unsafe table.match($0) }), !isBlocked(row) { continue }
          if !keys.contains(HeldKey(table: ObjectIdentifier(table), key: key)) { fallen.insert(record) }
        }
      }
    }
    return fallen
  }
}
