/// The keys of an object as another record had them: text that can be compared instead of being read.
///
/// A writer gives its objects the same keys in the same order, spaced in the same way, perhaps leaving some out. So the
/// text between two values is nearly always known beforehand, and reading a record is comparing that and finding where
/// the values end. An object of another shape is none of this type's business: it is read token by token.
@safe final class ObjectShape {
  /// A key with the text up to its value, such as `"name": `.
  struct Member {
    /// In `text`; padded to whole words.
    var offset = 0
    var length = 0
    /// The bytes of the last word that count.
    var lastMask: UInt64 = 0
    /// The outputs that take the value: a range of `outputs`.
    var firstOutput = 0
    var endOutput = 0
  }

  static let maximumMembers = 256
  static let maximumTextBytes = 8192

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
  /// What stands before the first member, between members, and after the last one.
  private(set) var opening = Member()
  private(set) var separator = Member()
  private(set) var closing = Member()

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
    text.count = 0
    separator = Member()
  }

  /// Keeps some text.
  /// - Returns: nil when there is no room left.
  private func keep(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Member? {
    let words = (end - start + 7) / 8
    guard end > start, text.count + 8 * words <= ObjectShape.maximumTextBytes else { return nil }
    let offset = text.count
    unsafe text.append(base + start, count: end - start)
    text.terminate()
    text.count = offset + 8 * words
    let rest = (end - start) % 8
    return Member(
      offset: offset, length: end - start, lastMask: rest == 0 ? .max : (1 << UInt64(8 * rest)) - 1)
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

  /// - Returns: whether there was room.
  func setClosing(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Bool {
    guard let kept = unsafe keep(base, start, end) else { return false }
    closing = kept
    return true
  }

  /// Adds a member whose value goes to some outputs.
  /// - Returns: whether there was room.
  func append(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int, outputs indexes: some Sequence<Int>) -> Bool {
    guard memberCount < ObjectShape.maximumMembers, var member = unsafe keep(base, start, end) else { return false }
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

  /// Whether the bytes are the member's in `text`. They may be fewer when a zero follows them.
  @inline(__always) static func matches(
    _ member: Member, _ text: UnsafePointer<UInt8>, _ bytes: UnsafePointer<UInt8>
  ) -> Bool {
    let known = unsafe text + member.offset
    var at = 0
    while at &+ 8 < member.length {
      if unsafe Swar.load(bytes + at) != Swar.load(known + at) { return false }
      at &+= 8
    }
    return unsafe (Swar.load(bytes + at) ^ Swar.load(known + at)) & member.lastMask == 0
  }
}
