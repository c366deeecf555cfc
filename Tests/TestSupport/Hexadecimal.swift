extension Sequence<UInt8> {
  /// Two small digits for each byte.
  public var hexadecimal: String {
    map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined()
  }
}
