/// The text of a derivation expression as it enters version hashes: what `NSExpression.predicateFormat` prints.
///
/// Two forms are confirmed against Apple's own hashes: a key path (`author.name`) and `count:(pages)`. Blanks are
/// taken out of them. Any other text enters as written, without blanks at its ends, and is marked unconfirmed.
struct DerivationExpression: Hashable {
  let predicateFormat: String
  let isConfirmed: Bool

  init(_ text: String) {
    let tokens = Self.tokens(text)
    let joined = tokens.joined()
    if Self.isKeyPath(tokens[...]) {
      self.init(predicateFormat: joined, isConfirmed: true)
    } else if let call = Self.arguments(of: tokens) {
      self.init(predicateFormat: joined, isConfirmed: tokens.first == "count" && Self.isKeyPath(call))
    } else {
      let start = text.firstIndex { !$0.isWhitespace } ?? text.endIndex
      let end = text.lastIndex { !$0.isWhitespace }.map { text.index(after: $0) } ?? start
      self.init(predicateFormat: String(text[start..<end]), isConfirmed: false)
    }
  }

  private init(predicateFormat: String, isConfirmed: Bool) {
    self.predicateFormat = predicateFormat
    self.isConfirmed = isConfirmed
  }

  /// Words and single marks; blanks separate and are dropped. Two neighbouring words stay two tokens.
  private static func tokens(_ text: String) -> [String] {
    var tokens: [String] = []
    var word = ""
    func flush() {
      if !word.isEmpty { tokens.append(word) }
      word = ""
    }
    for character in text {
      if character.isLetter || character.isNumber || character == "_" {
        word.append(character)
      } else {
        flush()
        if !character.isWhitespace { tokens.append(String(character)) }
      }
    }
    flush()
    return tokens
  }

  /// `a.b.c`, none of them a word that the predicate language reserves (which it prints with a `#` before it).
  private static func isKeyPath(_ tokens: ArraySlice<String>) -> Bool {
    guard tokens.count % 2 == 1 else { return false }
    return tokens.enumerated().allSatisfy { position, token in
      position % 2 == 1 ? token == "." : isWord(token) && !PredicateWords.isReserved(token)
    }
  }

  /// The argument of `name:(argument)`, nil when the tokens are anything else.
  private static func arguments(of tokens: [String]) -> ArraySlice<String>? {
    guard tokens.count > 4, isWord(tokens[0]), tokens[1] == ":", tokens[2] == "(", tokens.last == ")" else {
      return nil
    }
    let inside = tokens[3..<(tokens.count - 1)]
    return isKeyPath(inside) ? inside : nil
  }

  private static func isWord(_ token: String) -> Bool {
    guard let first = token.first else { return false }
    return first.isLetter || first == "_"
  }
}
