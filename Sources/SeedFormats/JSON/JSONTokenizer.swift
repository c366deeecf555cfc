/// What stopped a scan of JSON text.
enum JSONStop: UInt8 {
  case none
  /// The window ends inside a token; more input may complete it.
  case incomplete
  case unexpectedEnd
  case expectedValue
  case expectedKey
  case expectedColon
  case expectedCommaOrBracket
  case expectedCommaOrBrace
  case badNumber
  case badLiteral
  case badEscape
  case controlCharacter
  case tooDeep
  case textAfterValue

  var message: String {
    switch self {
    case .none, .incomplete, .unexpectedEnd: "the JSON text ends too early"
    case .expectedValue: "a JSON value is expected here"
    case .expectedKey: "a key in double quotes is expected here"
    case .expectedColon: "a colon is expected after the key"
    case .expectedCommaOrBracket: "a comma or ] is expected here"
    case .expectedCommaOrBrace: "a comma or } is expected here"
    case .badNumber: "this is not a JSON number"
    case .badLiteral: "this is not true, false or null"
    case .badEscape: "this is not a JSON escape"
    case .controlCharacter: "a control character must be escaped inside a string"
    case .tooDeep: "arrays and objects are nested too deeply"
    case .textAfterValue: "nothing may follow the JSON value here"
    }
  }

  /// What to do about it.
  /// - Parameters:
  ///   - byte: the byte where the scan stopped; nil at the end.
  ///   - isDocument: whether the text is a document, not a line of NDJSON.
  func hint(at byte: UInt8?, isDocument: Bool) -> String? {
    switch (self, byte) {
    case (.none, _), (.incomplete, _), (.unexpectedEnd, _):
      isDocument ? "is the file cut off?" : "one line holds one value; a document of several lines is format: json"
    case (_, 0x2F?), (_, 0x23?): "JSON has no comments; lenient: true on the source passes over them"
    case (.textAfterValue, _):
      isDocument
        ? "one value per line is format: ndjson"
        : "one line holds one value; a document of several lines is format: json"
    case (.expectedKey, 0x7D?), (.expectedValue, 0x7D?), (.expectedValue, 0x5D?):
      "JSON has no comma before a closing bracket; lenient: true on the source passes over it"
    case (.expectedKey, _), (.expectedValue, 0x27?): "JSON has double quotes around texts and keys"
    default: nil
    }
  }
}

/// What makes a well-formed record unusable without harming what follows it.
enum JSONFlaw: UInt8 {
  case none, loneSurrogate, nul, duplicateKey
}

/// Strict RFC 8259 tokens and values over a byte buffer. Functions that return a position return -1 when they stop;
/// `stop` and `stopAt` say why and where. At least `ByteBuffer.slack` readable bytes follow `end`.
///
/// The caller owns `base` and attaches it anew whenever it moves. A byte is looked at where its position is under
/// `end`; words of eight bytes begin there and may reach into the slack. Callers begin values and strings at a byte
/// that they have seen.
@safe struct JSONTokenizer {
  private(set) var base: UnsafePointer<UInt8>
  private(set) var end: Int
  /// Nothing follows `end`.
  private(set) var isComplete: Bool

  private(set) var stop = JSONStop.none
  private(set) var stopAt = 0
  /// The first flaw since `clear`.
  private(set) var flaw = JSONFlaw.none
  private(set) var flawAt = 0
  /// A string since `clear` may hold bytes above 0x7F.
  private(set) var nonASCII: UInt64 = 0
  /// The string scanned last has escapes.
  private(set) var hasEscapes = false

  /// What may come next while a container is being passed over.
  private enum Expectation {
    case value, valueOrEnd, key, keyOrEnd, colon, commaOrEnd
  }
  private var expectation = Expectation.value
  private var depth = 0
  /// Containers around the value being scanned.
  var outerDepth = 0
  private let depthLimit: Int
  /// One bit per open container, set for objects.
  private let isObject: NestingBits

  init(base: UnsafePointer<UInt8>, depthLimit: Int) {
    unsafe self.base = base
    end = 0
    isComplete = false
    self.depthLimit = depthLimit
    isObject = NestingBits(count: depthLimit)
  }

  /// Looks at another buffer, or at the same one after it moved.
  mutating func attach(_ base: UnsafePointer<UInt8>, end: Int, isComplete: Bool) {
    unsafe self.base = base
    self.end = end
    self.isComplete = isComplete
  }

  /// Makes ready for another record.
  @inline(__always) mutating func clear() {
    stop = .none
    flaw = .none
    nonASCII = 0
  }

  mutating func fail(_ stop: JSONStop, _ at: Int) -> Int {
    self.stop = stop
    stopAt = at
    return -1
  }

  /// The text ends before a token does.
  mutating func failAtEnd() -> Int {
    fail(isComplete ? .unexpectedEnd : .incomplete, end)
  }

  mutating func note(_ flaw: JSONFlaw, _ at: Int) {
    guard self.flaw == .none else { return }
    self.flaw = flaw
    flawAt = at
  }

  @inline(__always) func skipWhitespace(_ start: Int) -> Int {
    var position = start
    while position < end {
      let byte = unsafe base[position]
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { break }
      position &+= 1
    }
    return position
  }

  /// - Returns: the position after the closing quote of the string whose opening quote is at `start`.
  mutating func string(_ start: Int) -> Int {
    hasEscapes = false
    var position = start &+ 1
    while position < end {
      let word = unsafe SWAR.load(base + position)
      let word7 = word & SWAR.low7
      let found =
        (SWAR.zeroes(word7 & 0x6060_6060_6060_6060) | SWAR.zeroes(word7 ^ 0x2222_2222_2222_2222)
          | SWAR.zeroes(word7 ^ 0x5C5C_5C5C_5C5C_5C5C)) & ~word & SWAR.high
      nonASCII |= word
      guard found != 0 else {
        position &+= 8
        continue
      }
      let at = position &+ (found.trailingZeroBitCount >> 3)
      if at >= end { break }
      switch unsafe base[at] {
      case 0x22: return at &+ 1
      case 0x5C:
        hasEscapes = true
        position = escape(at)
        if position < 0 { return -1 }
      case 0:
        note(.nul, at)
        position = at &+ 1
      default: return fail(.controlCharacter, at)
      }
    }
    return failAtEnd()
  }

  private mutating func escape(_ at: Int) -> Int {
    guard at &+ 1 < end else { return failAtEnd() }
    switch unsafe base[at &+ 1] {
    case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74: return at &+ 2
    case 0x75:
      let unit = hexUnit(at)
      guard unit >= 0 else { return -1 }
      if unit & 0xFC00 == 0xDC00 { note(.loneSurrogate, at) }
      guard unit & 0xFC00 == 0xD800 else { return at &+ 6 }
      guard at &+ 8 <= end || isComplete else { return failAtEnd() }
      if at &+ 8 <= end, unsafe base[at &+ 6] == 0x5C && base[at &+ 7] == 0x75 {
        let second = hexUnit(at &+ 6)
        guard second >= 0 else { return -1 }
        if second & 0xFC00 == 0xDC00 { return at &+ 12 }
      }
      note(.loneSurrogate, at)
      return at &+ 6
    default: return fail(.badEscape, at)
    }
  }

  /// The code unit of the `\uXXXX` at `at`.
  private mutating func hexUnit(_ at: Int) -> Int {
    var unit = 0
    for index in at &+ 2..<at &+ 6 {
      guard index < end else { return failAtEnd() }
      let digit = unsafe JSONStringDecoding.hexDigit(base[index])
      guard digit >= 0 else { return fail(.badEscape, at) }
      unit = unit << 4 | digit
    }
    return unit
  }

  /// - Returns: the position after the number that starts at `start`.
  mutating func number(_ start: Int) -> Int {
    var position = start
    if unsafe base[position] == 0x2D { position &+= 1 }
    let firstDigit = position
    position = digits(position)
    if unsafe position == firstDigit || (position > firstDigit &+ 1 && base[firstDigit] == 0x30) {
      return position >= end && position == firstDigit ? failAtEnd() : fail(.badNumber, start)
    }
    if position < end, unsafe base[position] == 0x2E {
      let fraction = position &+ 1
      position = digits(fraction)
      if position == fraction { return position >= end ? failAtEnd() : fail(.badNumber, start) }
    }
    if position < end, unsafe base[position] | 0x20 == 0x65 {
      position &+= 1
      if position < end, unsafe base[position] == 0x2B || base[position] == 0x2D { position &+= 1 }
      let exponent = position
      position = digits(exponent)
      if position == exponent { return position >= end ? failAtEnd() : fail(.badNumber, start) }
    }
    return position >= end && !isComplete ? failAtEnd() : position
  }

  @inline(__always) private func digits(_ start: Int) -> Int {
    var position = start
    while position < end, unsafe (base[position] &- 0x30) < 10 { position &+= 1 }
    return position
  }

  private mutating func literal(_ start: Int, _ word: StaticString) -> Int {
    for index in 0..<word.utf8CodeUnitCount {
      guard start &+ index < end else { return failAtEnd() }
      guard unsafe base[start &+ index] == word.utf8Start[index] else { return fail(.badLiteral, start) }
    }
    return start &+ word.utf8CodeUnitCount
  }

  /// - Returns: the position after the string, number or literal that starts at `start`.
  @inline(__always) mutating func scalar(_ start: Int) -> Int {
    switch unsafe base[start] {
    case 0x22: string(start)
    case 0x2D, 0x30...0x39: number(start)
    case 0x74: literal(start, "true")
    case 0x66: literal(start, "false")
    case 0x6E: literal(start, "null")
    default: fail(.expectedValue, start)
    }
  }

  /// - Returns: the position after the value that starts at `start`, which is not whitespace.
  mutating func value(_ start: Int) -> Int {
    let byte = unsafe base[start]
    guard byte == 0x7B || byte == 0x5B else { return scalar(start) }
    guard open(start) else { return -1 }
    return passContainer(start &+ 1)
  }

  /// Begins to pass over the container that opens at `start`.
  mutating func open(_ start: Int) -> Bool {
    depth = 0
    return push(unsafe base[start] == 0x7B, start)
  }

  /// Whether a container may open inside `levels` others.
  mutating func mayNest(_ levels: Int, _ at: Int) -> Bool {
    if levels < depthLimit { return true }
    _ = fail(.tooDeep, at)
    return false
  }

  private mutating func push(_ object: Bool, _ at: Int) -> Bool {
    guard mayNest(outerDepth &+ depth, at) else { return false }
    // Safety: `mayNest` keeps `depth` under the limit, for which the bits were made.
    isObject[depth] = object
    depth &+= 1
    expectation = object ? .keyOrEnd : .valueOrEnd
    return true
  }

  /// Passes over the rest of the container that `open` began, token by token. When it stops with `.incomplete`,
  /// `stopAt` is where to go on once more input is there.
  mutating func passContainer(_ start: Int) -> Int {
    var position = start
    while true {
      position = skipWhitespace(position)
      guard position < end else {
        _ = failAtEnd()
        stopAt = position
        return -1
      }
      let byte = unsafe base[position]
      var token = position &+ 1
      switch expectation {
      case .value, .valueOrEnd:
        if byte == 0x7B || byte == 0x5B {
          guard push(byte == 0x7B, position) else { return -1 }
        } else if byte == 0x5D && expectation == .valueOrEnd {
          depth &-= 1
          if depth == 0 { return token }
          expectation = .commaOrEnd
        } else {
          token = scalar(position)
          expectation = .commaOrEnd
        }
      case .key, .keyOrEnd:
        if byte == 0x22 {
          token = string(position)
          expectation = .colon
        } else if byte == 0x7D && expectation == .keyOrEnd {
          depth &-= 1
          if depth == 0 { return token }
          expectation = .commaOrEnd
        } else {
          return fail(.expectedKey, position)
        }
      case .colon:
        guard byte == 0x3A else { return fail(.expectedColon, position) }
        expectation = .value
      case .commaOrEnd:
        let object = isObject[depth &- 1]
        if byte == 0x2C {
          expectation = object ? .key : .value
        } else if byte == (object ? 0x7D : 0x5D) {
          depth &-= 1
          if depth == 0 { return token }
        } else {
          return fail(object ? .expectedCommaOrBrace : .expectedCommaOrBracket, position)
        }
      }
      guard token >= 0 else {
        if stop == .incomplete {
          stopAt = position
          expectation = expectation == .colon ? .key : .value
        }
        return -1
      }
      position = token
    }
  }
}

/// One bit per open container.
@safe final class NestingBits {
  private let words: UnsafeMutablePointer<UInt64>

  init(count: Int) {
    let wordCount = (count >> 6) + 1
    unsafe words = .allocate(capacity: wordCount)
    unsafe words.initialize(repeating: 0, count: wordCount)
  }

  deinit { unsafe words.deallocate() }

  subscript(index: Int) -> Bool {
    @inline(__always) get { unsafe words[index >> 6] >> UInt64(index & 63) & 1 != 0 }
    @inline(__always) set {
      let bit: UInt64 = 1 << UInt64(index & 63)
      if newValue { unsafe words[index >> 6] |= bit } else { unsafe words[index >> 6] &= ~bit }
    }
  }
}
