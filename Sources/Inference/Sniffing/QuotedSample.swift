/// Texts of files in comments and notes.
enum QuotedSample {
  /// The text in quotes, on one line and not longer than a comment has room for.
  static func text(of text: String) -> String {
    let plain = text.unicodeScalars.map { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) ? " " : String($0) }
      .joined()
    return "\"\(plain.prefix(30))\(plain.count > 30 ? "…" : "")\""
  }
}
