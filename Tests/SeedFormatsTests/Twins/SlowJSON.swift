import SeedFormats

/// RFC 8259 once more, by recursive descent into a tree: what the fast scanner must agree with.
indirect enum SlowJSON {
  case scalar(Field)
  case array([SlowJSON], raw: [UInt8])
  case object([(key: [UInt8], value: SlowJSON)], raw: [UInt8])

  var field: Field {
    switch self {
    case .scalar(let field): field
    case .array(_, let raw): Field(kind: .array, bytes: raw)
    case .object(_, let raw): Field(kind: .object, bytes: raw)
    }
  }

  /// The value at a path, nil when there is none; `isDuplicate` is set when an object on the way has the key twice.
  func value(at path: ArraySlice<[UInt8]>, isDuplicate: inout Bool) -> SlowJSON? {
    guard let token = path.first else { return self }
    switch self {
    case .scalar: return nil
    case .array(let elements, _):
      let text = String(decoding: token, as: UTF8.self)
      guard let index = Int(text), String(index) == text, elements.indices.contains(index) else { return nil }
      return elements[index].value(at: path.dropFirst(), isDuplicate: &isDuplicate)
    case .object(let members, _):
      let found = members.filter { $0.key == token }
      if found.count > 1 { isDuplicate = true }
      var value: SlowJSON?
      for member in found { value = member.value.value(at: path.dropFirst(), isDuplicate: &isDuplicate) }
      return value
    }
  }
}

/// Parses one value at a time.
struct SlowJSONParser {
  struct Malformed: Error {}

  let bytes: [UInt8]
  var position = 0
  var flaws: Set<String> = []

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

  mutating func skipWhitespace() {
    while let byte, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
  }

  mutating func take(_ expected: UInt8) -> Bool {
    guard byte == expected else { return false }
    position += 1
    return true
  }

  mutating func value(depth: Int) throws(Malformed) -> SlowJSON {
    let start = position
    switch byte {
    case UInt8(ascii: "{"):
      if depth >= 512 { throw Malformed() }
      return try object(depth: depth, start)
    case UInt8(ascii: "["):
      if depth >= 512 { throw Malformed() }
      return try array(depth: depth, start)
    case UInt8(ascii: "\""):
      let (text, hasEscapes) = try string()
      return .scalar(Field(kind: .string, bytes: text, isQuoted: hasEscapes))
    case UInt8(ascii: "t"): return try literal("true", .true)
    case UInt8(ascii: "f"): return try literal("false", .false)
    case UInt8(ascii: "n"): return try literal("null", .null)
    default:
      try number()
      return .scalar(Field(kind: .number, bytes: Array(bytes[start..<position])))
    }
  }

  private mutating func object(depth: Int, _ start: Int) throws(Malformed) -> SlowJSON {
    var members: [(key: [UInt8], value: SlowJSON)] = []
    position += 1
    skipWhitespace()
    if !take(UInt8(ascii: "}")) {
      repeat {
        skipWhitespace()
        guard byte == UInt8(ascii: "\"") else { throw Malformed() }
        let key = try string().0
        skipWhitespace()
        guard take(UInt8(ascii: ":")) else { throw Malformed() }
        skipWhitespace()
        members.append((key, try value(depth: depth + 1)))
        skipWhitespace()
      } while take(UInt8(ascii: ","))
      guard take(UInt8(ascii: "}")) else { throw Malformed() }
    }
    return .object(members, raw: Array(bytes[start..<position]))
  }

  private mutating func array(depth: Int, _ start: Int) throws(Malformed) -> SlowJSON {
    var elements: [SlowJSON] = []
    position += 1
    skipWhitespace()
    if !take(UInt8(ascii: "]")) {
      repeat {
        skipWhitespace()
        elements.append(try value(depth: depth + 1))
        skipWhitespace()
      } while take(UInt8(ascii: ","))
      guard take(UInt8(ascii: "]")) else { throw Malformed() }
    }
    return .array(elements, raw: Array(bytes[start..<position]))
  }

  private mutating func literal(_ word: String, _ kind: FieldSlice.Kind) throws(Malformed) -> SlowJSON {
    for expected in word.utf8 where !take(expected) { throw Malformed() }
    return .scalar(Field(kind: kind, bytes: Array(word.utf8)))
  }

  private mutating func digits() throws(Malformed) -> Int {
    let start = position
    while let byte, (0x30...0x39).contains(byte) { position += 1 }
    if position == start { throw Malformed() }
    return position - start
  }

  private mutating func number() throws(Malformed) {
    _ = take(UInt8(ascii: "-"))
    let isZero = byte == UInt8(ascii: "0")
    if try digits() > 1 && isZero { throw Malformed() }
    if take(UInt8(ascii: ".")) { _ = try digits() }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      _ = try digits()
    }
  }

  private mutating func string() throws(Malformed) -> ([UInt8], Bool) {
    var text: [UInt8] = []
    var hasEscapes = false
    position += 1
    while let next = byte {
      position += 1
      switch next {
      case UInt8(ascii: "\""): return (text, hasEscapes)
      case UInt8(ascii: "\\"):
        hasEscapes = true
        text += try escape()
      case 0:
        flaws.insert("text.nul")
        text.append(0)
      case 1..<0x20: throw Malformed()
      default: text.append(next)
      }
    }
    throw Malformed()
  }

  private mutating func escape() throws(Malformed) -> [UInt8] {
    guard let letter = byte else { throw Malformed() }
    position += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [letter]
    case UInt8(ascii: "b"): return [8]
    case UInt8(ascii: "f"): return [12]
    case UInt8(ascii: "n"): return [10]
    case UInt8(ascii: "r"): return [13]
    case UInt8(ascii: "t"): return [9]
    case UInt8(ascii: "u"):
      let first = try unit()
      if (0xD800..<0xDC00).contains(first), bytes[position...].starts(with: Array("\\u".utf8)) {
        let resume = position
        position += 2
        let second = try unit()
        if (0xDC00..<0xE000).contains(second),
          let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) * 0x400 + second - 0xDC00)
        {
          return Array(String(scalar).utf8)
        }
        position = resume
      }
      guard let scalar = Unicode.Scalar(first) else {
        flaws.insert("json.lone-surrogate")
        return Array("\u{FFFD}".utf8)
      }
      return Array(String(scalar).utf8)
    default: throw Malformed()
    }
  }

  private mutating func unit() throws(Malformed) -> UInt32 {
    guard position + 4 <= bytes.count else { throw Malformed() }
    let digits = bytes[position..<position + 4]
    guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit && $0 < 0x80 }),
      let unit = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw Malformed() }
    position += 4
    return unit
  }
}
