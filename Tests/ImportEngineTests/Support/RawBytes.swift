@testable import ImportEngine

/// Hands the bytes of an array over.
func withRaw<Result>(_ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
  unsafe bytes.withUnsafeBytes { unsafe body($0) }
}

/// Hands the bytes of a text over.
func withRaw<Result>(_ text: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
  unsafe withRaw(Array(text.utf8)) { unsafe body($0) }
}

extension KeyTable {
  func match(_ key: [UInt8]) -> Match { unsafe withRaw(key) { unsafe match($0) } }
  func register(_ row: RowReference, for key: [UInt8]) { unsafe withRaw(key) { unsafe register(row, for: $0) } }
  func remove(_ row: RowReference, for key: [UInt8]) { unsafe withRaw(key) { unsafe remove(row, for: $0) } }
}

extension KeyHash {
  static func hash(_ key: [UInt8]) -> UInt64 { unsafe withRaw(key) { unsafe hash($0) } }
}
