/// The records of a lookup in memory, by their keys.
@usableFromInline package struct LookupTable: Sendable {
  /// The most that the keys and values of one table take.
  static let maximumBytes = 256 << 20

  /// By bytes: texts that differ only in Unicode normalization are two keys.
  private var values: [[UInt8]: RecordExpressionValue] = [:]
  private var bytes = 0

  /// The value of a key; null when the table does not have the key.
  @usableFromInline func value(for key: String) -> RecordExpressionValue { values[Array(key.utf8)] ?? .null }

  /// A table with nothing in it.
  package init() {}

  /// Adds the value that a record gives for a key.
  /// - Throws: `RecordExpressionFailure` for an empty or repeated key, and when the table gets too large.
  package mutating func add(key: RecordExpressionValue, _ value: RecordExpressionValue) throws(RecordExpressionFailure)
  {
    guard !key.isMissing else {
      throw RecordExpressionFailure(
        code: "lookup.empty-key", message: "the key is empty", hint: "fill it in, or remove the line")
    }
    let text = try key.asText()
    guard values.updateValue(value, forKey: Array(text.utf8)) == nil else {
      throw RecordExpressionFailure(
        code: "lookup.duplicate-key", message: "the key \(RecordExpressionFailure.quoted(text)) comes twice",
        hint: "a key finds one value: remove one of the two")
    }
    bytes += 96 + text.utf8.count
    if case .string(let text) = value { bytes += text.utf8.count }
    if bytes > Self.maximumBytes {
      throw RecordExpressionFailure(
        code: "lookup.too-large", message: "the table takes more than 256 MiB of memory",
        hint: "import it as an entity and refer to its objects")
    }
  }
}
