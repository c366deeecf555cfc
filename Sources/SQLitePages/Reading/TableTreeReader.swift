/// Reads the rows of a table's b-tree in the order of their ids, straight from the file's pages.
///
/// No connection may write meanwhile, and the file must have no log. Damaged pages give errors, never wild reads.
@safe public final class TableTreeReader: @unchecked Sendable {
  /// Pages of the table that hold rows, in order.
  public let leaves: [UInt32]
  private let file: PageFile
  private let form: CellForm

  /// Finds the leaves of a table.
  /// - Parameter root: as `sqlite_schema` names it.
  public init(path: String, root: UInt32) throws(PageError) {
    file = try PageFile(path: path)
    form = CellForm(file.geometry, isIndex: false)
    leaves = try TreePages(PageBuffer(file), root: root, isIndex: false).leaves
  }

  /// Hands out the rows of some leaves. Several threads may read different leaves at once.
  /// - Parameters:
  ///   - range: positions in `leaves`.
  ///   - body: gets the row id and the record, which is only valid during the call.
  @unsafe public func forEachRow(
    inLeaves range: Range<Int>, _ body: (Int64, UnsafeRawBufferPointer) throws(PageError) -> Void
  ) throws(PageError) {
    let pageSize = file.geometry.pageSize
    let window = PageMemory(file.geometry, pages: max(1, (1 << 18) / pageSize))
    let overflow = RecordScratch()
    var index = range.lowerBound
    while index < range.upperBound {
      // Leaves that follow each other in the file are read together.
      var count = 1
      while count < window.pages, index + count < range.upperBound,
        leaves[index + count] == leaves[index] + UInt32(count)
      {
        count += 1
      }
      // Safety: `count` is no more than the window has pages.
      unsafe try file.read(leaves[index], count: count, into: window.base)
      for offset in 0..<count {
        unsafe try forEachRow(of: leaves[index + offset], window.base + offset * pageSize, overflow, body)
      }
      index += count
    }
  }

  @inline(__always)
  @unsafe private func forEachRow(
    of number: UInt32, _ bytes: UnsafeRawPointer, _ overflow: RecordScratch,
    _ body: (Int64, UnsafeRawBufferPointer) throws(PageError) -> Void
  ) throws(PageError) {
    guard let page = unsafe TreePage(number, bytes, file.geometry), unsafe page.kind == .leafTable else {
      throw malformed(number)
    }
    for index in unsafe 0..<page.cellCount {
      let cell = unsafe form.read(page.cell(index), bytes)
      guard cell.end > 0 else { throw malformed(number) }
      var record = unsafe bytes + cell.payload
      if cell.overflow > 0 {
        unsafe record = try OverflowChain.assemble(
          record, localCount: cell.overflow - cell.payload, size: cell.payloadSize, of: PageBuffer(file),
          into: overflow)
      }
      unsafe try body(cell.rowID, UnsafeRawBufferPointer(start: record, count: cell.payloadSize))
    }
  }

  private func malformed(_ page: UInt32) -> PageError { file.malformed(page) }
}
