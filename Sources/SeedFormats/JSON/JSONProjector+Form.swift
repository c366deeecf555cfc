// Safety: `start` and `end` bound a value that the tokenizer has read, so it has a first byte, and `base` has not moved
// since.
extension JSONProjector {
  /// Why a scanned value is no record, where records are objects.
  func misfit(_ start: Int, _ end: Int) -> (code: String, message: String, hint: String?, at: Int)? {
    guard requiresObjects else { return nil }
    let first = unsafe tokenizer.base[start]
    let what: String
    switch first {
    case 0x7B:
      guard unsafe UnmendedReject.holds(tokenizer.base, start, end) else { return nil }
      return (
        UnreadableRecord.notAnObject, "the record was refused because it is no object, and is not mended",
        "put an object in its place, with the keys that map names", start
      )
    case 0x5B:
      if paths.indexesRecords { return nil }
      what = "an array"
    case 0x22: what = "a text"
    case 0x74, 0x66: what = "a boolean"
    case 0x6E: what = "null"
    default: what = "a number"
    }
    var hint = "a record is an object, such as {\"id\": 1}"
    if first == 0x5B {
      hint =
        isLineBound
        ? "each line holds one object; a document with an array of objects is format: json"
        : "is the array of records one level deeper? state the way there with pointer:"
    }
    return (UnreadableRecord.notAnObject, "the record is \(what), not an object", hint, start)
  }
}

extension UnreadableRecord {
  /// The code of a JSON record that is no object.
  public static let notAnObject = "json.not-an-object"
}

/// A line of a file of rejects that stands for something that was no object: `{"$reject":{…},"$record":"…"}`.
enum UnmendedReject {
  private static let start = Array("{\"$reject\":{".utf8)
  private static let key = Array("$record".utf8)

  static func holds(_ base: UnsafePointer<UInt8>, _ from: Int, _ end: Int) -> Bool {
    guard end - from > start.count, start.indices.allSatisfy({ unsafe base[from + $0] == start[$0] }) else {
      return false
    }
    let text = unsafe UnsafeRawBufferPointer(start: base + from, count: end - from)
    var members = unsafe JSONMembers(text)
    while let member = members.next() {
      if unsafe text[member].elementsEqual(key) { return true }
    }
    return false
  }
}

/// The keys of an object that is well-formed, as they are written.
///
/// The text belongs to the caller and must outlive this. `position` is compared with its count before a byte is read.
@safe struct JSONMembers {
  @unsafe private let text: UnsafeRawBufferPointer
  private var position = 0
  private var depth = 0
  private var isKey = false

  @unsafe init(_ text: UnsafeRawBufferPointer) {
    unsafe self.text = unsafe text
  }

  /// Where the next key stands, without its quotes.
  mutating func next() -> Range<Int>? {
    while unsafe position < text.count {
      switch unsafe text[position] {
      case 0x7B, 0x5B:
        depth += 1
        isKey = depth == 1
      case 0x7D, 0x5D: depth -= 1
      case 0x2C: isKey = depth == 1
      case 0x22:
        let start = position + 1
        position = unsafe JSONPointerLocator.endOfString(text, from: position)
        guard isKey else { continue }
        isKey = false
        return start..<max(position - 1, start)
      default: break
      }
      position += 1
    }
    return nil
  }
}
