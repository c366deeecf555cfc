/// Makes the record of a changed row from the one that is stored and a change.
///
/// `stored`, `sources` and `hasChanged` have a place for each of the `width` fields of the table, `given` one for each
/// of the change's. All positions are under `width`: `RowChanges` checks those of its fields and of the version when it
/// is made, and the watched ones when they are set. `StoredRecord.locate` has checked the places of a record's fields
/// against the record's length.
@safe final class RowPatch {
  enum Result {
    /// The row has all the values of the change.
    case same
    /// The new record, so many bytes, is at `record`.
    case changed(Int)
    /// Only SQLite can compare the values.
    case refused
  }

  /// The last record that was made, with readable bytes behind it.
  @unsafe private(set) var record: UnsafeMutableRawPointer
  private let scratch = RecordScratch()
  private let fields: [RowChanges.Field]
  /// Indexes into `fields`: independent fields first, then those that are written because another field differs.
  private let order: [Int]
  private let width: Int
  private let versionPosition: Int
  @unsafe private let stored: UnsafeMutableBufferPointer<StoredRecord.Field>
  @unsafe private let given: UnsafeMutableBufferPointer<StoredRecord.Field>
  /// By position: the place in `fields` of the new value, -1 where the stored one stays.
  @unsafe private let sources: UnsafeMutablePointer<Int>
  /// By position: whether some record got a new value there.
  @unsafe private let hasChanged: UnsafeMutablePointer<Bool>

  init(_ changes: RowChanges) {
    fields = changes.fields
    width = changes.width
    versionPosition = changes.versionPosition
    order =
      changes.fields.indices.filter { !changes.fields[$0].isDependent }
      + changes.fields.indices.filter { changes.fields[$0].isDependent }
    unsafe stored = .allocate(capacity: width)
    unsafe given = .allocate(capacity: max(fields.count, 1))
    unsafe sources = .allocate(capacity: width)
    unsafe hasChanged = .allocate(capacity: width)
    unsafe hasChanged.initialize(repeating: false, count: width)
    unsafe record = scratch.reserve(0)
  }

  deinit {
    unsafe stored.deallocate()
    unsafe given.deallocate()
    unsafe sources.deallocate()
    unsafe hasChanged.deallocate()
  }

  /// Positions of fields that some record got a new value in.
  var changedPositions: Set<Int> { Set((0..<width).filter { unsafe hasChanged[$0] }) }

  /// Whether the last change gave a field a new value.
  func hasNewValue(_ position: Int) -> Bool { unsafe sources[position] >= 0 }

  /// The whole number that a field had before the last change; nil for null.
  @unsafe func formerNumber(_ position: Int, of old: UnsafeRawPointer) -> Int64? {
    // Safety: `stored` describes the row of the last `apply`, and `old` is its record still, as the caller says.
    let field = unsafe stored[position]
    return field.type == 0 ? nil : unsafe RowKeyTable.integer(field, old)
  }

  /// Applies a change.
  /// - Returns: nil when one of the two is no record.
  @unsafe func apply(
    _ change: UnsafeRawPointer, count changeCount: Int, to old: UnsafeRawPointer, count oldCount: Int
  ) -> Result? {
    let given = unsafe UnsafeMutableBufferPointer(rebasing: given[..<fields.count])
    guard unsafe StoredRecord.locate(old, count: oldCount, fields: stored),
      unsafe StoredRecord.locate(change, count: changeCount, fields: given, allowsAbsent: true)
    else { return nil }
    let sources = unsafe sources
    unsafe sources.initialize(repeating: -1, count: width)
    var isChanged = false
    for index in order {
      let field = fields[index]
      guard let differs = unsafe differs(field, given[index], change, stored[field.position], old) else {
        return .refused
      }
      if differs {
        unsafe sources[field.position] = index
        isChanged = true
      }
    }
    guard isChanged else { return .same }
    let version = unsafe stored[versionPosition]
    guard let number = unsafe version.type == 0 ? 1 : RowKeyTable.integer(version, old),
      (0..<1 << 62).contains(number)
    else {
      return .refused
    }
    return .changed(unsafe write(change, changeCount, old, oldCount, version: number + 1))
  }

  /// Nil when only SQLite can compare the values.
  @inline(__always)
  @unsafe private func differs(
    _ field: RowChanges.Field, _ given: StoredRecord.Field, _ change: UnsafeRawPointer,
    _ stored: StoredRecord.Field, _ old: UnsafeRawPointer
  ) -> Bool? {
    if given.type == RowChanges.absentType { return false }
    if field.isDependent {
      if let leader = field.leader, unsafe sources[fields[leader].position] >= 0 { return true }
      if given.type == 0 || stored.type == 0 { return false }
    }
    if given.type == 0 || stored.type == 0 { return given.type != stored.type }
    switch field.comparison {
    case .integer:
      guard let own = unsafe RowKeyTable.integer(given, change), let other = unsafe RowKeyTable.integer(stored, old)
      else { return nil }
      return own != other
    case .real:
      guard let own = unsafe RowKeyTable.real(given, change), let other = unsafe RowKeyTable.real(stored, old) else {
        return nil
      }
      return own != other
    case .bytes:
      guard given.type >= 12, stored.type >= 12 else { return nil }
      return unsafe given.count != stored.count
        || !RowKeyTable.areEqual(change + given.offset, old + stored.offset, count: given.count)
    }
  }

  /// Writes the new record. Fields behind the end of the old one are null.
  @unsafe private func write(
    _ change: UnsafeRawPointer, _ changeCount: Int, _ old: UnsafeRawPointer, _ oldCount: Int, version: Int64
  ) -> Int {
    // Safety: fields of the new record come from the old one or the change, each of them once, so the body is no longer
    // than both and 8 bytes of the version; the header has at most 9 bytes a field and 9 for its size. The version
    // waits in the last 16 of the 32 bytes more, which what stands before it in the body does not reach.
    let target = unsafe scratch.reserve(oldCount + changeCount + width * 9 + 32)
    unsafe record = target
    let versionBytes = unsafe target + (oldCount + changeCount + width * 9 + 16)
    let (versionType, versionCount) = unsafe RecordEncoding.write(version, to: versionBytes)
    var typeBytes = 0
    for position in 0..<width {
      let source = unsafe sources[position]
      if position == versionPosition {
        typeBytes &+= 1
      } else {
        typeBytes &+= unsafe Varint.size(source < 0 ? stored[position].type : given[source].type)
      }
    }
    let headerSize = RecordEncoding.headerSize(typeBytes: typeBytes)
    var header = unsafe target + Varint.write(UInt64(headerSize), to: target)
    var body = unsafe target + headerSize
    // Fields that stay lie one behind the other and are copied together.
    var runStart = unsafe stored[0].offset
    var runEnd = runStart
    for position in 0..<width {
      let field = unsafe stored[position]
      let source = unsafe sources[position]
      if source < 0, position != versionPosition {
        unsafe header += Varint.write(field.type, to: header)
        runEnd = field.offset &+ field.count
        continue
      }
      // Safety: runs are made of stored fields in their order, which all lie within `oldCount`.
      unsafe body.copyMemory(from: old + runStart, byteCount: runEnd - runStart)
      unsafe body += runEnd - runStart
      runStart = field.offset &+ field.count
      runEnd = runStart
      if position == versionPosition {
        unsafe header.storeBytes(of: versionType, as: UInt8.self)
        unsafe header += 1
        unsafe body.copyMemory(from: versionBytes, byteCount: versionCount)
        unsafe body += versionCount
      } else {
        let value = unsafe given[source]
        unsafe header += Varint.write(value.type, to: header)
        unsafe body.copyMemory(from: change + value.offset, byteCount: value.count)
        unsafe body += value.count
        unsafe hasChanged[position] = true
      }
    }
    unsafe body.copyMemory(from: old + runStart, byteCount: runEnd - runStart)
    unsafe body += runEnd - runStart
    return unsafe body - target
  }
}
