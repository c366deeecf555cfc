import Testing

/// Binary property lists that no archiver writes.
enum HostilePropertyLists {
  struct List: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var bytes: [UInt8]
    /// What is said of it.
    var says: String

    init(_ name: String, says: String, _ bytes: [UInt8]) {
      testDescription = name
      self.bytes = bytes
      self.says = says
    }
  }

  /// Objects with one-byte references and four-byte offsets; the last one is the root.
  static func encode(_ objects: [[UInt8]]) -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for object in objects {
      offsets.append(bytes.count)
      bytes += object
    }
    let table = bytes.count
    for offset in offsets { bytes += bigEndian(offset, 4) }
    return bytes + [0, 0, 0, 0, 0, 0, 4, 1] + bigEndian(objects.count, 8) + bigEndian(objects.count - 1, 8)
      + bigEndian(table, 8)
  }

  static func bigEndian(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private static func text(_ text: String) -> [UInt8] {
    precondition(text.utf8.count < 15, "short texts only")
    return [0x50 | UInt8(text.utf8.count)] + Array(text.utf8)
  }

  private static func with(_ change: (inout [UInt8]) -> Void) -> [UInt8] {
    var bytes = encode([text("key"), text("value"), [0xD1, 0, 1]])
    change(&bytes)
    return bytes
  }

  static let all: [List] = [
    List("nothing", says: "not a binary property list", []),
    List("XML", says: "not a binary property list", Array("<?xml version=\"1.0\"?><plist><dict/></plist>......".utf8)),
    List("a string", says: "no dictionary", encode([text("x"), text("y")])),
    List(
      "a dictionary that says nothing of models", says: "no version hashes",
      encode([text("k"), text("v"), [0xD1, 0, 1]])),
    List(
      "hashes that are a string", says: "no dictionary",
      encode([[0x5F, 0x10, 25] + Array("NSStoreModelVersionHashes".utf8), text("v"), [0xD1, 0, 1]])),
    List("a cycle", says: "nested too deeply", encode([text("k"), [0xD1, 0, 1]])),
    List(
      "nesting without end", says: "nested too deeply",
      encode([[0xA0]] + (0..<200).map { [0xA1, UInt8($0)] } + [text("k"), [0xD1, 201, 200]])),
    List(
      "every list twice in the next", says: "too many values",
      encode([[0xA0]] + (0..<40).map { [0xA2, UInt8($0), UInt8($0)] } + [text("k"), [0xD1, 41, 40]])),
    List(
      "one large value shared a thousand times", says: "too many values",
      encode([
        [0x4F, 0x12] + bigEndian(1 << 20, 4) + [UInt8](repeating: 7, count: 1 << 20),
        [0xAF, 0x11] + bigEndian(1_000, 2) + [UInt8](repeating: 0, count: 1_000), text("k"), [0xD1, 2, 1],
      ])),
    List(
      "a huge count", says: "damaged length", encode([text("k"), [0xAF, 0x13] + bigEndian(.max, 8), [0xD1, 0, 1]])),
    List(
      "a negative count", says: "damaged length", encode([text("k"), [0xAF, 0x13] + bigEndian(-1, 8), [0xD1, 0, 1]])),
    List("a count beyond the end", says: "damaged length", encode([text("k"), [0x4F, 0x10, 70], [0xD1, 0, 1]])),
    List(
      "data that reach into the table", says: "reaches beyond the objects' end",
      encode([text("k"), [0x4F, 0x10, 20], [0xD1, 0, 1]])),
    List("a key that is a number", says: "key is no text", encode([[0x10, 1], text("v"), [0xD1, 0, 1]])),
    List("a key twice", says: "stands twice", encode([text("k"), text("v"), [0xD2, 0, 0, 1, 1]])),
    List(
      "a reference beyond the end", says: "an object that is not there", encode([text("k"), text("v"), [0xD1, 0, 9]])),
    List("a string that is no text", says: "damaged string", encode([text("k"), [0x51, 0xFF], [0xD1, 0, 1]])),
    List("half a character", says: "damaged string", encode([text("k"), [0x61, 0xD8, 0x00], [0xD1, 0, 1]])),
    List("an unknown type", says: "unknown kind", encode([text("k"), [0x70], [0xD1, 0, 1]])),
    List("offsets of no bytes", says: "trailer", with { $0[$0.count - 26] = 0 }),
    List("more objects than bytes", says: "trailer", with { $0[$0.count - 20] = 0xFF }),
    List("a table beyond the end", says: "trailer", with { $0[$0.count - 3] = 0xFF }),
    List("a table of huge position", says: "trailer", with { $0[$0.count - 8] = 0xFF }),
    List("a root that is not there", says: "trailer", with { $0[$0.count - 9] = 0x77 }),
    List("an offset into the header", says: "lies outside the property list", with { $0[$0.count - 33] = 0x01 }),
  ]
}
