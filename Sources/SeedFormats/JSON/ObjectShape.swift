/// The keys of an object as another record had them: text that can be compared instead of being read.
///
/// A writer gives its objects the same keys in the same order, spaced in the same way, perhaps leaving some out. So the
/// text between two values is nearly always known beforehand, and reading a record is comparing that and finding where
/// the values end. An object of another shape is read token by token elsewhere.
///
/// `members` and `outputs` are allocated once, for the most that `append` lets in. Pieces are offsets into `text`,
/// which never moves either: it is made as large as `keep` lets it become, and has its 64 bytes of slack behind that.
@safe final class ObjectShape {
  /// Text to compare with. Most is short: its first 24 bytes are at hand, each word with the bytes that count.
  struct Piece {
    /// The place in `text`, where the piece is padded to whole words.
    var offset = 0
    var length = 0
    fileprivate var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
    fileprivate var masks: (UInt64, UInt64, UInt64) = (0, 0, 0)
    /// The bytes of the last word that count.
    fileprivate var lastMask: UInt64 = 0
  }

  /// A key with the text up to its value, such as `"name": `.
  struct Member {
    var key = Piece()
    /// The same with the separator before it.
    var separatedKey = Piece()
    /// The outputs that take the value: a range of `outputs`.
    var firstOutput = 0
    var endOutput = 0
  }

  static let maximumMembers = 256
  static let maximumTextBytes = 16_384

  private(set) var memberCount = 0
  let members: UnsafeMutablePointer<Member>
  /// Indexes of projected fields, by member.
  let outputs: UnsafeMutablePointer<Int>
  private var outputCount = 0
  private let outputCapacity: Int
  /// The members' text, and that between them.
  let text = ByteBuffer(capacity: ObjectShape.maximumTextBytes)
  /// Outputs that no member of this shape gives a value.
  var absentOutputs: [Int] = []
  /// Outputs that take the whole object.
  var wholeOutputs: [Int] = []
  /// The text before the first member, between members, and after the last one.
  private(set) var opening = Piece()
  private(set) var separator = Piece()
  private(set) var closing = Piece()

  init(fieldCount: Int) {
    unsafe members = .allocate(capacity: ObjectShape.maximumMembers)
    outputCapacity = fieldCount + 1
    unsafe outputs = .allocate(capacity: outputCapacity)
  }

  deinit {
    unsafe members.deallocate()
    unsafe outputs.deallocate()
  }

  /// Forgets the shape.
  func clear() {
    memberCount = 0
    outputCount = 0
    text.removeAll()
    separator = Piece()
  }

  /// Keeps some text.
  /// - Returns: nil when there is no room left.
  private func keep(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Piece? {
    let wordCount = (end - start + 7) / 8
    guard end > start, text.count + 8 * wordCount <= ObjectShape.maximumTextBytes else { return nil }
    let offset = text.count
    unsafe text.append(base + start, count: end - start)
    text.terminate()
    text.resize(to: offset + 8 * wordCount)
    let rest = (end - start) % 8
    var piece = Piece(offset: offset, length: end - start)
    piece.lastMask = rest == 0 ? .max : (1 << UInt64(8 * rest)) - 1
    func mask(_ word: Int) -> UInt64 { word + 1 < wordCount ? .max : word < wordCount ? piece.lastMask : 0 }
    let kept = unsafe text.base + offset
    piece.masks = (mask(0), mask(1), mask(2))
    piece.words = unsafe (SWAR.load(kept), SWAR.load(kept + 8), SWAR.load(kept + 16))
    return piece
  }

  /// - Returns: whether there was room.
  func setOpening(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Bool {
    guard let kept = unsafe keep(base, start, end) else { return false }
    opening = kept
    return true
  }

  /// - Returns: whether members are separated by this text everywhere.
  func setSeparator(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Bool {
    if separator.length > 0 {
      return unsafe separator.length == end - start && ObjectShape.matches(separator, text.base, base + start)
    }
    guard let kept = unsafe keep(base, start, end) else { return false }
    separator = kept
    return true
  }

  /// Ends the shape, which is whole then.
  /// - Returns: whether there was room.
  func setClosing(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Bool {
    guard let kept = unsafe keep(base, start, end) else { return false }
    closing = kept
    let joined = ByteBuffer(capacity: 256)
    for index in 1..<max(memberCount, 1) {
      let key = unsafe members[index].key
      joined.removeAll()
      unsafe joined.append(text.base + separator.offset, count: separator.length)
      unsafe joined.append(text.base + key.offset, count: key.length)
      guard let kept = unsafe keep(joined.base, 0, joined.count) else { return false }
      unsafe members[index].separatedKey = kept
    }
    return true
  }

  /// Adds a member whose value goes to some outputs.
  /// - Returns: whether there was room.
  func append(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int, outputs indexes: some Sequence<Int>) -> Bool {
    guard memberCount < ObjectShape.maximumMembers, let key = unsafe keep(base, start, end) else { return false }
    var member = Member(key: key)
    member.firstOutput = outputCount
    for index in indexes {
      guard outputCount < outputCapacity else { return false }
      unsafe outputs[outputCount] = index
      outputCount += 1
    }
    member.endOutput = outputCount
    unsafe members[memberCount] = member
    memberCount += 1
    return true
  }

  /// Whether the bytes are the piece's. They may be fewer when a zero follows them; 24 may be looked at in any case.
  @inline(__always) static func matches(
    _ piece: Piece, _ text: UnsafePointer<UInt8>, _ bytes: UnsafePointer<UInt8>
  ) -> Bool {
    let different =
      unsafe ((SWAR.load(bytes) ^ piece.words.0) & piece.masks.0)
      | ((SWAR.load(bytes + 8) ^ piece.words.1) & piece.masks.1)
      | ((SWAR.load(bytes + 16) ^ piece.words.2) & piece.masks.2)
    if different != 0 { return false }
    return unsafe piece.length <= 24 || endMatches(piece, text, bytes)
  }

  /// The same for what lies behind the first 24 bytes.
  private static func endMatches(
    _ piece: Piece, _ text: UnsafePointer<UInt8>, _ bytes: UnsafePointer<UInt8>
  ) -> Bool {
    // Safety: the piece is padded to whole words in `text`. Of `bytes` the words before were equal to the piece's,
    // which has no zero, so the text goes on at least to where this one begins.
    let known = unsafe text + piece.offset
    var at = 24
    while at &+ 8 < piece.length {
      if unsafe SWAR.load(bytes + at) != SWAR.load(known + at) { return false }
      at &+= 8
    }
    return unsafe (SWAR.load(bytes + at) ^ SWAR.load(known + at)) & piece.lastMask == 0
  }
}
