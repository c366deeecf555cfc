/// Values of one column, row by row, that are compared with a field of stored records.
@unsafe public struct ComparedColumn {
  /// One byte per row: 0 for no value given, 1 for null, 2 for a value.
  public var states: UnsafePointer<UInt8>
  /// Eight bytes per row: an integer, a real, or offset and length (32 bits each) of a text or blob.
  public var cells: UnsafeRawPointer

  /// A column over memory that the caller keeps.
  public init(states: UnsafePointer<UInt8>, cells: UnsafeRawPointer) {
    unsafe self.states = unsafe states
    unsafe self.cells = unsafe cells
  }
}

/// The result of the search for a stored row.
public enum RowMatch: UInt8, Sendable, CaseIterable {
  /// No row has this key, or a part of the key is missing.
  case none
  /// One row has the key and all values that are given.
  case same
  /// One row has the key, and another value somewhere.
  case different
  /// Several rows have the key.
  case ambiguous
}

// What the pointers in here rest on:
// - `slots` is a power of two of words, more than rows by a third at least, so an index behind `& mask` is in bounds
//   and every chain of slots ends at a zero. Nothing enters rows once the table is made, so several threads may read
//   it.
// - A slot that is not zero names a leaf and a cell that `enter` met in `table`, which keeps the file's pages in
//   memory; the file does not change while a `MappedTable` is in use.
// - The given columns have `count` rows of 1 and 8 bytes, as `match` asks. Their texts lie behind `bytes`.

extension RowKeyTable {
  /// Looks rows up by their keys and compares their values, byte for byte. Several threads may do so at once.
  /// - Parameters:
  ///   - keys: a column for each key of the shape.
  ///   - values: a column for each value of the shape.
  ///   - bytes: the base of the offsets of texts and blobs.
  ///   - matches: gets one entry per row.
  ///   - rowIDs: gets the row id of each row that was found, 0 where there is none or several.
  ///   - places: gets the place in this table of each row that was found, -1 where there is none or several.
  @unsafe public func match(
    keys: [ComparedColumn], values: [ComparedColumn], bytes: UnsafeRawPointer, count: Int,
    matches: UnsafeMutableBufferPointer<RowMatch>, rowIDs: UnsafeMutableBufferPointer<Int64>,
    places: UnsafeMutableBufferPointer<Int>
  ) throws(PageError) {
    let hashes = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: max(count, 1))
    let firstSlots = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: max(count, 1))
    let width = ((shape.keys + shape.values).map(\.position).max() ?? 0) + 1
    let fields = UnsafeMutableBufferPointer<StoredRecord.Field>.allocate(capacity: width)
    defer {
      unsafe hashes.deallocate()
      unsafe firstSlots.deallocate()
      unsafe fields.deallocate()
    }
    unsafe hash(keys, bytes: bytes, count: count, into: hashes)
    // A slot is seldom in the cache. Loads that do not wait for each other take little longer than one.
    let slots = unsafe self.slots.assumingMemoryBound(to: UInt64.self)
    let mask = mask
    for row in 0..<count { unsafe firstSlots[row] = unsafe slots[Int(truncatingIfNeeded: hashes[row]) & mask] }
    let overflow = RecordScratch()
    let keyShapes = shape.keys
    let valueShapes = shape.values
    let isUnique = shape.isUnique
    for row in 0..<count {
      unsafe matches[row] = .none
      unsafe rowIDs[row] = 0
      unsafe places[row] = -1
      guard unsafe keys.allSatisfy({ unsafe $0.states[row] == 2 }) else { continue }
      let hash = unsafe hashes[row]
      var index = Int(truncatingIfNeeded: hash) & mask
      var slot = unsafe firstSlots[row]
      var place = -1
      while slot != 0 {
        if slot >> 40 == hash >> 40 {
          // Safety: `enter` put the leaf and the cell's place there, both under the table's counts.
          let cell = unsafe try table.cell(Int(slot >> 14 & 0x3FF_FFFF) - 1, Int(slot & 0x3FFF))
          let record = unsafe try table.record(cell, overflow: overflow)
          guard unsafe StoredRecord.locate(record, count: cell.size, fields: fields) else {
            throw table.malformed(table.leaves[Int(slot >> 14 & 0x3FF_FFFF) - 1])
          }
          if unsafe areEqual(keyShapes, keys, row, bytes, fields, record) {
            if place >= 0 {
              unsafe matches[row] = .ambiguous
              unsafe rowIDs[row] = 0
              break
            }
            place = index
            let isSame = unsafe areEqual(valueShapes, values, row, bytes, fields, record)
            unsafe matches[row] = isSame ? .same : .different
            unsafe rowIDs[row] = unsafe cell.rowID
            if isUnique { break }
          }
        }
        index = (index + 1) & mask
        slot = unsafe slots[index]
      }
      if unsafe matches[row] != .ambiguous { unsafe places[row] = place }
    }
  }

  /// Notes which stored rows were found. One caller at a time.
  /// - Parameter places: the places from `match`.
  /// - Returns: the positions of rows whose stored row was noted before.
  public func noteFound(_ places: [Int]) -> [Int] {
    var repeated: [Int] = []
    let found = unsafe found
    for (row, place) in places.enumerated() where place >= 0 {
      // Safety: places are what `match` gave: indexes of slots, and `found` has a bit for each.
      let bit = UInt64(1) << UInt64(place & 63)
      if unsafe found[place >> 6] & bit != 0 { repeated.append(row) }
      unsafe found[place >> 6] |= bit
    }
    return repeated
  }

  /// The hashes of the rows' keys; undefined for rows without a complete key.
  @unsafe private func hash(
    _ keys: [ComparedColumn], bytes: UnsafeRawPointer, count: Int, into hashes: UnsafeMutableBufferPointer<UInt64>
  ) {
    for row in 0..<count { unsafe hashes[row] = RowKeyTable.seed }
    for (index, key) in shape.keys.enumerated() {
      let column = unsafe keys[index]
      let states = unsafe column.states
      switch key.kind {
      case .text, .blob:
        let slices = unsafe column.cells.assumingMemoryBound(to: (offset: UInt32, length: UInt32).self)
        for row in 0..<count where unsafe states[row] == 2 {
          unsafe hashes[row] = unsafe RowKeyTable.mix(
            hashes[row], bytes + Int(slices[row].offset), count: Int(slices[row].length))
        }
      case .integer, .real, .float:
        let values = unsafe column.cells.assumingMemoryBound(to: UInt64.self)
        for row in 0..<count where unsafe states[row] == 2 {
          unsafe hashes[row] = unsafe RowKeyTable.mix(hashes[row], values[row])
        }
      }
    }
    for row in 0..<count { unsafe hashes[row] = unsafe masked(hashes[row]) }
  }

  /// Whether the fields of a record have the values of a row. Fields without a given value are not compared.
  @inline(__always)
  @unsafe private func areEqual(
    _ shapes: [ComparedField], _ columns: [ComparedColumn], _ row: Int, _ bytes: UnsafeRawPointer,
    _ fields: UnsafeMutableBufferPointer<StoredRecord.Field>, _ record: UnsafeRawPointer
  ) -> Bool {
    for index in 0..<shapes.count {
      let state = unsafe columns[index].states[row]
      if state == 0 { continue }
      // Safety: `match` made room for the greatest position of the shapes.
      let field = unsafe fields[shapes[index].position]
      if state == 1 {
        if field.type != 0 { return false }
        continue
      }
      let cells = unsafe columns[index].cells
      switch shapes[index].kind {
      case .integer:
        guard let stored = unsafe RowKeyTable.integer(field, record),
          unsafe stored == cells.load(fromByteOffset: row * 8, as: Int64.self)
        else { return false }
      case .real, .float:
        var given = unsafe cells.load(fromByteOffset: row * 8, as: Double.self)
        if shapes[index].kind == .float { given = Double(Float(given)) }
        // The two forms of zero count as different; a caller may treat them as equal.
        guard let stored = unsafe RowKeyTable.real(field, record), stored.bitPattern == given.bitPattern else {
          return false
        }
      case .text, .blob:
        let offset = Int(unsafe cells.load(fromByteOffset: row * 8, as: UInt32.self))
        let count = Int(unsafe cells.load(fromByteOffset: row * 8 + 4, as: UInt32.self))
        guard field.type == UInt64(count) * 2 + (shapes[index].kind == .text ? 13 : 12),
          unsafe RowKeyTable.areEqual(record + field.offset, bytes + offset, count: count)
        else { return false }
      }
    }
    return true
  }

  @inline(__always)
  @unsafe static func areEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, count: Int) -> Bool {
    var offset = 0
    while offset + 8 <= count {
      if unsafe left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        != right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      {
        return false
      }
      offset += 8
    }
    while offset < count {
      if unsafe left.load(fromByteOffset: offset, as: UInt8.self) != right.load(fromByteOffset: offset, as: UInt8.self)
      {
        return false
      }
      offset += 1
    }
    return true
  }

  /// The number in a field as a real, nil when it holds something else.
  @inline(__always)
  @unsafe static func real(_ field: StoredRecord.Field, _ record: UnsafeRawPointer) -> Double? {
    if field.type == 7 {
      return Double(
        bitPattern: UInt64(bigEndian: unsafe (record + field.offset).loadUnaligned(as: UInt64.self)))
    }
    return unsafe integer(field, record).map { Double($0) }
  }
}
