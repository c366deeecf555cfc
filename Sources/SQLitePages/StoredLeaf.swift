/// A table's leaf page that was there before, as far as a tree that is written around it must know it.
@safe struct StoredLeaf {
  /// The greatest row id.
  let lastRowID: Int64
  /// First overflow pages of its rows.
  let overflowHeads: [UInt32]

  /// - Parameter page: `pageSize` bytes.
  /// - Returns: nil when the page is no leaf of a table, is damaged, or has no rows.
  @unsafe init?(_ page: UnsafeRawPointer, _ geometry: PageGeometry) {
    let usable = geometry.usableSize
    let count = Int(UInt16(bigEndian: unsafe page.loadUnaligned(fromByteOffset: 3, as: UInt16.self)))
    guard unsafe page.load(as: UInt8.self) == PageBuilder.Kind.leafTable.rawValue, count > 0, 8 + count * 2 <= usable
    else { return nil }
    var last: Int64 = 0
    var heads: [UInt32] = []
    for index in 0..<count {
      var place = Int(UInt16(bigEndian: unsafe page.loadUnaligned(fromByteOffset: 8 + index * 2, as: UInt16.self)))
      guard place < usable else { return nil }
      let (size, sizeCount) = unsafe Varint.read(page + place, limit: usable - place)
      // Only rows with overflow pages matter beside the last one.
      guard sizeCount > 0, size <= UInt64(Int32.max) else { return nil }
      if size <= UInt64(geometry.maximumTableLocal), index < count - 1 { continue }
      place += sizeCount
      guard place < usable else { return nil }
      let (key, keyCount) = unsafe Varint.read(page + place, limit: usable - place)
      guard keyCount > 0 else { return nil }
      last = Int64(bitPattern: key)
      if size <= UInt64(geometry.maximumTableLocal) { continue }
      place += keyCount + geometry.localSize(Int(size), maximum: geometry.maximumTableLocal)
      guard place + 4 <= usable else { return nil }
      heads.append(UInt32(bigEndian: unsafe page.loadUnaligned(fromByteOffset: place, as: UInt32.self)))
    }
    lastRowID = last
    overflowHeads = heads
  }
}
