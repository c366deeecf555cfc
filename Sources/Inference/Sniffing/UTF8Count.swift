import SeedFormats

/// Counts the characters of several bytes that are UTF-8, and the bytes that belong to none, in one pass over blocks.
struct UTF8Count {
  private(set) var characters = 0
  private(set) var strayBytes = 0
  /// Bytes that the character at hand still lacks, and the range of the next one.
  private var missing = 0
  private var read = 0
  private var range: ClosedRange<UInt8> = 0x80...0xBF

  /// Whether a text with stray bytes is meant as UTF-8: text of one byte a character hardly ever has two that form one.
  var isMeantAsUTF8: Bool { strayBytes > 0 && characters > strayBytes }

  /// Counts a whole source.
  init(_ source: any BlockSource, check: () throws -> Void) throws {
    while let block = try source.next() {
      try check()
      unsafe scan(block.bytes)
    }
    strayBytes += read
  }

  private mutating func scan(_ bytes: UnsafeRawBufferPointer) {
    for index in bytes.indices {
      let byte = unsafe bytes[index]
      if byte < 0x80, read == 0 { continue }
      consume(byte)
    }
  }

  private mutating func consume(_ byte: UInt8) {
    if missing > 0 {
      if range.contains(byte) {
        (missing, read, range) = (missing - 1, read + 1, 0x80...0xBF)
        if missing == 0 { (characters, read) = (characters + 1, 0) }
        return
      }
      strayBytes += read
      (missing, read, range) = (0, 0, 0x80...0xBF)
    }
    // As RFC 3629 has it: no overlong forms, no surrogates, nothing beyond U+10FFFF.
    switch byte {
    case 0..<0x80: break
    case 0xC2...0xDF: (missing, read) = (1, 1)
    case 0xE0: (missing, read, range) = (2, 1, 0xA0...0xBF)
    case 0xED: (missing, read, range) = (2, 1, 0x80...0x9F)
    case 0xE1...0xEF: (missing, read) = (2, 1)
    case 0xF0: (missing, read, range) = (3, 1, 0x90...0xBF)
    case 0xF1...0xF3: (missing, read) = (3, 1)
    case 0xF4: (missing, read, range) = (3, 1, 0x80...0x8F)
    default: strayBytes += 1
    }
  }
}
