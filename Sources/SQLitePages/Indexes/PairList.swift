import Platform

/// Pairs of natural numbers in the order in which they came, such as the rows of a join table: 8 bytes each, beyond a
/// budget in temporary files.
@safe public final class PairList {
  private let firsts: KeyColumn
  private let seconds: KeyColumn
  private let memoryBudget: Int
  private let temporaryPath: String
  private var pending: (firsts: [Int64], seconds: [Int64]) = ([], [])
  private static let bufferCount = 1 << 12
  /// The greatest first number so far.
  public private(set) var greatestFirst: Int64 = -1
  /// The greatest second number so far.
  public private(set) var greatestSecond: Int64 = -1
  /// Whether first numbers never decreased. Then equal pairs are found as they are added.
  private var isAscending = true
  /// The second numbers of the pairs with the greatest first number.
  private var current: Set<Int64> = []

  /// The number of pairs, without those that were found to be repeated when they were added.
  public var count: Int { firsts.count + pending.firsts.count }

  /// - Parameters:
  ///   - memoryBudget: bytes that the pairs may hold in memory.
  ///   - temporaryPath: how the names of files for what exceeds the budget begin; a file has no name once it is open.
  public init(memoryBudget: Int, temporaryPath: String) {
    self.memoryBudget = memoryBudget
    self.temporaryPath = temporaryPath
    firsts = KeyColumn(field: 0, memoryBudget: memoryBudget / 2, temporaryPath: temporaryPath)
    seconds = KeyColumn(field: 1, memoryBudget: memoryBudget / 2, temporaryPath: temporaryPath)
  }

  /// Whether a number can be one of a pair: it must have 31 bits.
  public static func canHold(_ value: Int64) -> Bool { value >= 0 && value >> 31 == 0 }

  /// Adds a pair of numbers that a list can hold.
  public func append(_ first: Int64, _ second: Int64) throws(PageError) {
    if first > greatestFirst {
      greatestFirst = first
      current.removeAll(keepingCapacity: true)
    }
    if isAscending {
      if first < greatestFirst {
        isAscending = false
      } else if !current.insert(second).inserted {
        return
      }
    }
    greatestSecond = max(greatestSecond, second)
    pending.firsts.append(first)
    pending.seconds.append(second)
    if pending.firsts.count == PairList.bufferCount { try flush() }
  }

  private func flush() throws(PageError) {
    let count = pending.firsts.count
    guard count > 0 else { return }
    for (column, values) in [(firsts, pending.firsts), (seconds, pending.seconds)] {
      unsafe values.withUnsafeBufferPointer { values in
        guard let base = values.baseAddress else { return }
        unsafe column.append(base, states: nil, valueState: 0, firstRowID: Int64(column.count) + 1, count: count)
      }
      guard column.isComplete else {
        throw PageError(kind: .inputOutput, message: "pairs could not be kept in \(temporaryPath)")
      }
    }
    pending.firsts.removeAll(keepingCapacity: true)
    pending.seconds.removeAll(keepingCapacity: true)
  }

  /// Hands out all pairs in the order in which they came, repeated ones included.
  public func forEach(_ body: (_ first: Int64, _ second: Int64) throws -> Void) throws {
    try flush()
    try forEach(in: 0..<count) { _, first, second in try body(first, second) }
  }

  /// Hands out the pairs in the order in which they came, equal ones once.
  /// - Parameter workers: threads that look for equal ones.
  public func forEachUnique(
    workers: Int, _ body: (_ first: Int64, _ second: Int64) throws -> Void
  ) throws {
    try flush()
    let repeated = isAscending ? [] : try repeatedPairs(workers: max(workers, 1))
    try forEach(in: 0..<count) { position, first, second in
      if !repeated.isEmpty, repeated[position / 64] >> UInt64(position % 64) & 1 == 1 { return }
      try body(first, second)
    }
  }

  private func forEach(
    in range: Range<Int>, _ body: (_ position: Int, _ first: Int64, _ second: Int64) throws -> Void
  ) throws {
    let capacity = KeyColumn.rowsPerChunk
    // Safety: a part ends with its chunk, and the rows are one run, so each column hands it out in one piece that
    // is no longer than a chunk.
    let slots = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity * 2)
    defer { unsafe slots.deallocate() }
    var position = range.lowerBound
    while position < range.upperBound {
      let part = position..<min((position / capacity + 1) * capacity, range.upperBound)
      unsafe try firsts.forEach(in: part) { source, _, count in unsafe slots.update(from: source, count: count) }
      unsafe try seconds.forEach(in: part) { source, _, count in
        unsafe (slots + capacity).update(from: source, count: count)
      }
      for index in 0..<part.count {
        unsafe try body(position + index, Int64(slots[index]) - 1, Int64(slots[capacity + index]) - 1)
      }
      position = part.upperBound
    }
  }

  /// A bit for each pair that came before, found by sorting the pairs with their positions.
  private func repeatedPairs(workers: Int) throws -> [UInt64] {
    let arenas = (0..<workers).map { _ in KeyArena(budget: memoryBudget / workers, temporaryPath: temporaryPath) }
    for (worker, arena) in arenas.enumerated() {
      try forEach(in: Workers.part(worker, of: workers, count)) { position, first, second in
        let key = unsafe try arena.reserve(16)
        unsafe key.storeBytes(of: UInt64(first << 32 | second).bigEndian, as: UInt64.self)
        unsafe (key + 8).storeBytes(of: UInt64(position).bigEndian, as: UInt64.self)
        arena.commit(keyCount: 16, payloadCount: 0)
      }
    }
    try Workers.run(workers) { (worker) throws(PageError) in arenas[worker].finish() }
    var repeated = [UInt64](repeating: 0, count: count / 64 + 1)
    var previous: UInt64?
    var merge = try KeyMerge(arenas, budget: memoryBudget / 2)
    unsafe try merge.forEach { (entry) throws(PageError) in
      let pair = unsafe UnsafeRawPointer(entry + 8).loadUnaligned(as: UInt64.self)
      if pair == previous {
        let position = Int(UInt64(bigEndian: unsafe UnsafeRawPointer(entry + 16).loadUnaligned(as: UInt64.self)))
        repeated[position / 64] |= 1 << UInt64(position % 64)
      }
      previous = pair
    }
    return repeated
  }
}
