import StoreInterface

/// The keys by which objects of records that are held back will be found.
struct HeldObjectKeys {
  private struct Key: Hashable {
    var table: ObjectIdentifier
    var bytes: [UInt8]
  }
  private var keys: Set<Key> = []
  /// Those that several new objects will have: nothing can be found by them.
  private var ambiguous: Set<Key> = []

  func contains(_ table: KeyTable, _ key: [UInt8]) -> Bool {
    if keys.isEmpty { return false }
    let key = Key(table: ObjectIdentifier(table), bytes: key)
    return keys.contains(key) && !ambiguous.contains(key)
  }

  /// The keys of the held records that can stand together: those that need nothing but stored objects and each other.
  /// - Parameters:
  ///   - pending: the references that wait: an object whose record falls with one of them is as good as not stored.
  ///   - steps: all that have begun, by number.
  static func standing(
    _ batches: [DecodedBatch], _ tables: KeyTables, _ pending: PendingReferences, steps: [any ReferringStep]
  ) throws -> HeldObjectKeys {
    var standing = batches.map { (batch: $0, records: Set($0.root.records.map { Int($0) })) }
    while true {
      var keys = HeldObjectKeys()
      for (batch, records) in standing { keys.add(batch, records, tables) }
      let blocked = try pending.rowsThatFall(ReferencePlaces(steps, tables), isToCome: keys.contains)
      var hasFallen = false
      for index in standing.indices {
        let fallen = keys.fallen(standing[index].batch, standing[index].records, tables) {
          blocked.contains(pending.rootReference($0))
        }
        if !fallen.isEmpty { hasFallen = true }
        standing[index].records.subtract(fallen)
      }
      if !hasFallen { return keys }
    }
  }

  private mutating func add(_ batch: DecodedBatch, _ records: Set<Int>, _ tables: KeyTables) {
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
          let entry = Key(table: ObjectIdentifier(table), bytes: key)
          if !keys.insert(entry).inserted, node.plan.match.isEmpty { ambiguous.insert(entry) }
        }
      }
    }
  }

  /// The records that need an object which is neither stored nor under one of the keys.
  private func fallen(
    _ batch: DecodedBatch, _ records: Set<Int>, _ tables: KeyTables, isBlocked: (RowReference) -> Bool
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
          if !contains(table, key) { fallen.insert(record) }
        }
      }
    }
    return fallen
  }
}
