import Platform

/// Filling many leaves at once: where each one begins follows from the sizes of the records alone.
extension TableTreeWriter {
  /// Fewer rows are not worth other threads.
  static let leastSharedRows = 1_024

  /// Writes the current leaf, which has no room for the first of these rows, and the leaves that the rows fill. The
  /// caller writes the remaining rows, and all rows from the first one on that needs overflow pages.
  /// - Parameters: see `append(firstRowID:payloads:ends:count:)`.
  /// - Returns: the first row that was not taken.
  @unsafe func appendLeaves(
    _ firstRowID: Int64, _ payloads: UnsafeRawPointer, _ ends: UnsafePointer<Int>, _ rows: Range<Int>
  ) throws(PageError) -> Int {
    let starts = unsafe leafStarts(firstRowID, ends, rows)
    let leafCount = starts.count - 1
    guard leafCount >= workers else { return rows.lowerBound }
    if leaf.cellCount > 0 { try emitLeaf() }
    let pageSize = geometry.pageSize
    let pages = UnsafeMutableRawPointer.allocate(byteCount: leafCount * pageSize, alignment: 16)
    defer { unsafe pages.deallocate() }
    // Safety: `pages`, payloads and ends outlive the workers, which `run` waits for. One of them fills each leaf,
    // with rows whose cells were counted to fit.
    let work = unsafe LeafWork(
      geometry: geometry, firstRowID: firstRowID, payloads: payloads, ends: ends, starts: starts, pages: pages)
    let workers = workers
    try Workers.run(workers) { (worker) throws(PageError) in
      for index in Workers.part(worker, of: workers, leafCount) { unsafe work.fill(index) }
    }
    if isEmpty { firstNewRowID = firstRowID + Int64(rows.lowerBound) }
    isEmpty = false
    for index in 0..<leafCount {
      lastRowID = firstRowID + Int64(starts[index + 1] - 1)
      try noteLeaf(unsafe file.append(pages + index * pageSize), lastRowID: lastRowID)
    }
    return starts[leafCount]
  }

  /// The first row of each leaf that is filled to its last fitting row, and the row behind them all.
  @unsafe private func leafStarts(_ firstRowID: Int64, _ ends: UnsafePointer<Int>, _ rows: Range<Int>) -> [Int] {
    let roomOnPage = geometry.usableSize - PageKind.leafTable.headerSize
    let maximumLocal = geometry.maximumTableLocal
    var starts = [rows.lowerBound]
    var room = roomOnPage
    var start = unsafe rows.lowerBound == 0 ? 0 : ends[rows.lowerBound - 1]
    for row in rows {
      let size = unsafe ends[row] - start
      if size > maximumLocal { break }
      start += size
      let cell = PageBuilder.room(
        for: size &+ Varint.size(UInt64(size)) &+ Varint.size(UInt64(bitPattern: firstRowID &+ Int64(row))))
      if cell > room {
        starts.append(row)
        room = roomOnPage
      }
      room -= cell
    }
    return starts
  }
}

/// Rows that fill leaves, with memory for those. Every leaf is filled by one thread.
@safe private struct LeafWork: @unchecked Sendable {
  let geometry: PageGeometry
  let firstRowID: Int64
  let payloads: UnsafeRawPointer
  let ends: UnsafePointer<Int>
  let starts: [Int]
  let pages: UnsafeMutableRawPointer

  @unsafe func fill(_ index: Int) {
    var page = unsafe PageBuilder(.leafTable, geometry: geometry, page: pages + index * geometry.pageSize)
    var start = unsafe starts[index] == 0 ? 0 : ends[starts[index] - 1]
    for row in starts[index]..<starts[index + 1] {
      let size = unsafe ends[row] - start
      let rowID = UInt64(bitPattern: firstRowID &+ Int64(row))
      var cell = unsafe page.addCell(size &+ Varint.size(UInt64(size)) &+ Varint.size(rowID))
      unsafe cell += Varint.write(UInt64(size), to: cell)
      unsafe cell += Varint.write(rowID, to: cell)
      unsafe cell.copyMemory(from: payloads + start, byteCount: size)
      start &+= size
    }
    _ = unsafe page.finish()
  }
}
