public import Foundation

/// A pattern of `LIKE` and `MATCHES`.
public enum TextPattern {
  /// Whether the whole text fits a `LIKE` pattern: `*` any number of scalars, `?` one, a backslash before a mark takes
  /// its meaning away. A backslash at the end stands for itself.
  /// - Complexity: O(text × pattern) at worst.
  public static func isLike(_ text: String, _ pattern: String) -> Bool {
    let text = Array(text.unicodeScalars)
    let marks = parse(pattern)
    var position = 0
    var mark = 0
    // Where the last `*` was, and how much of the text it stands for so far: only the last one has to be tried again.
    var star: (mark: Int, position: Int)?
    while position < text.count {
      if mark < marks.count, case .any = marks[mark] {
        star = (mark, position)
        mark += 1
      } else if mark < marks.count, marks[mark].fits(text[position]) {
        mark += 1
        position += 1
      } else if let last = star {
        star = (last.mark, last.position + 1)
        mark = last.mark + 1
        position = last.position + 1
      } else {
        return false
      }
    }
    return marks[mark...].allSatisfy { $0 == .any }
  }

  private enum Mark: Equatable {
    case any, one
    case scalar(Unicode.Scalar)

    func fits(_ scalar: Unicode.Scalar) -> Bool {
      switch self {
      case .any: false
      case .one: true
      case .scalar(let wanted): wanted == scalar
      }
    }
  }

  private static func parse(_ pattern: String) -> [Mark] {
    var marks: [Mark] = []
    var isEscaped = false
    for scalar in pattern.unicodeScalars {
      if isEscaped {
        marks.append(.scalar(scalar))
        isEscaped = false
      } else {
        switch scalar {
        case "\\": isEscaped = true
        case "*": marks.append(.any)
        case "?": marks.append(.one)
        default: marks.append(.scalar(scalar))
        }
      }
    }
    if isEscaped { marks.append(.scalar("\\")) }
    return marks
  }

  /// Whether the whole text matches an ICU regular expression; never when it is none.
  ///
  /// As in predicates of Foundation, `.` stands for any character, ends of lines included, and `^` and `$` match at the
  /// beginning and the end of every line; `(?-s)` and `(?-m)` in the expression take that back.
  ///
  /// Apple documents no more than that the expression is ICU's and has to match all of the text. By itself ICU lets `.`
  /// stop at ends of lines, and `^` and `$` match at the ends of the text only (`UREGEX_DOTALL` and `UREGEX_MULTILINE`
  /// are off). That is not what Foundation's predicates do: of eight cases of a public suite of predicates over ends of
  /// lines, five come out differently. GNUstep's `NSPredicate`, which is made to agree with Apple's, sets
  /// `UREGEX_DOTALL` too. Multi-line anchors are inferred, not measured on a system of Apple's. Little depends on them:
  /// the whole text has to match, so a `^` at its beginning and a `$` at its end mean the same either way. Only anchors
  /// in the middle of an expression, at an end of a line in the middle of the text, could never match without.
  ///
  /// False as well where the search is given up. What asks a store or a context by such a predicate throws then:
  /// `UndecidedMatchError`, or a `StoreError.failure` of a SQLite store with its text.
  public static func matches(_ text: String, _ pattern: String, options: FetchPredicate.Comparison.Options = []) -> Bool
  {
    Matcher(pattern, options: options)?.matches(text) ?? false
  }

  /// An ICU regular expression, compiled for many texts.
  public struct Matcher {
    private let pattern: String
    private let expression: NSRegularExpression
    private let foldsText: Bool

    /// Nil when the pattern is no regular expression.
    public init?(_ pattern: String, options: FetchPredicate.Comparison.Options = []) {
      guard let expression = TextPattern.expression(pattern, options: options) else { return nil }
      self.pattern = pattern
      self.expression = expression
      foldsText = TextPattern.foldsDiacritics(options)
    }

    /// Whether the whole text matches; false where the search is given up.
    public func matches(_ text: String) -> Bool {
      if let outcome = outcome(text) { return outcome }
      UndecidedMatches.current?.note(pattern)
      return false
    }

    /// Whether the whole text matches.
    /// - Throws: `UndecidedMatchError` where the search is given up.
    package func decided(_ text: String) throws(UndecidedMatchError) -> Bool {
      guard let outcome = outcome(text) else { throw UndecidedMatchError(pattern: pattern) }
      return outcome
    }

    private func outcome(_ text: String) -> Bool? {
      expression.matchesWhole(foldsText ? TextFolding.fold(text, options: .diacriticInsensitive) : text)
    }
  }

  /// The compiled expression, anchored at both ends; nil when it is none.
  public static func expression(
    _ pattern: String, options: FetchPredicate.Comparison.Options
  ) -> NSRegularExpression? {
    let pattern = foldsDiacritics(options) ? TextFolding.fold(pattern, options: .diacriticInsensitive) : pattern
    let ignoresCase = !options.contains(.normalized) && !options.isDisjoint(with: [.caseInsensitive, .localized])
    return try? whole(pattern, options: ignoresCase ? [.caseInsensitive] : [])
  }

  /// An expression that matches what `MATCHES` with the pattern does: the whole text.
  package static func whole(_ pattern: String, options: NSRegularExpression.Options = []) throws -> NSRegularExpression
  {
    let options = options.union([.dotMatchesLineSeparators, .anchorsMatchLines])
    // On its own first, because parentheses around it could complete it. Foundation takes no empty pattern, which is
    // one of the empty text.
    if !pattern.isEmpty { _ = try NSRegularExpression(pattern: pattern, options: options) }
    do {
      return try NSRegularExpression(pattern: "\\A(?:" + pattern + ")\\z", options: options)
    } catch {
      // With `(?x)` it may end with a comment, which a line break ends.
      return try NSRegularExpression(pattern: "\\A(?:" + pattern + "\n)\\z", options: options)
    }
  }

  private static func foldsDiacritics(_ options: FetchPredicate.Comparison.Options) -> Bool {
    !options.contains(.normalized) && !options.isDisjoint(with: [.diacriticInsensitive, .localized])
  }
}

extension NSRegularExpression {
  /// How often ICU may report that a search goes on, which it does every 10,000 steps: a second or more. Foundation on
  /// Linux ends a search after 4,231 reports, and calls that no match.
  private static let greatestProgress = 4_000

  /// Whether an expression of `TextPattern.whole` matches a text; nil where the search is given up.
  package func matchesWhole(_ text: String) -> Bool? {
    var isMatch = false
    var isGivenUp = false
    var progress = 0
    let range = NSRange(location: 0, length: text.utf16.count)
    unsafe enumerateMatches(in: text, options: [.reportProgress, .reportCompletion], range: range) {
      match, flags, stop in
      if match != nil {
        isMatch = true
        unsafe stop.pointee = true
      } else if flags.contains(.internalError) {
        isGivenUp = true
      } else if flags.contains(.progress) {
        progress += 1
        if progress == Self.greatestProgress {
          isGivenUp = true
          unsafe stop.pointee = true
        }
      }
    }
    return isMatch ? true : isGivenUp ? nil : false
  }
}
