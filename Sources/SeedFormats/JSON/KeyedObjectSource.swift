/// A JSON document in which the records are the members of an object, as one in which they are the elements of an
/// array: the key of each becomes its first field, and a value that is no object becomes the field `value`. Lines stay
/// as they are. What is no JSON comes through as it is, for the reader to refuse.
@safe final class KeyedObjectSource: BlockSource {
  private enum State {
    /// On the way to the object, outside of keys; in a key on the way, or a text.
    case searching, keyOnTheWay, text
    /// Between members; in a key; behind it; behind its colon; behind the brace that opens a record.
    case betweenMembers, key, behindKey, beforeValue, recordOpened
    /// In a record or another value; in a text of it.
    case value, textOfValue
    /// Behind the object, or where none is.
    case passing
  }

  private let upstream: any BlockSource
  /// The tokens of the pointer, once something was read.
  private var path: [[UInt8]]?
  private let pointer: String
  private let recordLimit: Int
  private let file: String?
  /// What a record begins with, and what a value that is no object begins with.
  private let opening: [UInt8]
  private let valueOpening: [UInt8]
  private let block = ByteBlock()
  private let ready = ByteBuffer()
  private var given = 0
  private var state = State.searching
  private var isEscaped = false
  /// Containers that are open on the way, with the position in each; and those open beside it.
  private var way: [(isObject: Bool, index: Int)] = []
  private var depth = 0
  /// Whether the next value is on the way, or the object itself; whether a key is next.
  private var isWanted = true
  private var awaitsKey = false
  private var key: [UInt8] = []
  /// Whether the value at hand is no object.
  private var isBare = false
  private var line: UInt64 = 1
  private var byteOffset: UInt64 = 0

  /// - Parameters:
  ///   - pointer: leads to the object; empty: it is the document.
  ///   - field: the field that the keys become.
  ///   - recordLimit: the longest key in bytes.
  init(upstream: any BlockSource, pointer: String, field: String, recordLimit: Int, file: String?) {
    self.upstream = upstream
    self.pointer = pointer
    self.recordLimit = recordLimit
    self.file = file
    opening = Array("{\(KeyedRecord.quoted(field)):".utf8)
    valueOpening = Array(",\(KeyedRecord.quoted(KeyedRecord.valueField)):".utf8)
  }

  /// - Throws: `json.not-keyed` where the pointer leads to an array, `json.record-too-long`, and the upstream's errors.
  func read(into target: UnsafeMutableRawBufferPointer) throws(SeedFormatError) -> Int {
    let path: [[UInt8]]
    if let known = self.path { path = known } else { path = try JSONPointer.tokens(pointer, file: file) }
    self.path = path
    while given == ready.count {
      ready.removeAll()
      given = 0
      guard try block.fill(from: upstream) else {
        finish()
        if ready.count == 0 { return 0 }
        break
      }
      // Safety: the block keeps its bytes until it is filled again.
      for index in 0..<block.count { try consume(unsafe block.base[index], path) }
    }
    let count = min(target.count, ready.count - given)
    unsafe target.copyMemory(from: UnsafeRawBufferPointer(start: ready.base + given, count: count))
    given += count
    return count
  }

  /// Gives out a key whose member the end of the text cuts off.
  private func finish() {
    if state == .key || state == .behindKey || state == .beforeValue { append(key) }
    if state == .beforeValue { ready.append(0x3A) }
    state = .passing
    key = []
  }

  private func append(_ bytes: [UInt8]) { unsafe bytes.withUnsafeBufferPointer { unsafe append($0) } }

  private func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    if let base = bytes.baseAddress { unsafe ready.append(base, count: bytes.count) }
  }

  private func consume(_ byte: UInt8, _ path: [[UInt8]]) throws(SeedFormatError) {
    if byte == 0x0A { line += 1 }
    defer { byteOffset += 1 }
    switch state {
    case .passing: ready.append(byte)
    case .searching: try search(byte, path)
    case .keyOnTheWay, .text, .textOfValue: passText(byte, path)
    case .key:
      key.append(byte)
      if endsText(byte) { state = .behindKey }
      if key.count > recordLimit {
        throw error("json.record-too-long", "a key is longer than \(recordLimit) bytes", hint: "is a quote left open?")
      }
    case .betweenMembers: consumeBetweenMembers(byte)
    case .behindKey:
      if byte == 0x3A { state = .beforeValue } else { consumeBehindKey(byte) }
    case .beforeValue: open(byte)
    case .recordOpened:
      if Self.isBlank(byte) { return ready.append(byte) }
      if byte != 0x7D { ready.append(0x2C) }
      depth = 1
      state = .value
      consumeBehindValue(byte)
    case .value: consumeBehindValue(byte)
    }
  }

  /// Whether a byte inside a text is the quote that ends it.
  private func endsText(_ byte: UInt8) -> Bool {
    if isEscaped {
      isEscaped = false
    } else if byte == 0x5C {
      isEscaped = true
    } else {
      return byte == 0x22
    }
    return false
  }

  private func passText(_ byte: UInt8, _ path: [[UInt8]]) {
    ready.append(byte)
    let isEnd = endsText(byte)
    // A longer key cannot be one of the pointer's.
    if state == .keyOnTheWay, key.count <= recordLimit { key.append(byte) }
    guard isEnd else { return }
    switch state {
    case .keyOnTheWay:
      isWanted = Self.unescaped(key) == path[way.count - 1]
      state = .searching
    case .textOfValue:
      state = .value
      if depth == 0 { closeValue() }
    default: state = .searching
    }
  }

  // MARK: - The way to the object

  private func search(_ byte: UInt8, _ path: [[UInt8]]) throws(SeedFormatError) {
    if depth == 0, isWanted, way.count == path.count, !Self.isBlank(byte), byte != 0x3A, byte < 0x80 {
      return try begin(byte)
    }
    switch byte {
    case 0x22:
      let isKey = depth == 0 && awaitsKey
      state = isKey ? .keyOnTheWay : .text
      key = isKey ? [byte] : []
      awaitsKey = awaitsKey && depth > 0
    case 0x7B, 0x5B:
      if depth == 0, isWanted {
        way.append((byte == 0x7B, 0))
        awaitsKey = byte == 0x7B
        isWanted = byte == 0x5B && FieldPaths.arrayIndex(path[way.count - 1]) == 0
      } else {
        depth += 1
      }
    case 0x7D, 0x5D:
      // Behind a container on the way nothing can be wanted.
      if depth > 0 { depth -= 1 } else { state = .passing }
    case 0x2C where depth == 0 && !way.isEmpty:
      let last = way.count - 1
      way[last].index += 1
      awaitsKey = way[last].isObject
      isWanted = !way[last].isObject && FieldPaths.arrayIndex(path[last]) == way[last].index
    default: break
    }
    ready.append(byte)
  }

  private func begin(_ byte: UInt8) throws(SeedFormatError) {
    guard byte == 0x7B else {
      throw error(
        "json.not-keyed",
        pointer.isEmpty
          ? "the document is no object with the records as its members"
          : "the value at \"\(pointer)\" is no object with the records as its members",
        hint: byte == 0x5B ? "remove keyed-by: it is an array" : "state the pointer to the object")
    }
    ready.append(0x5B)
    state = .betweenMembers
  }

  // MARK: - Members

  private func consumeBetweenMembers(_ byte: UInt8) {
    switch byte {
    case 0x22:
      state = .key
      key = [byte]
    case 0x7D:
      ready.append(0x5D)
      state = .passing
    default:
      ready.append(byte)
      if byte != 0x2C, !Self.isBlank(byte) { state = .passing }
    }
  }

  /// Takes a byte between a key and its colon.
  private func consumeBehindKey(_ byte: UInt8) {
    if Self.isBlank(byte) { return ready.append(byte) }
    append(key)
    ready.append(byte)
    state = .passing
  }

  private func open(_ byte: UInt8) {
    if Self.isBlank(byte) { return ready.append(byte) }
    append(opening)
    append(key)
    isBare = byte != 0x7B
    depth = 0
    guard isBare else {
      state = .recordOpened
      return
    }
    append(valueOpening)
    state = .value
    consumeBehindValue(byte)
  }

  private func consumeBehindValue(_ byte: UInt8) {
    if depth == 0, isBare, byte == 0x2C || byte == 0x7D || Self.isBlank(byte) {
      // The end of a number or a word.
      closeValue()
      return consumeBetweenMembers(byte)
    }
    ready.append(byte)
    switch byte {
    case 0x22: state = .textOfValue
    case 0x7B, 0x5B: depth += 1
    case 0x7D, 0x5D:
      depth -= 1
      if depth <= 0 { closeValue() }
    default: break
    }
  }

  private func closeValue() {
    if isBare { ready.append(0x7D) }
    depth = 0
    state = .betweenMembers
  }

  // MARK: - Texts

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

  /// A key without its quotes and escapes.
  static func unescaped(_ key: [UInt8]) -> [UInt8] {
    let text = ByteBuffer(capacity: key.count)
    guard key.count >= 2 else { return [] }
    // Safety: the key has both its quotes.
    unsafe key.withUnsafeBufferPointer { bytes in
      if let base = bytes.baseAddress {
        unsafe JSONStringDecoding.unescape(base + 1, count: bytes.count - 2, into: text)
      }
    }
    return unsafe Array(UnsafeBufferPointer(start: text.base, count: text.count))
  }

  private func error(_ code: String, _ message: String, hint: String) -> SeedFormatError {
    SeedFormatError(
      code: code, kind: .malformed, message: message, hint: hint, file: file, line: line, byteOffset: byteOffset)
  }
}
