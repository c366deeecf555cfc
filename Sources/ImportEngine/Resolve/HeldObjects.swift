import ObjectModel
import StoreInterface

/// The objects that held records would change or bring. A record that comes after such a record must not be written
/// before it where both are about one object: the last one counts.
struct HeldObjects {
  private enum Identity: Hashable {
    /// A stored object, by its raw root reference.
    case row(UInt64)
    /// An object by its match key, in the root of its entity's hierarchy.
    case key(entity: Int, properties: [String], bytes: [UInt8])
  }

  /// What a record says of an object.
  private enum Statement: Equatable {
    /// These values, of an object that other objects may have as well. Whichever of two records with the same ones
    /// comes last, the object is the same.
    case values([UInt8])
    /// Its relationships too.
    case whole
  }
  /// By the object, then by the number of the step that holds it.
  private var statements: [Identity: [Int: Statement]] = [:]
  /// The match keys of objects that were not stored when their records were held.
  private var newKeys: Set<Identity> = []

  var isEmpty: Bool { statements.isEmpty }

  /// Whether records are held that bring objects of an entity's hierarchy.
  func hasNew(_ entity: Entity) -> Bool {
    newKeys.contains { if case .key(entity.root.index, _, _) = $0 { true } else { false } }
  }

  /// Notes the objects of some records of a batch, which a step holds.
  mutating func note(_ batch: DecodedBatch, _ stored: StoredRowReferences, _ records: Set<Int>, step: Int) {
    Self.forEachObject(batch, stored) { record, identities, statement in
      guard records.contains(record) else { return }
      for identity in identities {
        let known = statements[identity]?[step]
        statements[identity, default: [:]][step] = known == nil || known == statement ? statement : .whole
        if identities.count == 1, case .key = identity { newKeys.insert(identity) }
      }
    }
  }

  /// Forgets what a step holds: it tries its records again.
  mutating func remove(step: Int) {
    statements = statements.compactMapValues { steps in
      var rest = steps
      rest[step] = nil
      return rest.isEmpty ? nil : rest
    }
    newKeys = newKeys.filter { statements[$0] != nil }
  }

  /// The records of a step's batch that say anything else of an object than a record which that step or one before it
  /// holds.
  func records(of batch: DecodedBatch, _ stored: StoredRowReferences, step: Int) -> Set<Int> {
    if statements.isEmpty { return [] }
    var found: Set<Int> = []
    Self.forEachObject(batch, stored) { record, identities, statement in
      for identity in identities {
        guard let holders = statements[identity] else { continue }
        if holders.contains(where: { $0.key <= step && ($0.value != statement || statement == .whole) }) {
          found.insert(record)
        }
      }
    }
    return found
  }

  /// The records of a batch that come after some others of it and say anything else of one of their objects, or after
  /// another such record.
  static func records(of batch: DecodedBatch, _ stored: StoredRowReferences, behind first: Set<Int>) -> Set<Int> {
    var byRecord: [Int: [(Identity, Statement)]] = [:]
    forEachObject(batch, stored) { record, identities, statement in
      byRecord[record, default: []] += identities.map { ($0, statement) }
    }
    var held: [Identity: Statement] = [:]
    var found: Set<Int> = []
    for record in byRecord.keys.sorted() {
      let objects = byRecord[record] ?? []
      let isBehind = objects.contains { identity, statement in
        held[identity].map { $0 != statement || statement == .whole } ?? false
      }
      if isBehind { found.insert(record) }
      guard isBehind || first.contains(record) else { continue }
      for (identity, statement) in objects {
        let known = held[identity]
        held[identity] = known == nil || known == statement ? statement : .whole
      }
    }
    return found
  }

  /// Calls `body` with the record, the identities and the statement of each object of a batch.
  private static func forEachObject(
    _ batch: DecodedBatch, _ stored: StoredRowReferences, _ body: (Int, [Identity], Statement) -> Void
  ) {
    var index = 0
    func visit(_ node: DecodedNode, isShared: Bool) {
      let rows = stored.rows(ofNode: index)
      index += 1
      let isWhole =
        !isShared || !node.children.isEmpty || node.plan.references.contains { $0.relationship.isToMany }
      for row in 0..<node.batch.count {
        var identities: [Identity] = []
        var bytes: [UInt8] = []
        if !node.plan.match.isEmpty, MatchKey.append(node, row: row, to: &bytes) == .key {
          identities.append(
            .key(entity: node.plan.entity.root.index, properties: node.plan.matchProperties, bytes: bytes))
        }
        if row < rows.count, rows[row] != 0 { identities.append(.row(rows[row])) }
        if identities.isEmpty { continue }
        body(Int(node.records[row]), identities, isWhole ? .whole : .values(values(of: node, row)))
      }
      for (child, nested) in zip(node.plan.children, node.children) {
        // Where an object has one owner, the record says which.
        visit(nested, isShared: child.relationship.inverse?.isToMany != false)
      }
    }
    visit(batch.root, isShared: false)
  }

  /// All that a row without to-many references says, with its shape: no two rows that differ have the same bytes.
  private static func values(of node: DecodedNode, _ row: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    func append(_ count: Int) { unsafe withUnsafeBytes(of: count) { unsafe bytes.append(contentsOf: $0) } }
    for column in node.batch.columns.indices {
      // Safety: the column is one of the batch's own, and callers name a row under its count.
      unsafe bytes.append(node.batch.states[column][row])
      var cell: [UInt8] = []
      if KeyEncoding.append([column], of: node.batch, row: row, to: &cell) == .key {
        append(cell.count)
        bytes += cell
      }
    }
    // A to-one reference has an entry for each row.
    for keys in node.keys {
      let entry = keys.entries[row]
      bytes.append(entry.state.rawValue)
      guard entry.state == .value else { continue }
      append(Int(entry.length))
      unsafe keys.withKey(entry) { unsafe bytes.append(contentsOf: $0) }
    }
    return bytes
  }
}
