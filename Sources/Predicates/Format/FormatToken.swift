import ObjectModel

/// A token of the format language, with the column where it begins.
struct FormatToken: Hashable {
  enum Kind: Hashable {
    /// A name or a word of the language; an escaped one, with `#` before it, is always a name.
    case word(String, isEscaped: Bool)
    case number(String)
    case string(String)
    /// `$NAME`.
    case variable(String)
    /// `@name`, the `@` included.
    case collector(String)
    /// `%@`, the `%` left out.
    case specifier(String)
    case sign(String)
    case end
  }

  var kind: Kind
  /// The place in the text, in characters from 1.
  var column: Int

  /// Whether this is a word that cannot be a property.
  var isReserved: Bool {
    if case .word(let text, isEscaped: false) = kind { return PredicateWords.isReserved(text) }
    return false
  }

  /// The token as messages show it.
  var shown: String {
    switch kind {
    case .word(let text, let isEscaped): "\"\(isEscaped ? "#" : "")\(text)\""
    case .number(let text): text
    case .string(let text): "the string \"\(text.prefix(40))\""
    case .variable(let text): "$" + text
    case .collector(let text): text
    case .specifier(let text): "%" + text
    case .sign(let text): "\"\(text)\""
    case .end: "the end"
    }
  }
}
