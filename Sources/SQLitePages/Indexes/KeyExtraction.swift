/// Takes the entries of one index out of a table's records: a key to sort by, and the index record.
///
/// `types` is memory of the scan with one place more than the index has columns, and only this worker uses it. `fields`
/// has every field that the index names, each within `record`, as `StoredRecord.locate` has checked.
@safe struct KeyExtraction {
  private let columns: [IndexShape.Column]
  /// Types of the columns and of the row id, in memory of the scan, which outlives this.
  @unsafe private let types: UnsafeMutablePointer<UInt64>

  /// - Parameter types: room for one more than there are columns.
  @unsafe init(_ index: IndexShape, types: UnsafeMutablePointer<UInt64>) {
    columns = index.columns
    unsafe self.types = unsafe types
  }

  /// Adds a row to an arena.
  /// - Parameters:
  ///   - record: the table's record.
  ///   - fields: the fields that the index may name.
  @inline(__always)
  @unsafe func append(
    rowID: Int64, _ record: UnsafeRawPointer, _ fields: UnsafeMutablePointer<StoredRecord.Field>, to arena: KeyArena
  ) throws(PageError) {
    let count = columns.count
    let rowIDType = UInt64(StoredRecord.type(of: rowID))
    var bound = 9 + 10 + 8 + 10 * count
    var typeBytes = 1
    for index in 0..<count {
      let type = columns[index].field.map { unsafe fields[$0].type } ?? rowIDType
      unsafe types[index] = type
      typeBytes += Varint.size(type)
      bound += SortKey.maximumSize(of: type) + StoredRecord.size(of: type)
    }
    unsafe types[count] = rowIDType
    // Safety: the key takes `SortKey.maximumSize` of each column and 9; the record a header of at most 9 bytes and 9
    // for each type, the fields' own bytes, and 8 for the row id, of which `RecordEncoding` may write all.
    let key = unsafe try arena.reserve(bound + 9)
    var keyCount = 0
    var isNullKey = false
    for index in 0..<count {
      let column = columns[index]
      if let field = column.field {
        let place = unsafe fields[field]
        if place.type == 0 { isNullKey = true }
        keyCount += unsafe SortKey.write(
          record + place.offset, type: place.type, isDescending: column.isDescending, to: key + keyCount)
      } else {
        let size = unsafe SortKey.write(integer: rowID, to: key + keyCount)
        if column.isDescending { unsafe SortKey.invert(key + keyCount, size) }
        keyCount += size
      }
    }
    // The row id orders equal keys, and a mark says whether a null makes the key unlike any other.
    unsafe SortKey.write(rowID: rowID, to: key + keyCount)
    unsafe (key + keyCount + 8).storeBytes(of: isNullKey ? 1 : 0, as: UInt8.self)
    keyCount += 9

    let payload = unsafe key + keyCount
    let headerSize = RecordEncoding.headerSize(typeBytes: typeBytes)
    var size = unsafe Varint.write(UInt64(headerSize), to: payload)
    for index in 0...count { unsafe size += Varint.write(types[index], to: payload + size) }
    for index in 0..<count {
      if let field = columns[index].field {
        let place = unsafe fields[field]
        unsafe (payload + size).copyMemory(from: record + place.offset, byteCount: place.count)
        size += place.count
      } else {
        size += unsafe RecordEncoding.write(rowID, to: payload + size).count
      }
    }
    size += unsafe RecordEncoding.write(rowID, to: payload + size).count
    arena.commit(keyCount: keyCount, payloadCount: size)
  }
}
