import ArgumentParser

/// A number of bytes as an argument: `64MB`, `1GB`, `500KB`. A kilobyte has 1,000 bytes, a kibibyte (`KiB`) 1,024.
struct ByteSize: CustomStringConvertible, Equatable {
  var bytes: Int

  private static let units: [(suffix: String, factor: Int)] = [
    ("KIB", 1 << 10), ("MIB", 1 << 20), ("GIB", 1 << 30), ("TIB", 1 << 40), ("KB", 1_000), ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000), ("B", 1), ("", 1),
  ]

  init(bytes: Int) { self.bytes = bytes }

  init?(argument: String) {
    let text = argument.uppercased()
    guard let unit = Self.units.first(where: { text.hasSuffix($0.suffix) }) else { return nil }
    let digits = text.dropLast(unit.suffix.count).filter { $0 != " " && $0 != "_" && $0 != "," }
    guard let count = Int(digits), count > 0 else { return nil }
    let (product, overflows) = count.multipliedReportingOverflow(by: unit.factor)
    guard !overflows else { return nil }
    bytes = product
  }

  /// Reads an argument.
  /// - Throws: what is wrong, with an example.
  static func parse(_ argument: String) throws -> ByteSize {
    if let mistake = mistake(argument) { throw ValidationError(mistake) }
    guard let size = ByteSize(argument: argument) else {
      throw ValidationError("a size is a number with a unit, for example 500KB, 64MB or 2GiB")
    }
    return size
  }

  /// A number that is meant in another unit: without one, and too small to be bytes.
  static func mistake(_ argument: String) -> String? {
    let digits = argument.filter { $0 != " " && $0 != "_" && $0 != "," }
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(digits), count > 0,
      count < 1 << 20
    else { return nil }
    return "\(digits) has no unit: write \(digits)MB, \(digits)GB or \(digits)GiB (or KB, TB, KiB, MiB, TiB; "
      + "\(digits)B for so many bytes)"
  }

  var description: String {
    bytes % 1_000_000 == 0 ? "\(bytes / 1_000_000)MB" : "\(bytes)"
  }
}
