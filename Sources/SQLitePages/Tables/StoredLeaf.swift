/// The last row id and the heads of overflow chains of an existing leaf page, around which a tree is written.
@safe struct StoredLeaf {
  /// The greatest row id.
  let lastRowID: Int64
  /// First overflow pages of its rows.
  let overflowHeads: [UInt32]

  /// - Parameter bytes: `pageSize` bytes.
  /// - Returns: nil when the page is no leaf of a table, is damaged, or has no rows.
  @unsafe init?(_ bytes: UnsafeRawPointer, _ geometry: PageGeometry) {
    // Page 1 is the schema's root, which is never written around, so any other number does.
    guard let page = unsafe TreePage(2, bytes, geometry), unsafe page.kind == .leafTable, unsafe page.cellCount > 0
    else { return nil }
    let form = CellForm(geometry, isIndex: false)
    var last: Int64 = 0
    var heads: [UInt32] = []
    for index in unsafe 0..<page.cellCount {
      // Safety: `TreePage` has found the pointers within the page, and a cell with an end lies within it too.
      let cell = unsafe form.read(page.cell(index), bytes)
      guard cell.end > 0 else { return nil }
      last = cell.rowID
      if cell.overflow == 0 { continue }
      heads.append(UInt32(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: cell.overflow, as: UInt32.self)))
    }
    lastRowID = last
    overflowHeads = heads
  }
}
