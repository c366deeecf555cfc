/// Fills the indexes of a table that has rows: keys are taken from the table's pages, or from columns that were kept
/// while it was written, and sorted; each index is written from left to right. No connection may use the file
/// meanwhile.
///
/// The pages are the same with any number of workers and any budget.
public struct IndexLoader {
  let path: String
  let memoryBudget: Int
  let temporaryPath: String
  let workers: Int

  /// - Parameters:
  ///   - path: the database.
  ///   - memoryBudget: bytes that sorting may hold in memory.
  ///   - temporaryPath: how the names of files for what exceeds the budget begin; a file has no name once it is open.
  ///   - workers: threads that read, sort and write.
  public init(path: String, memoryBudget: Int, temporaryPath: String, workers: Int) {
    self.path = path
    self.memoryBudget = memoryBudget
    self.temporaryPath = temporaryPath
    self.workers = max(workers, 1)
  }

  /// Fills the indexes of one table.
  /// - Parameters:
  ///   - columns: columns of the table that were kept while it was written. Those that are complete must hold all its
  ///     rows; indexes over one of them do not read the table.
  ///   - replacing: whether the indexes may have entries, which are replaced; otherwise they must be empty.
  /// - Returns: how many pages were written.
  /// - Throws: `PageError` of kind `duplicateKey` when rows break a unique index. The file is of no use then.
  @discardableResult
  public func load(
    _ indexes: [IndexShape], tableRoot: UInt32, columns: [KeyColumn] = [], replacing: Bool = false
  ) throws(PageError) -> Int {
    if indexes.isEmpty { return 0 }
    let file = try DatabaseFile(path: path)
    if replacing { for index in indexes { try file.emptyIndex(root: index.root) } }
    var known: [Int: [KeyColumn]] = [:]
    for column in columns where column.isComplete { known[column.field] = [column] }
    let isCounted = indexes.map { index in
      guard let field = IndexLoader.countedField(index) else { return false }
      return known[field].map(IntegerIndexBuilder.isSuitable) ?? true
    }
    let fields = Set(indexes.indices.filter { isCounted[$0] }.compactMap { IndexLoader.countedField(indexes[$0]) })
      .subtracting(known.keys)
    let sorted = indexes.indices.filter { !isCounted[$0] }.map { indexes[$0] }
    // Half the budget is for putting row ids in order.
    let budget = max(memoryBudget / 2, 1 << 16)
    var arenas: [IndexShape: [KeyArena]] = [:]
    if !fields.isEmpty || !sorted.isEmpty {
      let reader = try TableTreeReader(path: path, root: tableRoot)
      let scan = try TableScan(
        reader, fields: fields.sorted(), indexes: sorted, workers: workers, memoryBudget: budget,
        temporaryPath: temporaryPath)
      known.merge(scan.columns) { $1 }
      arenas = scan.arenas
      // Columns with other values than small natural numbers are sorted after all.
      let unsuitable = indexes.indices.filter {
        isCounted[$0]
          && !(known[IndexLoader.countedField(indexes[$0]) ?? 0].map(IntegerIndexBuilder.isSuitable) ?? false)
      }
      let rest = try TableScan(
        reader, fields: [], indexes: unsuitable.map { indexes[$0] }, workers: workers, memoryBudget: budget,
        temporaryPath: temporaryPath)
      arenas.merge(rest.arenas) { $1 }
    }
    for index in indexes {
      if let arenas = arenas.removeValue(forKey: index) {
        try write(index, KeyMerge(arenas, budget: budget / 2), into: file)
      } else if let columns = IndexLoader.countedField(index).flatMap({ known[$0] }) {
        let builder = try IntegerIndexBuilder(
          file: file, root: index.root, columns: columns, workers: workers, memoryBudget: budget)
        try builder.write()
      }
    }
    try file.finish()
    return file.writtenPageCount
  }

  /// The only column of an index that is put in order by counting: foreign keys are small, dense numbers.
  private static func countedField(_ index: IndexShape) -> Int? {
    guard index.columns.count == 1, !index.columns[0].isDescending, !index.isUnique else { return nil }
    return index.columns[0].field
  }

  /// Writes an index from its entries in order; the merge is used up by that.
  private func write(_ index: IndexShape, _ entries: consuming KeyMerge, into file: DatabaseFile) throws(PageError) {
    let writer = try IndexTreeWriter(file: file, root: index.root)
    let previous = PreviousKey()
    unsafe try entries.forEach { (entry) throws(PageError) in
      // Safety: an entry is two lengths of four bytes, its key and its payload. It stays until the next one;
      // `previous` copies what it keeps.
      let keyCount = unsafe SortEntry.keyCount(entry)
      if index.isUnique {
        if unsafe previous.isEqual(to: entry + 8, keyCount) {
          throw PageError(
            kind: .duplicateKey, message: index.name,
            rows: [previous.rowID, unsafe PreviousKey.rowID(entry + 8, keyCount)]
          )
        }
        unsafe previous.set(entry + 8, keyCount)
      }
      unsafe try writer.append(payload: entry + 8 + keyCount, count: SortEntry.payloadCount(entry))
    }
    try writer.finish()
  }
}
