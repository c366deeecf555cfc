/// Texts that programs write where there is no value.
enum NullMarker {
  static let texts = [
    "\\N", "NULL", "null", "Null", "NA", "N/A", "n/a", "na", "#N/A", "-", "--", "nan", "NaN", "NAN", "None", "?", ".",
    "..",
  ]

  /// The place of `\N`, which database dumps write and no text is.
  static let ofDumps = 0

  private static let bytes = texts.map { Array($0.utf8) }
  private static let longest = bytes.map(\.count).max() ?? 0
  /// Whether one begins with a byte.
  private static let starts: [Bool] = (0...255).map { byte in bytes.contains { Int($0[0]) == byte } }

  /// Which of the texts it is; nil for none of them.
  static func index(of text: UnsafeRawBufferPointer) -> Int? {
    guard (1...longest).contains(text.count), let first = unsafe text.first, starts[Int(first)] else { return nil }
    return bytes.firstIndex { marker in
      unsafe marker.count == text.count && marker[0] == first && marker.elementsEqual(text)
    }
  }

  /// Which texts of all they are, in quotes: `"NA" and "-"`.
  static func listed(_ texts: [String]) -> String {
    let quoted = texts.map { "\"\($0)\"" }
    guard quoted.count > 1, let last = quoted.last else { return quoted.first ?? "" }
    return quoted.dropLast().joined(separator: ", ") + " and " + last
  }

  /// An expression that is null where a field has one of the texts, as the pipeline file has it.
  /// - Parameter field: the field's expression, in the quotes that YAML needs or without.
  static func expression(_ field: String, _ texts: [String]) -> String {
    guard !texts.isEmpty else { return field }
    let inner = field.hasPrefix("\"") ? String(field.dropFirst().dropLast()) : field
    // Once for the expression's quotes, once for those of YAML.
    let tests = texts.map { "\(inner) == '\($0.replacing("\\", with: "\\\\\\\\"))'" }
    return "\"\(tests.joined(separator: " || ")) ? null : \(inner)\""
  }
}
