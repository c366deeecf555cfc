extension TableTreeWriter {
  /// Writes the old rows anew, with their changes, and enters the new rows behind them.
  func rewrite(_ changes: RowChanges) throws(PageError) {
    guard var behind = newLeaves else {
      throw PageError(kind: .unsuitable, message: "rows of a table that is being filled cannot be changed")
    }
    if !isEmpty {
      try emitLeaf()
      behind = newLeaves ?? behind
    }
    let pages = try TreePages(PageBuffer(file), root: root, isIndex: false)
    try file.recycleFreePages(pages.leaves.count)
    file.recycle(pages.interior)
    // The table is now treated as empty, and the old rows are added to it.
    let hasNewRows = !isEmpty
    let firstRowIDBehind = hasNewRows ? firstNewRowID : .max
    newLeaves = nil
    isEmpty = true
    try appendOldRows(of: pages, changes)
    guard !isEmpty, lastRowID < firstRowIDBehind || !hasNewRows else {
      throw PageError(kind: .malformed, message: "the table of page \(root) has no rows, or some behind the new ones")
    }
    isEmpty = !hasNewRows
    if let last = behind.popLast() {
      try emitLeaf()
      for leaf in behind { try enter(leaf.page, lastRowID: leaf.lastRowID) }
      return try levels.finish(last: last.page, root: root)
    }
    try finishFresh()
  }

  /// Adds the rows that were there before, each with its change.
  private func appendOldRows(of pages: TreePages, _ changes: RowChanges) throws(PageError) {
    var rows = RewriteCursor(pages, of: file, root: root)
    let patch = RowPatch(changes)
    let isWatched = changes.keepsUpdatedRows || !changes.watchedPositions.isEmpty
    let excluded = changes.excluded
    var updated = 0
    var unchanged = 0
    var hasRow = try rows.advance()
    unsafe try changes.forEach { (rowID, tag, change, count) throws(PageError) in
      while hasRow, rows.rowID < rowID {
        try appendCell(of: rows)
        hasRow = try rows.advance()
      }
      guard hasRow, rows.rowID == rowID, excluded.isEmpty || !excluded.contains(rowID) else {
        return changes.refuse(tag)
      }
      // Safety: the stored record stays until `rows` goes on, and the new one until the next is made; a change is
      // valid during the call.
      let result = unsafe try patch.apply(change, count: count, to: rows.record(), count: rows.payloadCount)
      switch result {
      case nil: throw PageError(kind: .malformed, message: "row \(rowID) holds no record")
      case .changed(let size):
        // Before the old record's pages are taken again.
        if isWatched { unsafe try changes.noteUpdate(rowID, by: patch, of: rows.record()) }
        try rows.recycleOverflow()
        unsafe try append(rowID: rowID, payload: patch.record, count: size)
        updated += 1
      case .same:
        try appendCell(of: rows)
        unchanged += 1
      case .refused:
        try appendCell(of: rows)
        changes.refuse(tag)
      }
      hasRow = try rows.advance()
    }
    while hasRow {
      try appendCell(of: rows)
      hasRow = try rows.advance()
    }
    changes.updatedCount += updated
    changes.unchangedCount += unchanged
    changes.changedPositions.formUnion(patch.changedPositions)
  }

  /// Adds a row as it is; the pages with the end of its record stay where they are.
  @inline(__always)
  private func appendCell(of rows: borrowing RewriteCursor) throws(PageError) {
    let size = rows.cellCount
    if !leaf.hasRoom(for: size) { try emitLeaf() }
    lastRowID = rows.rowID
    isEmpty = false
    if rows.overflowPlace != 0 { overflowHeads.append(rows.overflowHead) }
    // Safety: the leaf has room, or is empty now: a cell of a table is never larger than a page. `rows` stands still.
    unsafe leaf.addCell(size).copyMemory(from: rows.cell, byteCount: size)
  }
}
