/// Tables whose rows all get new records.
extension TableTreeWriter {
  /// Writes a table anew that has rows: `moveRows` with its own root gives them.
  public convenience init(rewriting root: UInt32, of file: DatabaseFile) throws(PageError) {
    try self.init(file: file, root: root, after: 0)
    newLeaves = nil
  }

  /// Adds the rows of another table, or of the one that is written anew, each with its new record. The other table is
  /// empty afterwards. New pages take the places of those that were read, so that the file hardly grows.
  /// - Parameter source: the root page of the table. Its greatest row id, raised by the translation's offset, must be
  ///   below the lowest row id that is added next.
  /// - Returns: how many rows of each kind there were.
  /// - Throws: `PageError` of kind `unsuitable` for a row that the translation does not cover. The file is of no use
  ///   then.
  public func moveRows(of source: UInt32, _ translation: RowTranslation) throws(PageError) -> RowTranslation.Counts {
    let translator = try RowTranslator(translation)
    let pages = try TreePages(PageBuffer(file), root: source, isIndex: false)
    try file.recycleFreePages(pages.leaves.count)
    file.recycle(pages.interior)
    var rows = RewriteCursor(pages, of: file, root: source)
    while try rows.advance() {
      // Safety: the old record stays until `rows` goes on, and the new one is written before the next is made.
      let old = unsafe try rows.record()
      let size = unsafe try translator.translate(old, count: rows.payloadCount, rowID: rows.rowID)
      // Before its pages are taken again.
      try rows.recycleOverflow()
      guard let size else { continue }
      let (rowID, overflows) = rows.rowID.addingReportingOverflow(translation.rowIDOffset)
      if overflows { throw PageError(kind: .unsuitable, message: "row \(rows.rowID) has too great a number") }
      unsafe try append(rowID: rowID, payload: translator.record, count: size)
    }
    if source != root { try file.emptyTable(root: source) }
    return translator.counts
  }
}

extension DatabaseFile {
  /// Makes a table's root an empty leaf. The pages below it have been given up already.
  fileprivate func emptyTable(root: UInt32) throws(PageError) {
    let memory = PageMemory(geometry, pages: 1)
    let page = unsafe PageBuilder(.leafTable, geometry: geometry, page: memory.base)
    unsafe try replace(root, page.finish())
  }
}
