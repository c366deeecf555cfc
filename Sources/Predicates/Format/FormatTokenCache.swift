import Synchronization

/// The tokens of the formats that were read last: programs ask with the same few texts and other arguments, over and
/// over, and splitting the text is most of the work.
enum FormatTokenCache {
  /// When there are more, all are forgotten.
  private static let capacity = 128
  private static let known = Mutex<[String: [FormatToken]]>([:])

  /// The tokens of a text; see `FormatLexer`.
  static func tokens(_ text: String) throws(PredicateFormatError) -> [FormatToken] {
    if let tokens = known.withLock({ $0[text] }) { return tokens }
    let tokens = try FormatLexer.tokens(text)
    known.withLock { known in
      if known.count >= capacity { known.removeAll() }
      known[text] = tokens
    }
    return tokens
  }
}
