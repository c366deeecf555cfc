extension RecordBatch {
  /// A batch of its own with some of the records, their places and their bytes. Faults are left out.
  /// - Parameter records: positions of records, ascending.
  /// - Complexity: O(bytes of the records).
  public func copy(ofRecords records: [Int]) -> RecordBatch {
    let copy = RecordBatch(fieldCount: fieldCount)
    copy.reserve(records: records.count)
    copy.countsCarriageReturns = countsCarriageReturns
    copy.number(from: firstOrdinal)
    for record in records {
      var place = place(ofRecord: record)
      // Safety: bytes are added to the copy only, so those of this batch stay in place. The copy was given room for as
      // many records as are listed.
      let raw = unsafe rawBytes(of: place)
      let start = place.rawOffset
      place.rawOffset = UInt32(copy.storage.count)
      unsafe copy.append(raw)
      for index in 0..<fieldCount {
        var slice = field(index, ofRecord: record)
        if slice.offset >= start, slice.offset + slice.length <= start + place.rawLength {
          slice.offset = slice.offset - start + place.rawOffset
        } else {
          // A field that was unescaped lies behind the records.
          let bytes = unsafe bytes(of: slice)
          slice.offset = UInt32(copy.storage.count)
          unsafe copy.append(bytes)
        }
        unsafe copy.fieldStorage[copy.count * fieldCount + index] = slice
      }
      copy.appendRecord(at: place)
    }
    return copy
  }

  /// Bytes of the records and of their fields.
  public var byteCount: Int { storage.count }

  /// Adds a text that was made of a record. Moves `bytes`.
  /// - Parameter rawOffset: where in its record the text comes from.
  public func append(_ text: String, rawOffset: UInt32) -> FieldSlice {
    var text = text
    let offset = storage.count
    text.withUTF8 { unsafe append(UnsafeRawBufferPointer($0)) }
    // As with other texts that were unescaped, a NUL may be in it.
    return FieldSlice(
      offset: UInt32(offset), length: UInt32(storage.count - offset), kind: .string, isQuoted: true,
      rawOffset: rawOffset)
  }

  private func append(_ bytes: UnsafeRawBufferPointer) {
    unsafe bytes.withMemoryRebound(to: UInt8.self) { bytes in
      if let base = bytes.baseAddress { unsafe storage.append(base, count: bytes.count) }
    }
  }
}
