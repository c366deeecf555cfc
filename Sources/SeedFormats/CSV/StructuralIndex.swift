/// Where the delimiters and line feeds of a text stand.
///
/// 64 bytes at a time become two masks with a bit per byte, and the bits become positions, eight at once whether there
/// are as many or not, so that the processor need not guess how many: the structural index of Langdale and Lemire,
/// "Parsing Gigabytes of JSON per Second" (2019), with the comparisons made on eight bytes in a plain integer.
@safe final class StructuralIndex {
  /// Positions of delimiters and line feeds. One place before the first may be written.
  private(set) var positions: UnsafeMutablePointer<UInt32>
  private(set) var positionCount = 0
  /// Positions of line feeds.
  private(set) var lineFeeds: UnsafeMutablePointer<UInt32>
  private(set) var lineFeedCount = 0
  private var capacity: Int
  /// Places after the last position that may be read; they hold no position.
  private let slack: Int

  /// Longer texts are not indexed: the index would take four bytes for each of theirs.
  static let maximumBytes = 4 << 20

  init(slack: Int) {
    self.slack = slack
    capacity = 1 << 12
    unsafe positions = .allocate(capacity: capacity + slack + 1) + 1
    unsafe lineFeeds = .allocate(capacity: capacity)
  }

  deinit {
    unsafe (positions - 1).deallocate()
    unsafe lineFeeds.deallocate()
  }

  /// Indexes a text. At least 64 bytes may be read after it.
  func build(_ base: UnsafePointer<UInt8>, count: Int, delimiter: UInt8) {
    let delimiters = Swar.broadcast(delimiter)
    var positions = unsafe self.positions
    var lineFeeds = unsafe self.lineFeeds
    var positionCount = 0
    var lineFeedCount = 0
    var start = 0
    while start < count {
      if positionCount &+ 72 > capacity {
        grow(positionCount, lineFeedCount)
        unsafe positions = self.positions
        unsafe lineFeeds = self.lineFeeds
      }
      var (mask, feeds) = unsafe Swar.masks(base + start, delimiters, LineEnds.lineFeeds)
      if count &- start < 64 {
        let within: UInt64 = 1 &<< UInt64(truncatingIfNeeded: count &- start) &- 1
        mask &= within
        feeds &= within
      }
      let offset = UInt32(truncatingIfNeeded: start)
      let found = mask.nonzeroBitCount
      var written = 0
      while written < found {
        let output = unsafe positions + (positionCount &+ written)
        for place in 0..<8 {
          unsafe output[place] = offset &+ UInt32(truncatingIfNeeded: mask.trailingZeroBitCount)
          mask &= mask &- 1
        }
        written &+= 8
      }
      positionCount &+= found
      while feeds != 0 {
        unsafe lineFeeds[lineFeedCount] = offset &+ UInt32(truncatingIfNeeded: feeds.trailingZeroBitCount)
        lineFeedCount &+= 1
        feeds &= feeds &- 1
      }
      start &+= 64
    }
    unsafe (positions + positionCount).update(repeating: .max, count: slack)
    self.positionCount = positionCount
    self.lineFeedCount = lineFeedCount
  }

  private func grow(_ positionCount: Int, _ lineFeedCount: Int) {
    capacity *= 2
    let grown = unsafe UnsafeMutablePointer<UInt32>.allocate(capacity: capacity + slack + 1) + 1
    unsafe grown.update(from: positions, count: positionCount)
    unsafe (positions - 1).deallocate()
    unsafe positions = grown
    let grownFeeds = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity)
    unsafe grownFeeds.update(from: lineFeeds, count: lineFeedCount)
    unsafe lineFeeds.deallocate()
    unsafe lineFeeds = grownFeeds
  }
}
