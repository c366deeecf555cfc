/// Fills empty indexes of a table that has rows: keys are taken from the table's pages and sorted, and the index is
/// written from left to right. No connection may use the file meanwhile.
public struct IndexLoader {
  let path: String
  let memoryBudget: Int
  let temporaryPath: String
  let workers: Int

  /// - Parameters:
  ///   - path: the database.
  ///   - memoryBudget: bytes that sorting may hold in memory.
  ///   - temporaryPath: a name for what goes beyond; such a file has no name once it is open.
  ///   - workers: threads that read and sort.
  public init(path: String, memoryBudget: Int, temporaryPath: String, workers: Int) {
    self.path = path
    self.memoryBudget = memoryBudget
    self.temporaryPath = temporaryPath
    self.workers = max(workers, 1)
  }

  /// Fills the indexes of one table.
  /// - Parameter columns: columns of the table that were kept while it was written. Those that are complete must hold
  ///   all its rows; indexes over one of them do not read the table.
  /// - Throws: `PageError` of kind `duplicateKey` when rows break a unique index. The file is of no use then.
  public func load(_ indexes: [IndexShape], tableRoot: UInt32, columns: [KeyColumn] = []) throws(PageError) {
    if indexes.isEmpty { return }
    let file = try DatabaseFile(path: path)
    let reader = try TableTreeReader(path: path, geometry: file.geometry, root: tableRoot)
    var counted = indexes.filter(IntegerKeyCounts.isCandidate)
    let counts = try IntegerKeyCounts.count(counted, reader, workers: workers, memoryBudget: memoryBudget)
    counted = zip(counted, counts).filter { $0.1 != nil }.map(\.0)
    var known = counts.compactMap { $0 }
    for index in indexes where !counted.contains(index) { try sort(index, reader, into: file) }
    // As many together as the budget allows: each reads the whole table once.
    while !known.isEmpty {
      var group = 1
      while group < known.count, known[...group].reduce(0, { $0 + $1.placementBytes }) <= memoryBudget { group += 1 }
      try IntegerKeyCounts.write(
        Array(counted.prefix(group)), Array(known.prefix(group)), reader, into: file, memoryBudget: memoryBudget)
      counted.removeFirst(group)
      known.removeFirst(group)
    }
    try file.finish()
  }

  /// The general way: sort keys for every row, sorted in memory or by merging runs.
  private func sort(_ index: IndexShape, _ reader: TableTreeReader, into file: DatabaseFile) throws(PageError) {
    let sorter = KeySorter(budget: memoryBudget, temporaryPath: temporaryPath)
    let fieldCount = (index.columns.compactMap(\.field).max() ?? -1) + 1
    let fields = UnsafeMutableBufferPointer<StoredRecord.Field>.allocate(capacity: max(fieldCount, 1))
    defer { unsafe fields.deallocate() }
    unsafe fields.initialize(repeating: StoredRecord.Field(type: 0, offset: 0))
    var key: [UInt8] = []
    var payload: [UInt8] = []
    unsafe try reader.rows(inLeaves: 0..<reader.leaves.count) { (rowID, record) throws(PageError) in
      guard let base = record.baseAddress,
        unsafe StoredRecord.locate(
          base, count: record.count, fields: UnsafeMutableBufferPointer(rebasing: fields[..<fieldCount]))
      else { throw PageError(kind: .malformed, message: "row \(rowID) holds no record") }
      key.removeAll(keepingCapacity: true)
      var isNullKey = false
      var types: [UInt64] = []
      for column in index.columns {
        guard let field = column.field else {
          let start = key.count
          SortKey.append(integer: rowID, to: &key)
          if column.isDescending { for index in start..<key.count { key[index] = ~key[index] } }
          types.append(UInt64(StoredRecord.type(of: rowID)))
          continue
        }
        let place = unsafe fields[field]
        if place.type == 0 { isNullKey = true }
        types.append(place.type)
        unsafe SortKey.append(
          UnsafeRawBufferPointer(start: base + place.offset, count: place.count), type: place.type,
          isDescending: column.isDescending, to: &key)
      }
      // What makes equal keys unequal: the flag says whether the next key's equality matters.
      SortKey.append(rowID: rowID, to: &key)
      key.append(isNullKey ? 1 : 0)
      types.append(UInt64(StoredRecord.type(of: rowID)))
      payload.removeAll(keepingCapacity: true)
      let headerSize = RecordEncoding.headerSize(typeBytes: types.reduce(0) { $0 + Varint.size($1) })
      IndexLoader.appendVarint(UInt64(headerSize), to: &payload)
      for type in types { IndexLoader.appendVarint(type, to: &payload) }
      for column in index.columns {
        if let field = column.field {
          let place = unsafe fields[field]
          unsafe payload += UnsafeRawBufferPointer(start: base + place.offset, count: place.count)
        } else {
          IndexLoader.appendInteger(rowID, to: &payload)
        }
      }
      IndexLoader.appendInteger(rowID, to: &payload)
      try sorter.append(key: key, payload: payload)
    }
    let writer = try IndexTreeWriter(file: file, root: index.root)
    var previous: [UInt8] = []
    unsafe try sorter.forEach { (key, payload) throws(PageError) in
      if index.isUnique {
        // Without the row id and the flag.
        let own = unsafe key.dropLast(9)
        if unsafe key.last == 0, previous.count == key.count, unsafe previous.dropLast(9).elementsEqual(own) {
          throw PageError(
            kind: .duplicateKey, message: index.name,
            rows: [IndexLoader.rowID(previous), unsafe IndexLoader.rowID(Array(key))])
        }
        previous.removeAll(keepingCapacity: true)
        unsafe previous.append(contentsOf: key)
      }
      guard let base = payload.baseAddress else { return }
      unsafe try writer.append(payload: base, count: payload.count)
    }
    try writer.finish()
  }

  /// The row id in a sort key.
  private static func rowID(_ key: [UInt8]) -> Int64 {
    Int64(bitPattern: key.suffix(9).dropLast().reduce(0) { $0 << 8 | UInt64($1) } ^ 1 << 63)
  }

  private static func appendVarint(_ value: UInt64, to bytes: inout [UInt8]) {
    unsafe withUnsafeTemporaryAllocation(byteCount: 9, alignment: 1) { scratch in
      guard let base = scratch.baseAddress else { return }
      let count = unsafe Varint.write(value, to: base)
      unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(start: base, count: count))
    }
  }

  private static func appendInteger(_ value: Int64, to bytes: inout [UInt8]) {
    unsafe withUnsafeTemporaryAllocation(byteCount: 8, alignment: 8) { scratch in
      guard let base = scratch.baseAddress else { return }
      let (_, count) = unsafe RecordEncoding.write(value, to: base)
      unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(start: base, count: count))
    }
  }
}
