/// Where the delimiters and line feeds of a text stand.
///
/// 64 bytes at a time become two masks with a bit per byte, and the bits become positions, eight at once whether there
/// are as many or not, so that the processor need not guess how many: the structural index of Langdale and Lemire,
/// "Parsing Gigabytes of JSON per Second" (2019), with the comparisons made on eight bytes in a plain integer.
@safe final class StructuralIndex {
  private(set) var lists: PositionLists

  /// Positions of delimiters and line feeds. The place before the first may be written, and `slack` places after the
  /// last may be read.
  var positions: UnsafeMutablePointer<UInt32> { unsafe lists.positions }
  /// Positions of line feeds.
  var lineFeeds: UnsafeMutablePointer<UInt32> { unsafe lists.lineFeeds }
  var lineFeedCount: Int { lists.lineFeedCount }

  /// Longer texts are not indexed: the index would take four bytes for each of theirs.
  static let maximumBytes = 4 << 20

  /// - Parameter slack: places after the last position that may be read; they hold no position.
  init(slack: Int) {
    lists = PositionLists(slack: slack)
  }

  deinit { lists.deallocate() }

  /// Indexes a text. At least 64 bytes may be read after it.
  func build(_ base: UnsafePointer<UInt8>, count: Int, delimiter: UInt8) {
    // Back at the end, so that the loop works on its own copy.
    var lists = lists
    defer { self.lists = lists }
    lists.clear()
    let delimiters = SWAR.broadcast(delimiter)
    var start = 0
    while start < count {
      // Safety: 64 bytes are read from a place before `count`, and as many are there behind it; what they say is masked
      // off.
      var (mask, feeds) = unsafe SWAR.masks(base + start, delimiters, LineEnds.lineFeeds)
      if count &- start < 64 {
        let within: UInt64 = 1 &<< UInt64(truncatingIfNeeded: count &- start) &- 1
        mask &= within
        feeds &= within
      }
      lists.append(mask, feeds, at: start)
      start &+= 64
    }
    lists.end()
  }

  /// Indexes a text with quotes: what stands between them is passed over. At least 64 bytes may be read after it.
  /// - Returns: nil when a quote stands where it neither opens nor closes a field, when a line end or the text's end is
  ///   inside quotes; otherwise whether quotes are doubled anywhere.
  func build(_ base: UnsafePointer<UInt8>, count: Int, delimiter: UInt8, quote: UInt8) -> Bool? {
    // Back at the end, so that the loop works on its own copy.
    var lists = lists
    defer { self.lists = lists }
    lists.clear()
    let delimiters = SWAR.broadcast(delimiter)
    let quotes = SWAR.broadcast(quote)
    // Of the byte before: whether it may stand before an opening quote, is a quote, closes a field, is inside.
    var isBoundary: UInt64 = 1
    var isQuote: UInt64 = 0
    var isClosing: UInt64 = 0
    var isInside: UInt64 = 0
    var doubled: UInt64 = 0
    var start = 0
    while start < count {
      var within = UInt64.max
      if count &- start < 64 { within = 1 &<< UInt64(truncatingIfNeeded: count &- start) &- 1 }
      var (mask, feeds) = unsafe SWAR.masks(base + start, delimiters, LineEnds.lineFeeds)
      mask &= within
      feeds &= within
      let found = unsafe SWAR.mask(base + start, quotes) & within
      let inside = SWAR.parities(found) ^ (0 &- isInside)
      if feeds & inside != 0 { return nil }
      let afterQuote = found &<< 1 | isQuote
      let opening = found & inside
      if opening & ~(mask &<< 1 | isBoundary | afterQuote) != 0 { return nil }
      doubled |= opening & afterQuote
      let closing = found & ~inside
      var odd = (closing &<< 1 | isClosing) & ~(mask | found) & within
      while odd != 0 {
        // A field may also end with the CR of a line end.
        if unsafe base[start &+ odd.trailingZeroBitCount] != 0x0D { return nil }
        odd &= odd &- 1
      }
      lists.append(mask & ~inside, feeds, at: start)
      isBoundary = mask &>> 63
      isQuote = found &>> 63
      isClosing = closing &>> 63
      isInside = inside &>> 63
      start &+= 64
    }
    lists.end()
    return isInside == 0 || count == 0 ? doubled != 0 : nil
  }
}

/// The growing lists of an index. A copy owns the memory from then on.
@safe struct PositionLists {
  private(set) var positions: UnsafeMutablePointer<UInt32>
  private(set) var lineFeeds: UnsafeMutablePointer<UInt32>
  private(set) var positionCount = 0
  private(set) var lineFeedCount = 0
  private let capacity: Int
  private let slack: Int

  init(slack: Int, capacity: Int = 1 << 12) {
    self.slack = slack
    self.capacity = capacity
    unsafe positions = .allocate(capacity: capacity + slack + 1) + 1
    unsafe lineFeeds = .allocate(capacity: capacity)
  }

  func deallocate() {
    unsafe (positions - 1).deallocate()
    unsafe lineFeeds.deallocate()
  }

  mutating func clear() {
    positionCount = 0
    lineFeedCount = 0
  }

  /// Makes the places after the last position readable.
  func end() {
    // Safety: the list was allocated with `slack` places more than its capacity.
    unsafe (positions + positionCount).update(repeating: .max, count: slack)
  }

  /// Adds the positions of the bits of two masks for the 64 bytes at `start`.
  @inline(__always) mutating func append(_ bits: UInt64, _ feedBits: UInt64, at start: Int) {
    // Eight places are written at a time. Safety: 64 bytes have 64 marks at most, and the last eight begin before the
    // 64th. There are no more line feeds than positions, so the shorter list needs no check.
    if positionCount &+ 72 > capacity { grow() }
    var bits = bits
    var feeds = feedBits
    let offset = UInt32(truncatingIfNeeded: start)
    let found = bits.nonzeroBitCount
    var output = unsafe positions + positionCount
    var written = 0
    while written < found {
      for place in 0..<8 {
        unsafe output[place] = offset &+ UInt32(truncatingIfNeeded: bits.trailingZeroBitCount)
        bits &= bits &- 1
      }
      unsafe output += 8
      written &+= 8
    }
    positionCount &+= found
    while feeds != 0 {
      unsafe lineFeeds[lineFeedCount] = offset &+ UInt32(truncatingIfNeeded: feeds.trailingZeroBitCount)
      lineFeedCount &+= 1
      feeds &= feeds &- 1
    }
  }

  private mutating func grow() {
    var grown = PositionLists(slack: slack, capacity: 2 * capacity)
    unsafe grown.positions.update(from: positions, count: positionCount)
    unsafe grown.lineFeeds.update(from: lineFeeds, count: lineFeedCount)
    grown.positionCount = positionCount
    grown.lineFeedCount = lineFeedCount
    deallocate()
    self = grown
  }
}
