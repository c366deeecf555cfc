import ObjectModel
import Pipelines
import StoreInterface

/// Records of a find-or-create batch that are new and may still be rejected, because an object that they need is not
/// there yet. Their rows can be deleted again; changes that they make to other objects could not be undone, so these
/// wait.
struct ProvisionalRecords {
  private let decoded: DecodedBatch
  /// Records that need objects that are not there yet.
  private let provisional: Set<Int>

  /// - Parameters:
  ///   - isNew: whether a record has no stored object.
  ///   - unresolved: the references of the batch that wait.
  init(_ decoded: DecodedBatch, isNew: (Int) -> Bool, unresolved: [UnresolvedReference]) {
    self.decoded = decoded
    var provisional: Set<Int> = []
    for reference in unresolved where reference.node.plan.references[reference.reference].mustResolve {
      let record = Int(reference.node.records[reference.row])
      if isNew(record) { provisional.insert(record) }
    }
    self.provisional = provisional
  }

  /// The records to hold back as a whole: provisional ones whose nested objects are stored or shared with another
  /// record, and those whose nested objects such a record may take away when it is rejected.
  /// - Parameters:
  ///   - stored: what the rows of the batch match.
  ///   - holdsWaiting: whether records that wait themselves are held back; if not, others that have their objects are.
  ///   - isUncertain: whether a row may still be rejected.
  func heldBack(_ stored: StoredRowReferences, holdsWaiting: Bool, isUncertain: (UInt64) -> Bool) -> Set<Int> {
    if decoded.root.children.isEmpty { return [] }
    var held = recordsOfOwned()
    var owners: [[UInt8]: Int] = [:]
    for node in decoded.root.withDescendants where !node.plan.match.isEmpty && !provisional.isEmpty {
      for row in 0..<node.batch.count {
        var key = unsafe withUnsafeBytes(of: node.plan.entity.root.index) { unsafe Array($0) }
        guard MatchKey.append(node, row: row, to: &key) == .key else { continue }
        let record = Int(node.records[row])
        guard let other = owners.updateValue(record, forKey: key), other != record else { continue }
        if holdsWaiting {
          held.formUnion(provisional.intersection([record, other]))
        } else if provisional.contains(record) != provisional.contains(other) {
          held.insert(provisional.contains(record) ? other : record)
        } else if provisional.contains(record) {
          held.insert(max(record, other))
        }
      }
    }
    for (index, node) in decoded.root.withDescendants.enumerated().dropFirst() {
      for (row, object) in stored.rows(ofNode: index).enumerated() where object != 0 {
        let record = Int(node.records[row])
        if provisional.contains(record) ? holdsWaiting : isUncertain(object) { held.insert(record) }
      }
    }
    return held
  }

  /// The records whose objects are nested objects, without a key of their own, of provisional records before them. If
  /// such a record is rejected, its objects are deleted, and the values of the other records would be lost.
  private func recordsOfOwned() -> Set<Int> {
    let root = decoded.root
    guard let attributes = root.plan.matchAttributes, !attributes.isEmpty, !provisional.isEmpty else { return [] }
    var owners: [[UInt8]: Int] = [:]
    for node in root.withDescendants.dropFirst()
    where node.plan.match.isEmpty && node.plan.entity.root == root.plan.entity.root {
      let columns = attributes.compactMap { node.plan.column(.attribute($0)) }
      if columns.count < attributes.count { continue }
      for row in 0..<node.batch.count where provisional.contains(Int(node.records[row])) {
        var key: [UInt8] = []
        guard KeyEncoding.append(columns, of: node.batch, row: row, to: &key) == .key else { continue }
        owners[key] = min(owners[key] ?? .max, Int(node.records[row]))
      }
    }
    if owners.isEmpty { return [] }
    return Set(
      root.records.indices.compactMap { row in
        var key: [UInt8] = []
        guard KeyEncoding.append(root.plan.matchColumns, of: root.batch, row: row, to: &key) == .key,
          let owner = owners[key], owner < root.records[row]
        else { return nil }
        return Int(root.records[row])
      })
  }

  /// All but the first of the records with one match key, where one of them is provisional. If that is rejected, its
  /// object is deleted, and the values of the other records would be lost.
  func recordsBehindProvisional() -> Set<Int> {
    if provisional.isEmpty { return [] }
    let node = decoded.root
    var records: [[UInt8]: [Int]] = [:]
    for row in 0..<node.batch.count {
      var key: [UInt8] = []
      guard MatchKey.append(node, row: row, to: &key) == .key else { continue }
      records[key, default: []].append(Int(node.records[row]))
    }
    return records.values.reduce(into: []) { held, group in
      if group.count > 1, group.contains(where: provisional.contains) { held.formUnion(group.dropFirst()) }
    }
  }

  /// Makes those references of provisional records wait that would take an object from another one: those whose inverse
  /// is to-one.
  func deferExclusive(_ unresolved: inout [UnresolvedReference]) {
    if provisional.isEmpty { return }
    for node in decoded.root.withDescendants {
      for (index, reference) in node.plan.references.enumerated()
      where reference.relationship.inverse?.isToMany == false {
        let entries = node.keys[index].entries.filter {
          $0.state == .value && provisional.contains(Int(node.records[Int($0.row)]))
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
