/// Hands out the entries of finished arenas, all together in order.
@safe struct KeyMerge {
  /// Sorted sources of entries that are not at their end, as a heap: the one with the smallest key is the first.
  private var sources: [KeySource] = []
  private let arenas: [KeyArena]

  /// - Parameter budget: bytes for reading back the arenas' files.
  init(_ arenas: [KeyArena], budget: Int) throws(PageError) {
    self.arenas = arenas
    let runCount = arenas.reduce(0) { $0 + $1.runs.count }
    let capacity = min(max(budget / max(runCount, 1), 1 << 14), 1 << 20)
    for arena in arenas {
      for run in arena.runs { sources.append(KeySource(file: arena.file, range: run, capacity: capacity)) }
      if let entries = unsafe arena.sorted { unsafe sources.append(KeySource(entries, count: arena.entryCount)) }
    }
    var open: [KeySource] = []
    for source in sources where try source.advance() { open.append(source) }
    sources = open
    for index in stride(from: sources.count / 2 - 1, through: 0, by: -1) { sink(index) }
  }

  /// Hands out all entries. They are valid during the call only.
  @unsafe mutating func forEach(_ body: (UnsafePointer<UInt8>) throws(PageError) -> Void) throws(PageError) {
    while sources.count > 1 {
      // Safety: the source goes on only after the call; `arenas` keeps what lies in memory.
      unsafe try body(sources[0].entry)
      if try !sources[0].advance() {
        sources.swapAt(0, sources.count - 1)
        sources.removeLast()
      }
      sink(0)
    }
    guard let last = sources.first else { return }
    repeat { unsafe try body(last.entry) } while try last.advance()
  }

  private mutating func sink(_ start: Int) {
    var index = start
    while true {
      var child = index * 2 + 1
      if child >= sources.count { return }
      if child + 1 < sources.count, sources[child + 1].isBefore(sources[child]) { child += 1 }
      if !sources[child].isBefore(sources[index]) { return }
      sources.swapAt(child, index)
      index = child
    }
  }
}
