import PropertyLists

/// Compares two archives object by object along their references, and tells where they differ.
///
/// A field that is absent equals one that is null, false or empty; a mutable collection equals another; a Boolean
/// equals the number that older frameworks kept for it; sets, dictionaries and the fetch indexes of an entity have no
/// order.
struct ArchiveComparison {
  private(set) var differences: [String] = []
  private var visited: Set<[Int]> = []

  /// The differences between two archives, each with the path to it.
  static func differences(_ left: [UInt8], _ right: [UInt8]) throws -> [String] {
    var comparison = ArchiveComparison()
    try comparison.compare(try KeyedArchive(left).root(), try KeyedArchive(right).root(), "")
    return comparison.differences
  }

  private mutating func compare(_ left: ArchivedValue, _ right: ArchivedValue, _ path: String) throws {
    switch (left, right) {
    case (.object(let left), .object(let right)): try compare(left, right, path)
    default:
      if try plain(left) != plain(right) { differences.append("\(path): \(try plain(left)) and \(try plain(right))") }
    }
  }

  private mutating func compare(_ left: ArchivedObject, _ right: ArchivedObject, _ path: String) throws {
    guard visited.insert([left.reference, right.reference]).inserted else { return }
    if let own = try left.entries(), let other = try right.entries() {
      return try compare(own.sorted { $0.key < $1.key }, other.sorted { $0.key < $1.key }, path)
    }
    if let own = try ArchivedValue.object(left).elements(), let other = try ArchivedValue.object(right).elements() {
      // Core Data lists fetch indexes in the order of a dictionary.
      let isSet = left.className.hasSuffix("Set") || path.hasSuffix(".NSFetchIndexDescriptions")
      let first = isSet ? try own.sorted { try name(of: $0) < name(of: $1) } : own
      let second = isSet ? try other.sorted { try name(of: $0) < name(of: $1) } : other
      return try compare(
        first.enumerated().map { ("\($0.offset)", $0.element) },
        second.enumerated().map { ("\($0.offset)", $0.element) },
        path)
    }
    if left.className != right.className { differences.append("\(path): \(left.className) and \(right.className)") }
    let isDecimal = left.kind == .decimalNumber || left.kind == .decimalNumberPlaceholder
    if isDecimal {
      if try left.decimal() != right.decimal() { differences.append("\(path): another decimal") }
      return
    }
    for field in Set(left.fields.keys).union(right.fields.keys).sorted() where field != "$class" {
      let own = try left.value(field) ?? .null
      let other = try right.value(field) ?? .null
      if try isNothing(own), try isNothing(other) { continue }
      try compare(own, other, "\(path).\(field)")
    }
  }

  private mutating func compare(
    _ left: [(key: String, value: ArchivedValue)], _ right: [(key: String, value: ArchivedValue)], _ path: String
  ) throws {
    guard left.map(\.key) == right.map(\.key) else {
      differences.append("\(path): \(left.map(\.key)) and \(right.map(\.key))")
      return
    }
    for (own, other) in zip(left, right) { try compare(own.value, other.value, "\(path).\(own.key)") }
  }

  private func isNothing(_ value: ArchivedValue) throws -> Bool {
    switch value {
    case .null, .boolean(false): true
    default: try value.collectedValues()?.isEmpty == true
    }
  }

  private func plain(_ value: ArchivedValue) throws -> String {
    switch value {
    case .null: "nothing"
    case .boolean(let flag): flag ? "1" : "0"
    case .integer(let number): "\(number)"
    case .real(let number): number == number.rounded() ? "\(Int64(number))" : "\(number)"
    case .date(let seconds): "date \(seconds)"
    case .string(let text): "\"\(text)\""
    case .data(let bytes): "\(Array(bytes))"
    case .object(let object): object.className
    }
  }

  private func name(of value: ArchivedValue) throws -> String {
    guard case .object(let object) = value else { return try plain(value) }
    return try object.string("NSEntityName") ?? object.string("NSIndexName") ?? object.className
  }
}
