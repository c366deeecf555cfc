/// Reads a property list in XML, as Apple's document type has it and nothing else of XML: no entities of one's own, no
/// processing instructions inside.
struct XMLPropertyListReader<Sink: PropertyListSink> {
  private let bytes: [UInt8]
  private var at = 0
  private let maximumDepth: Int

  /// Hands the values of a list to a sink.
  /// - Parameter allowsNothing: `<plist>` may be empty; the sink gets no value then.
  static func read(
    _ bytes: [UInt8], into sink: inout Sink, limits: PropertyListLimits, allowsNothing: Bool
  ) throws(PropertyListError) {
    var reader = XMLPropertyListReader(bytes: bytes, maximumDepth: limits.depth)
    try reader.document(into: &sink, allowsNothing: allowsNothing)
  }

  private init(bytes: [UInt8], maximumDepth: Int) {
    self.bytes = bytes
    self.maximumDepth = maximumDepth
  }

  private enum Tag: Equatable {
    case start(String), empty(String), end(String)
  }

  private mutating func document(into sink: inout Sink, allowsNothing: Bool) throws(PropertyListError) {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
    try passBlanks()
    if isAt("<?xml") { try passDeclaration() }
    try passBlanks()
    if isAt("<!DOCTYPE") {
      guard let end = bytes[at...].firstIndex(where: { $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "[") }),
        bytes[end] == UInt8(ascii: ">")
      else { throw problem("the document type is not that of property lists") }
      at = end + 1
    }
    try passBlanks()
    let first = try tag()
    guard first == .start("plist") || first == .empty("plist") && allowsNothing else {
      throw problem("the file is no property list: <plist> is missing", hint: "is it another sort of XML?")
    }
    if first == .start("plist") {
      try passBlanks()
      if !(allowsNothing && isAt("</plist")) { try values(into: &sink) }
      try passBlanks()
      guard try tag() == .end("plist") else { throw problem("</plist> is missing") }
    }
    try passBlanks()
    guard at == bytes.count else { throw problem("something follows </plist>") }
  }

  private mutating func passDeclaration() throws(PropertyListError) {
    let start = at
    try pass(through: "?>")
    let text = String(decoding: bytes[start..<at], as: UTF8.self).lowercased()
    guard let name = text.split(separator: "encoding").dropFirst().first?.drop(while: { " =\"'".contains($0) }) else {
      return
    }
    // Other encodings that the source states were turned into UTF-8 before.
    guard ["utf-8", "utf8", "us-ascii", "utf-16"].contains(where: { name.hasPrefix($0) }) else {
      throw problem(
        "the property list is in \(name.prefix { !"\"'? ".contains($0) }), not UTF-8",
        hint: "convert it (plutil -convert xml1 FILE)", at: start)
    }
  }

  /// The one value of the list, and all that is in it. No recursion, so that deep nesting takes no stack.
  private mutating func values(into sink: inout Sink) throws(PropertyListError) {
    /// Names of the containers that are open, and the keys that an object has.
    var open: [String] = []
    var keys: [Set<String>] = []
    /// An object's key was read, and its value was not.
    var hasKey = false
    repeat {
      try passBlanks()
      let start = at
      let tag = try tag()
      if let name = open.last, tag == .end(name) {
        guard !hasKey else { throw problem("a key has no value", at: start) }
        open.removeLast()
        if name == "dict" { keys.removeLast() }
        sink.end()
        continue
      }
      if open.last == "dict", !hasKey {
        guard tag == .start("key") || tag == .empty("key") else {
          throw problem("a key was expected in <dict>, not \(Self.shown(tag))", at: start)
        }
        let key = tag == .empty("key") ? "" : try string(until: "key")
        // Of two values with one key it is unclear which is meant.
        guard keys[keys.count - 1].insert(key).inserted else {
          throw problem("the key \"\(key)\" stands twice", at: start)
        }
        try sink.key(key)
        hasKey = true
        continue
      }
      hasKey = false
      switch tag {
      case .start(let name) where name == "dict" || name == "array":
        guard open.count < maximumDepth else {
          throw problem("values are nested deeper than \(maximumDepth) levels", at: start)
        }
        if name == "dict" {
          sink.beginDictionary()
          keys.append([])
        } else {
          sink.beginArray()
        }
        open.append(name)
      case .empty("dict"):
        sink.beginDictionary()
        sink.end()
      case .empty("array"):
        sink.beginArray()
        sink.end()
      case .empty("true"), .empty("false"): sink.boolean(tag == .empty("true"))
      case .start(let name) where name == "true" || name == "false":
        sink.boolean(name == "true")
        try passBlanks()
        guard try self.tag() == .end(name) else { throw problem("<\(name)> holds something", at: start) }
      case .start(let name):
        let text = try string(until: name)
        try placed(at: start) { () throws(PropertyListError) in try scalar(name, text, into: &sink, at: start) }
      case .empty(let name):
        try placed(at: start) { () throws(PropertyListError) in try scalar(name, "", into: &sink, at: start) }
      case .end: throw problem("\(Self.shown(tag)) closes nothing that is open", at: start)
      }
    } while !open.isEmpty
  }

  /// Gives a sink's error its place.
  private func placed(at start: Int, _ body: () throws(PropertyListError) -> Void) throws(PropertyListError) {
    do throws(PropertyListError) {
      try body()
    } catch {
      throw error.byteOffset == 0 ? PropertyListError(error.message, hint: error.hint, at: start) : error
    }
  }

  private func scalar(
    _ name: String, _ text: String, into sink: inout Sink, at start: Int
  ) throws(PropertyListError) {
    switch name {
    case "string", "ustring": sink.string(text)
    case "date": try sink.date(text: text.filter { !$0.isWhitespace })
    case "data":
      let digits = text.utf8.filter { $0 != 0x20 && !(0x09...0x0D).contains($0) }
      try sink.data(base64: Array(digits))
    case "integer":
      let trimmed = text.filter { !$0.isWhitespace }
      guard let number = Self.integer(trimmed) else { throw problem("\"\(trimmed)\" is no integer", at: start) }
      try sink.integer(isNegative: number.isNegative, magnitude: number.magnitude)
    case "real":
      let trimmed = text.filter { !$0.isWhitespace }
      guard let number = Double(trimmed) else { throw problem("\"\(trimmed)\" is no number", at: start) }
      sink.real(number)
    default: throw problem("property lists have no <\(name)>", at: start)
    }
  }

  /// Decimal, or hexadecimal behind 0x.
  private static func integer(_ text: String) -> (isNegative: Bool, magnitude: UInt64)? {
    let isNegative = text.hasPrefix("-")
    let digits = isNegative || text.hasPrefix("+") ? String(text.dropFirst()) : text
    let isHex = digits.lowercased().hasPrefix("0x")
    let body = isHex ? String(digits.dropFirst(2)) : digits
    guard let first = body.utf8.first, first != UInt8(ascii: "-"), first != UInt8(ascii: "+"),
      let magnitude = UInt64(body, radix: isHex ? 16 : 10)
    else { return nil }
    return (isNegative && magnitude > 0, magnitude)
  }

  // MARK: - Text

  /// The text up to an end tag, with its entities put in.
  private mutating func string(until name: String) throws(PropertyListError) -> String {
    let start = at
    var text: [UInt8] = []
    while true {
      guard let next = bytes[at...].firstIndex(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) else {
        throw problem("<\(name)> is not closed", at: start)
      }
      Self.append(bytes[at..<next], to: &text)
      at = next
      if bytes[at] == UInt8(ascii: "&") {
        text += try entity()
      } else if isAt("<![CDATA[") {
        let from = at + 9
        try pass(through: "]]>")
        Self.append(bytes[from..<at - 3], to: &text)
      } else if isAt("<!--") {
        try pass(through: "-->")
      } else {
        let place = at
        let tag = try tag()
        guard tag == .end(name) else { throw problem("\(Self.shown(tag)) stands inside <\(name)>", at: place) }
        break
      }
    }
    guard let string = String(validating: text, as: UTF8.self) else {
      throw problem("<\(name)> holds text that is not UTF-8", at: start)
    }
    return string
  }

  /// Adds literal text with the line ends that XML has. An entity may stand for a carriage return.
  private static func append(_ literal: ArraySlice<UInt8>, to text: inout [UInt8]) {
    guard literal.contains(0x0D) else {
      text += literal
      return
    }
    var wasReturn = false
    for byte in literal {
      if byte == 0x0D {
        text.append(0x0A)
      } else if byte != 0x0A || !wasReturn {
        text.append(byte)
      }
      wasReturn = byte == 0x0D
    }
  }

  private mutating func entity() throws(PropertyListError) -> [UInt8] {
    let names: [String: UInt8] = ["lt": 0x3C, "gt": 0x3E, "amp": 0x26, "quot": 0x22, "apos": 0x27]
    guard let end = bytes[at...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
      throw problem("an & starts no entity", hint: "an & itself is written &amp;")
    }
    let name = String(decoding: bytes[at + 1..<end], as: UTF8.self)
    let start = at
    at = end + 1
    if let byte = names[name] { return [byte] }
    let number =
      name.hasPrefix("#x")
      ? UInt32(name.dropFirst(2), radix: 16) : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
    guard let scalar = number.flatMap(Unicode.Scalar.init), scalar.value != 0 else {
      throw problem("there is no entity &\(name);", at: start)
    }
    return Array(String(Character(scalar)).utf8)
  }

  // MARK: - Tags

  private mutating func tag() throws(PropertyListError) -> Tag {
    guard at < bytes.count else { throw problem("the property list ends too early") }
    guard bytes[at] == UInt8(ascii: "<"),
      let end = bytes[at...].firstIndex(of: UInt8(ascii: ">"))
    else { throw problem("an element was expected") }
    var body = bytes[at + 1..<end]
    at = end + 1
    let isEnd = body.first == UInt8(ascii: "/")
    if isEnd { body = body.dropFirst() }
    let isEmpty = body.last == UInt8(ascii: "/")
    if isEmpty { body = body.dropLast() }
    // The only attribute is the version.
    let name = String(decoding: body.prefix { $0 != 0x20 && !(0x09...0x0D).contains($0) }, as: UTF8.self)
    return isEnd ? .end(name) : isEmpty ? .empty(name) : .start(name)
  }

  private static func shown(_ tag: Tag) -> String {
    switch tag {
    case .start(let name): "<\(name)>"
    case .empty(let name): "<\(name)/>"
    case .end(let name): "</\(name)>"
    }
  }

  private func isAt(_ text: StaticString) -> Bool {
    bytes[at...].starts(with: "\(text)".utf8)
  }

  /// Passes over white space and comments.
  private mutating func passBlanks() throws(PropertyListError) {
    while at < bytes.count {
      let byte = bytes[at]
      if byte == 0x20 || (0x09...0x0D).contains(byte) {
        at += 1
      } else if isAt("<!--") {
        try pass(through: "-->")
      } else {
        return
      }
    }
  }

  private mutating func pass(through end: String) throws(PropertyListError) {
    let mark = Array(end.utf8)
    let start = at
    while at + mark.count <= bytes.count {
      if bytes[at] == mark[0], bytes[at..<at + mark.count].elementsEqual(mark) {
        at += mark.count
        return
      }
      at += 1
    }
    throw problem("\"\(end)\" is missing", at: start)
  }

  private func problem(_ message: String, hint: String? = nil, at place: Int? = nil) -> PropertyListError {
    PropertyListError(message, hint: hint, at: place ?? at)
  }
}
