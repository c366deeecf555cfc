extension UInt8 {
  /// Whether it is a digit of ASCII.
  @inline(__always) var isDigit: Bool { (48...57).contains(self) }
  /// Whether it is a letter of ASCII.
  @inline(__always) var isLetter: Bool { (97...122).contains(self | 0x20) }
}
