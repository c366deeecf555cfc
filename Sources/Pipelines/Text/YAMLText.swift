/// Texts as pipeline files have them, for code that writes such files.
public enum YAMLText {
  /// A text as it is where YAML takes it for one, else in quotes. Variables of the environment are kept out.
  public static func name(_ text: String) -> String { startsPlain(text) && isPlain(text) ? text : quoted(text) }

  /// The field of that name, as an expression: as it is, or in backticks, which make a field of anything. Nil for the
  /// empty name, which no expression can have.
  public static func field(_ name: String) -> String? {
    // A dot leads into an object.
    if startsPlain(name), isPlain(name), !name.contains(".") { return name }
    if name.isEmpty { return nil }
    return quoted("`\(name.replacing("`", with: "``"))`", escapesVariables: false)
  }

  /// A digit would begin a number.
  private static func startsPlain(_ text: String) -> Bool {
    text.utf8.first.map { $0 == UInt8(ascii: "_") || (97...122).contains($0 | 0x20) } ?? false
  }

  /// Whether YAML and the expressions take the text for a name.
  package static func isPlain(_ text: String) -> Bool {
    !isWord(text)
      && text.utf8.allSatisfy { byte in
        byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".") || (48...57).contains(byte)
          || (97...122).contains(byte | 0x20)
      }
  }

  private static func isWord(_ text: String) -> Bool {
    ["true", "false", "null", "nan", "inf", ""].contains(text.lowercased())
  }

  /// The text in double quotes.
  /// - Parameter escapesVariables: doubles every dollar sign, because a variable of the environment would be put in its
  ///   place; expressions have none.
  public static func quoted(_ text: String, escapesVariables: Bool = true) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\" + String(scalar)
      case "$" where escapesVariables: quoted += "$$"
      case "\u{FEFF}", "\u{85}", "\u{2028}", "\u{2029}",
        _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value):
        quoted +=
          "\\u" + String(repeating: "0", count: max(4 - String(scalar.value, radix: 16).count, 0))
          + String(scalar.value, radix: 16)
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
