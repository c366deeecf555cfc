import ObjectModel
import Pipelines
import Reports
import StoreInterface

/// Looks up the natural keys of a decoded batch and fills in its foreign keys.
///
/// What its unsafe code relies on: states and cells of a batch are allocated for its whole capacity and stay where they
/// are, and every entry names a row under that capacity. An entry's offset and length were written together with the
/// key's bytes, which do not change while they are looked up. The caller has the decoded batch to itself, and no key is
/// entered in a table during a look-up.
struct ReferenceResolver: Sendable {
  let tables: KeyTables

  /// Fills the foreign-key columns of all nodes.
  /// - Parameters:
  ///   - isProvisional: whether a row may still be rejected, so that a reference to it must wait too.
  ///   - mayBeProvisional: false where no row may still be rejected.
  ///   - arrivals: what may still come: a key whose object will not is a problem of its record.
  /// - Returns: the references that have to wait, in row order per node and reference.
  func resolve(
    _ decoded: DecodedBatch, _ arrivals: Arrivals = .anything, mayBeProvisional: Bool = true,
    isProvisional: (RowReference) -> Bool
  ) -> [UnresolvedReference] {
    var unresolved: [UnresolvedReference] = []
    decoded.forgetReferencesLeftOut()
    resolve(
      decoded.root, decoded, arrivals, mayBeProvisional: mayBeProvisional, isProvisional: isProvisional,
      into: &unresolved)
    return unresolved
  }

  private func resolve(
    _ node: DecodedNode, _ decoded: DecodedBatch, _ arrivals: Arrivals, mayBeProvisional: Bool,
    isProvisional: (RowReference) -> Bool, into unresolved: inout [UnresolvedReference]
  ) {
    node.clearLinks()
    for (index, reference) in node.plan.references.enumerated() {
      guard let table = tables[reference.table] else { continue }
      let keys = node.keys[index]
      let firstUnresolved = unresolved.count
      // Nearly all rows of nearly all batches take this shorter loop.
      var firstEntry = 0
      if !mayBeProvisional, reference.entityColumn == nil, !reference.waitsForAll, let column = reference.column {
        firstEntry = unsafe resolvePlain(keys, in: table, node.batch.states[column], node.batch.integers(column))
        if firstEntry == keys.entries.count { continue }
      }
      resolve(
        keys.entries[firstEntry...], ofReference: index, node, table, decoded, arrivals, isProvisional: isProvisional,
        into: &unresolved)
      if reference.givesWholeOrder {
        keepOrder(node, index, from: firstUnresolved, in: &unresolved)
      }
    }
    for child in node.children {
      resolve(
        child, decoded, arrivals, mayBeProvisional: mayBeProvisional, isProvisional: isProvisional,
        into: &unresolved)
    }
  }

  /// Looks up some keys of a reference, one by one.
  private func resolve(
    _ entries: ArraySlice<ReferenceKeys.Entry>, ofReference index: Int, _ node: DecodedNode, _ table: KeyTable,
    _ decoded: DecodedBatch, _ arrivals: Arrivals, isProvisional: (RowReference) -> Bool,
    into unresolved: inout [UnresolvedReference]
  ) {
    let reference = node.plan.references[index]
    let cells = ForeignKeyCells(node, index)
    unsafe node.keys[index].bytes.withUnsafeBytes { bytes in
      unsafe table.lookUp { match in
        // Records that stand together often refer to the same object.
        // Safety: `last` is one of the keys in `bytes`, which outlive it; the decoder wrote each entry's offset and
        // length with them.
        var last = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        var found = KeyTable.Match.none
        for entry in entries {
          let row = Int(entry.row)
          guard entry.state == .value else {
            cells.set(entry.state, ofRow: row)
            continue
          }
          let key = unsafe UnsafeRawBufferPointer(
            start: bytes.baseAddress.map { unsafe $0 + Int(entry.offset) }, count: Int(entry.length))
          if unsafe !KeyTable.areEqual(key, last) || last.baseAddress == nil {
            found = unsafe match(key)
            unsafe last = unsafe key
          }
          var waits = false
          switch found {
          case .row where reference.waitsForAll && !arrivals.areOver: waits = true
          case .row(let destination) where !arrivals.waitsForProvisional || !isProvisional(destination):
            cells.set(destination, ofRow: row)
          case .row:
            cells.set(.null, ofRow: row)
            waits = true
          case .none:
            cells.set(.null, ofRow: row)
            waits = unsafe arrivals.mayBring(table, key)
            if !waits { noteMissing(decoded, node, index, entry) }
          case .ambiguous:
            note(decoded, node, index, entry, code: "reference.ambiguous", what: "matches several objects")
          }
          if waits { unresolved.append(UnresolvedReference(node: node, row: row, reference: index, entry: entry)) }
        }
      }
    }
  }

  /// A key that no object has, and none will have.
  private func noteMissing(_ decoded: DecodedBatch, _ node: DecodedNode, _ index: Int, _ entry: ReferenceKeys.Entry) {
    let reference = node.plan.references[index]
    if reference.missing == .reject || reference.relationship.requiresDestination {
      note(decoded, node, index, entry, code: "reference.unresolved", what: "matches no object")
    } else {
      decoded.noteReferenceLeftOut("\(node.plan.entity.name).\(reference.property)")
    }
  }

  /// Fills in foreign keys as long as each key leads to one object. States and values have the batch's capacity.
  /// - Returns: the number of entries that are done.
  private func resolvePlain(
    _ keys: ReferenceKeys, in table: KeyTable, _ states: UnsafeMutablePointer<UInt8>,
    _ values: UnsafeMutablePointer<Int64>
  ) -> Int {
    // Safety: `last` is one of the keys in `bytes`, or empty. Rows and keys of entries are in bounds, see above.
    unsafe keys.bytes.withUnsafeBytes { bytes in
      unsafe keys.entries.withUnsafeBufferPointer { entries in
        unsafe table.lookUp { match in
          var last = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
          var primaryKey: Int64 = 0
          for index in 0..<entries.count {
            let entry = unsafe entries[index]
            let row = Int(truncatingIfNeeded: entry.row)
            guard entry.state == .value else {
              unsafe states[row] = entry.state.rawValue
              continue
            }
            let key = unsafe UnsafeRawBufferPointer(
              start: bytes.baseAddress.map { unsafe $0 + Int(entry.offset) }, count: Int(entry.length))
            if unsafe last.baseAddress == nil || !KeyTable.areEqual(key, last) {
              guard case .row(let destination) = unsafe match(key) else { return index }
              primaryKey = destination.primaryKey
              unsafe last = unsafe key
            }
            unsafe states[row] = RowBatch.State.value.rawValue
            unsafe values[row] = primaryKey
          }
          return entries.count
        }
      }
    }
  }

  /// Where a key of an ordered list has to wait, the whole list waits, so that its order is kept.
  private func keepOrder(_ node: DecodedNode, _ index: Int, from first: Int, in unresolved: inout [UnresolvedReference])
  {
    let rows = Set(unresolved[first...].map(\.row))
    guard !rows.isEmpty, !node.links[index].isEmpty else { return }
    node.removeLinks(ofReference: index, ofRows: rows)
    unresolved.removeSubrange(first...)
    for entry in node.keys[index].entries where entry.state == .value && rows.contains(Int(entry.row)) {
      unresolved.append(UnresolvedReference(node: node, row: Int(entry.row), reference: index, entry: entry))
    }
  }

  private func note(
    _ decoded: DecodedBatch, _ node: DecodedNode, _ index: Int, _ entry: ReferenceKeys.Entry, code: String,
    what: String
  ) {
    let reference = node.plan.references[index]
    let value = reference.shownKey(node.keys[index], entry)
    decoded.addProblem(
      ofRecord: Int(node.records[Int(entry.row)]),
      reference.problem(
        entity: node.plan.entity.name, code: code, what: what, value: value, rawOffset: entry.rawOffset))
  }
}

/// The cells of a reference's foreign keys. One without a column is to-many: its destinations are links of the node.
@safe private struct ForeignKeyCells {
  private let node: DecodedNode
  private let index: Int
  private let states: UnsafeMutablePointer<UInt8>?
  private let values: UnsafeMutablePointer<Int64>?
  private let entityColumn: Int?

  @inline(__always)
  init(_ node: DecodedNode, _ index: Int) {
    let reference = node.plan.references[index]
    self.node = node
    self.index = index
    unsafe states = reference.column.map { unsafe node.batch.states[$0] }
    unsafe values = reference.column.map { unsafe node.batch.integers($0) }
    entityColumn = reference.entityColumn
  }

  // Safety: rows are those of entries, all under the batch's capacity.

  @inline(__always)
  func set(_ state: RowBatch.State, ofRow row: Int) {
    if let states = unsafe states { unsafe states[row] = state.rawValue }
  }

  @inline(__always)
  func set(_ destination: RowReference, ofRow row: Int) {
    guard let values = unsafe values else {
      return node.addLink(FoundLink(row: row, destination: destination), ofReference: index)
    }
    set(.value, ofRow: row)
    unsafe values[row] = destination.primaryKey
    if let entityColumn {
      unsafe node.batch.states[entityColumn][row] = RowBatch.State.value.rawValue
      unsafe node.batch.integers(entityColumn)[row] = Int64(destination.entityIndex)
    }
  }
}

extension ReferencePlan {
  /// The attribute that a list's values could be given to, to become objects themselves.
  private var ownKey: String? {
    guard relationship.isToMany, !table.isByRecordKey, keyColumns.count == 1,
      case .attribute(let name) = keyColumns[0].source
    else { return nil }
    return name
  }

  func problem(
    entity: String, code: String, what: String, value: String, rawOffset: UInt32?
  ) -> RecordProblem {
    let hint =
      switch code {
      case "reference.ambiguous" where table.isByRecordKey: "give every record a key of its own"
      case "reference.ambiguous": "match an attribute that is unique"
      case "reference.taken":
        "\(entity).\(property) and its inverse are one-to-one: give every record a destination of its own"
      case _ where relationship.definition.isMandatory:
        "import \(table.entity.name) in the same pipeline, or mend the key"
      default:
        "import \(table.entity.name) in the same pipeline, mend the key, or add missing: null to the reference"
          + (ownKey.map { "; { from: ..., match: \($0), map: { \($0): . } } makes objects of a list of values" } ?? "")
      }
    return RecordProblem(
      rawOffset: rawOffset, property: property, code: code, value: value,
      message: "\"\(value)\" \(what) (\(entity).\(property), by \(table.title))", hint: hint)
  }

  /// A key in words: its parts joined by commas.
  func shownKey(_ keys: ReferenceKeys, _ entry: ReferenceKeys.Entry) -> String {
    unsafe keys.withKey(entry) { bytes in unsafe shownKey(bytes) }
  }

  func shownKey(_ bytes: UnsafeRawBufferPointer) -> String {
    var offset = 0
    var shown: [String] = []
    func word() -> UInt64 {
      defer { offset += 8 }
      guard offset + 8 <= bytes.count else { return 0 }
      return unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    for (position, column) in keyColumns.enumerated() {
      switch column.storage {
      case .integer: shown.append(String(Int64(bitPattern: word())))
      case .real: shown.append("\(Double(bitPattern: word()))")
      case .bytes:
        let length = position + 1 < keyColumns.count ? Int(word()) : bytes.count - offset
        let end = min(offset + length, bytes.count)
        let text = unsafe String(decoding: bytes[offset..<end], as: UTF8.self)
        shown.append(String(text.prefix(Reject.valueLimit)))
        offset = end
      }
    }
    return shown.joined(separator: ", ")
  }
}
