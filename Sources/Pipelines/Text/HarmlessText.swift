/// Text that came from files, names or arguments, as it may be shown: no character of it moves a terminal's cursor,
/// changes its colours or title, or turns the direction of what follows.
///
/// Everything that is printed for people goes through here, and data that a terminal shows (`TerminalSink`). Data in
/// files and pipes are left as they are.
public enum HarmlessText {
  /// Whether a character may not be shown as it is: C0 but for line ends, DEL, C1, the marks, embeddings, overrides and
  /// isolates of direction, and the line and paragraph separators.
  public static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0A: false
    case 0...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// The text with such characters written out: `\u{202e}`.
  public static func of(_ text: String) -> String {
    replacing(text) { "\\u{\(String($0.value, radix: 16))}" }
  }

  /// JSON text with such characters in its strings written as JSON writes them: `\u202e`.
  package static func json(_ text: String) -> String { replacing(text, with: jsonEscape) }

  private static func replacing(_ text: String, with escape: (Unicode.Scalar) -> String) -> String {
    guard text.unicodeScalars.contains(where: isHarmful) else { return text }
    var output = ""
    for scalar in text.unicodeScalars {
      if isHarmful(scalar) {
        output += escape(scalar)
      } else {
        output.unicodeScalars.append(scalar)
      }
    }
    return output
  }

  /// The text on one line: line ends are written out too.
  public static func line(_ text: String) -> String { of(text).replacing("\n", with: "\\n") }

  /// A harmful character as JSON writes it: four hexadecimal digits.
  static func jsonEscape(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
