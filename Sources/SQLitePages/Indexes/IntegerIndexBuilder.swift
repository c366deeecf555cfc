import Platform

/// Writes an index over one integer column: counts how often each value occurs, puts the row ids in the order of the
/// values without comparing any (counting sort), spreads the entries over pages, and writes the pages on all workers.
///
/// What its unsafe code relies on: the columns do not change while the builder works, so the second pass of a worker
/// meets the rows that its first pass counted. `slotCount` is above every slot, and a slot is compared with a part's
/// width before it is an index. Each worker has a counting table and places in `rowIDs` of its own, and the threads of
/// one step have ended before the next step begins; that makes the unchecked `Sendable` sound. `plan`, `levels` and the
/// numbers of pages are changed by the calling thread only.
@safe final class IntegerIndexBuilder: @unchecked Sendable {
  private let file: DatabaseFile
  private let root: UInt32
  private let columns: [KeyColumn]
  private let workers: Int
  private let memoryBudget: Int
  private let levels: InteriorLevels
  private var plan: IntegerIndexPlan
  /// Where each of `columns` begins when all their rows are numbered through.
  private let starts: [Int]
  private let rowCount: Int
  private let slotCount: Int

  /// - Parameter columns: the column's rows in order, in one or more pieces.
  init(
    file: DatabaseFile, root: UInt32, columns: [KeyColumn], workers: Int, memoryBudget: Int
  ) throws(PageError) {
    self.file = file
    self.root = root
    self.columns = columns
    self.workers = workers
    self.memoryBudget = memoryBudget
    levels = InteriorLevels(file: file, kind: .interiorIndex)
    plan = IntegerIndexPlan(geometry: file.geometry)
    starts = columns.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) }
    rowCount = starts.last ?? 0
    slotCount = Int(columns.map(\.greatestSlot).max() ?? 0) + 1
    let scratch = UnsafeMutableRawPointer.allocate(byteCount: file.geometry.pageSize, alignment: 16)
    defer { unsafe scratch.deallocate() }
    unsafe try file.requireEmpty(root, .leafIndex, scratch)
  }

  /// Whether counting is worth while: values far beyond the number of rows take more memory than sorting does.
  static func isSuitable(_ columns: [KeyColumn]) -> Bool {
    let rows = columns.reduce(0) { $0 + $1.count }
    return columns.allSatisfy { $0.isComplete && Int($0.greatestSlot) <= max(1 << 20, rows * 8) }
  }

  func write() throws(PageError) {
    if rowCount == 0 { return }
    var carried = IntegerIndexPart.Carried()
    for slots in try parts() {
      let part = IntegerIndexPart(slots: slots, workers: workers, carried: carried)
      try count(part)
      part.allocateRowIDs()
      try place(part)
      plan.beginPart()
      part.forEachSlot { slot, entries in unsafe plan.append(slot: slot, entries: entries, rowIDs: part.rowIDs) }
      try write(plan.leaves, of: part)
      carried = part.carried(from: plan.open)
    }
    try finish(carried)
  }

  /// Writes the last leaf, and the levels above.
  private func finish(_ carried: IntegerIndexPart.Carried) throws(PageError) {
    let rest = IntegerIndexPart(slots: 0..<0, workers: 1, carried: carried)
    rest.allocateRowIDs()
    let page = UnsafeMutableRawPointer.allocate(byteCount: file.geometry.pageSize, alignment: 16)
    defer { unsafe page.deallocate() }
    var last = IntegerIndexPlan.Leaf(start: 0, slot: 0, dividerSlot: 0)
    if plan.hasDivider {
      // The very last entry does not fit: it gets a leaf of its own, and the one before it is the divider.
      last.start = rest.entryCount - 1
      unsafe rest.fill(
        page, file.geometry, IntegerIndexPlan.Leaf(start: 0, slot: 0, dividerSlot: 0), end: last.start - 1)
      unsafe try enter(file.append(page), slot: carried.slots[last.start - 1], rowID: carried.rowIDs[last.start - 1])
    }
    unsafe rest.fill(page, file.geometry, last, end: rest.entryCount)
    if levels.isEmpty {
      unsafe try file.replace(root, page)
    } else {
      try levels.finish(last: unsafe file.append(page), root: root)
    }
  }

  /// Enters a leaf in the level above.
  /// - Parameters:
  ///   - slot: of the key behind it.
  ///   - rowID: of the key behind it.
  private func enter(_ page: UInt32, slot: Int, rowID: UInt32) throws(PageError) {
    unsafe try withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { (bytes) throws(PageError) in
      guard let base = bytes.baseAddress else { return }
      let count = unsafe IntegerIndexPart.writeEntry(slot: slot, rowID: rowID, to: base)
      unsafe try levels.append(page, divider: base, count: count)
    }
  }

  /// Ranges of slots that the budget has room for together. One slot may exceed it alone.
  private func parts() throws(PageError) -> [Range<Int>] {
    let bytesPerSlot = workers * 4
    if rowCount * 4 + slotCount * bytesPerSlot <= memoryBudget { return [0..<slotCount] }
    // Rows are counted by groups of neighbouring slots first.
    var shift = 0
    while slotCount >> shift > 1 << 16 { shift += 1 }
    let groups = ((slotCount - 1) >> shift) + 1
    let counts = UnsafeMutablePointer<Int>.allocate(capacity: groups)
    defer { unsafe counts.deallocate() }
    unsafe counts.initialize(repeating: 0, count: groups)
    for column in columns {
      unsafe try column.forEach(in: 0..<column.count) { slots, _, count in
        // Safety: `slotCount` is one more than the greatest slot of all columns.
        for index in 0..<count { unsafe counts[Int(slots[index]) >> shift] += 1 }
      }
    }
    var result: [Range<Int>] = []
    var start = 0
    var bytes = 0
    for group in 0..<groups {
      let size = unsafe counts[group] * 4 + bytesPerSlot << shift
      if bytes > 0, bytes + size > memoryBudget {
        result.append(start..<(group << shift))
        start = group << shift
        bytes = 0
      }
      bytes += size
    }
    result.append(start..<slotCount)
    return result
  }

  /// Hands out the rows that a worker takes. The pointers are good during the call of `body` only.
  @unsafe private func forEachSlotRange(
    of worker: Int, _ body: (UnsafePointer<UInt32>, _ firstRowID: Int64, _ count: Int) -> Void
  ) throws(PageError) {
    let range = Workers.part(worker, of: workers, rowCount)
    for (index, column) in columns.enumerated() {
      let own = range.clamped(to: starts[index]..<starts[index + 1])
      if own.isEmpty { continue }
      unsafe try column.forEach(in: (own.lowerBound - starts[index])..<(own.upperBound - starts[index]), body)
    }
  }

  private func count(_ part: IntegerIndexPart) throws(PageError) {
    let lowest = UInt32(part.slots.lowerBound)
    let width = UInt32(part.slots.count)
    try Workers.run(workers) { (worker) throws(PageError) in
      let counts = unsafe part.tables[worker]
      unsafe try forEachSlotRange(of: worker) { slots, _, count in
        // Safety: a slot below the part wraps around to one above its width, so only the part's own slots are counted,
        // of which the table has one place each.
        for index in 0..<count {
          let slot = unsafe slots[index] &- lowest
          if slot < width { unsafe counts[Int(slot)] &+= 1 }
        }
      }
    }
  }

  private func place(_ part: IntegerIndexPart) throws(PageError) {
    let lowest = UInt32(part.slots.lowerBound)
    let width = UInt32(part.slots.count)
    part.turnCountsIntoPlaces()
    try Workers.run(workers) { (worker) throws(PageError) in
      let next = unsafe part.tables[worker]
      let rowIDs = unsafe part.rowIDs
      unsafe try forEachSlotRange(of: worker) { slots, firstRowID, count in
        var rowID = UInt32(truncatingIfNeeded: firstRowID)
        for index in 0..<count {
          let slot = unsafe slots[index] &- lowest
          if slot < width {
            // Safety: `next` began where the worker's counted rows of this slot begin, and goes on once for each of
            // them.
            unsafe rowIDs[Int(next[Int(slot)])] = rowID
            unsafe next[Int(slot)] &+= 1
          }
          rowID &+= 1
        }
      }
    }
  }

  /// Gives leaves their pages, enters them in the levels above, and writes them.
  private func write(_ leaves: [IntegerIndexPlan.Leaf], of part: IntegerIndexPart) throws(PageError) {
    let ends = leaves.indices.map { ($0 + 1 < leaves.count ? leaves[$0 + 1].start : plan.open.start) - 1 }
    var pages: [UInt32] = []
    pages.reserveCapacity(leaves.count)
    // Leaves that follow one another in the file are written together.
    var pieces: [Range<Int>] = []
    let leavesPerPiece = max(1, (1 << 18) / file.geometry.pageSize)
    for (index, leaf) in leaves.enumerated() {
      let page = try file.reservePage()
      if let last = pieces.last, last.count < leavesPerPiece, pages[index - 1] + 1 == page {
        pieces[pieces.count - 1] = last.lowerBound..<(index + 1)
      } else {
        pieces.append(index..<(index + 1))
      }
      pages.append(page)
      unsafe try enter(page, slot: leaf.dividerSlot, rowID: part.rowIDs[ends[index]])
    }
    let pageSize = file.geometry.pageSize
    let geometry = file.geometry
    let planned = (pages: pages, pieces: pieces, ends: ends)
    try Workers.share(pieces.count, among: workers) { (next) throws(PageError) in
      let window = UnsafeMutableRawPointer.allocate(byteCount: leavesPerPiece * pageSize, alignment: 16)
      defer { unsafe window.deallocate() }
      while let piece = next().map({ planned.pieces[$0] }) {
        // Safety: a piece has at most as many leaves as the window has pages. The window is this thread's own.
        for index in piece {
          unsafe part.fill(
            window + (index - piece.lowerBound) * pageSize, geometry, leaves[index], end: planned.ends[index])
        }
        unsafe try file.write(window, pages: piece.count, at: planned.pages[piece.lowerBound])
      }
    }
  }
}
