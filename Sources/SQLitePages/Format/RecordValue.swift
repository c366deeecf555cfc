/// A value as records of tables have it: its type in the header, and its bytes.
public struct RecordValue: Sendable, Hashable {
  /// SQLite's number for the kind of value and its length.
  public let type: UInt64
  /// The bytes as they stand in the record.
  public let bytes: [UInt8]

  /// The value NULL, which has no bytes.
  public static let null = RecordValue(type: 0, bytes: [])

  private init(type: UInt64, bytes: [UInt8]) {
    self.type = type
    self.bytes = bytes
  }

  @unsafe private init(_ write: (UnsafeMutableRawPointer) -> (type: UInt8, count: Int)) {
    var bytes = [UInt8](repeating: 0, count: 8)
    let written = unsafe bytes.withUnsafeMutableBytes { bytes -> (type: UInt8, count: Int) in
      unsafe bytes.baseAddress.map { unsafe write($0) } ?? (0, 0)
    }
    self.init(type: UInt64(written.type), bytes: Array(bytes.prefix(written.count)))
  }

  /// A whole number, in the fewest bytes.
  public init(_ number: Int64) {
    unsafe self.init { unsafe RecordEncoding.write(number, to: $0) }
  }

  /// A number with a fraction.
  /// - Parameter isReal: whether the column's affinity is real; such columns keep whole numbers in the form of
  ///   integers.
  public init(_ number: Double, isReal: Bool) {
    if isReal {
      unsafe self.init { unsafe RecordEncoding.write(number, isReal: true, to: $0) }
    } else {
      self.init(type: 7, bytes: unsafe withUnsafeBytes(of: number.bitPattern.bigEndian) { unsafe Array($0) })
    }
  }

  /// A text in UTF-8.
  public init(text bytes: [UInt8]) { self.init(type: RecordEncoding.textType(bytes.count), bytes: bytes) }

  /// A blob with these bytes.
  public init(blob bytes: [UInt8]) { self.init(type: RecordEncoding.blobType(bytes.count), bytes: bytes) }
}
