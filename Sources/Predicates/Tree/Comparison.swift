extension FetchPredicate {
  /// A comparison of two expressions: the general form, of which `comparison`, `isIn`, `tupleIsIn`, `refersTo` and
  /// `selfIsIn` are compact special cases.
  ///
  /// Meaning, beside what `FetchPredicate` says of missing values and kinds:
  ///
  /// - **Objects** are a kind of their own: an object equals itself only, and objects are not ordered. The key path of
  ///   a to-one relationship that leads nowhere is missing.
  /// - **Lists** come from to-many key paths, aggregates, subqueries, set expressions and list functions. One stands
  ///   where `modifier` is not `direct` (left), right of `isIn` and `between`, left of `contains`, and as an operand of
  ///   functions and collection operators. Anywhere else `checkKeyPaths(for:)` refuses it.
  /// - **`direct`** compares the operands. **`any`** holds when the comparison holds for at least one element of the
  ///   left list, and is false for an empty one; **`all`** holds when it does for every element, and is true for an
  ///   empty one. A left operand that is no list counts as a list of one. `NONE` is `not` of `any`, `SOME` is `any`.
  /// - **Null elements** of lists are compared like null values: `ANY stops.zone == nil` holds when the zone of some
  ///   stop is missing.
  public struct Comparison: Sendable, Hashable {
    /// The operand that stands before the operator.
    public var left: FetchExpression
    /// How often the comparison must hold when the left operand is a list.
    public var modifier: Modifier
    /// The relation between the operands.
    public var comparisonOperator: Operator
    /// How text is compared.
    public var options: Options
    /// The operand that stands after the operator.
    public var right: FetchExpression

    /// A comparison, by default direct and by bytes.
    public init(
      _ left: FetchExpression, _ comparisonOperator: Operator, _ right: FetchExpression, modifier: Modifier = .direct,
      options: Options = []
    ) {
      self.left = left
      self.modifier = modifier
      self.comparisonOperator = comparisonOperator
      self.options = options
      self.right = right
    }

    /// How many elements of the left list the comparison must hold for.
    public enum Modifier: Sendable, Hashable, CaseIterable {
      case direct
      /// At least one (`ANY`, `SOME`).
      case any
      /// Every one (`ALL`).
      case all
    }

    /// What must hold between the left and the right operand.
    public enum Operator: Sendable, Hashable, CaseIterable {
      /// `=` and `!=`: `IS` and `IS NOT` of SQL, so that null equals null.
      case equal, notEqual
      /// `<`, `<=`, `>`, `>=`: false when a side is missing or the kinds differ.
      case less, lessOrEqual, greater, greaterOrEqual
      /// `BETWEEN`: the right list has two elements, and the left value is neither less than the first nor greater than
      /// the second.
      case between
      /// `IN`: the left value equals an element of the right list. When the right operand is no list but text, the left
      /// text occurs in it; `checkKeyPaths(for:)` refuses anything else on the right.
      case isIn
      /// `CONTAINS`: an element of the left list equals the right value. When the left operand is no list but text, the
      /// right text occurs in it.
      case contains
      /// `BEGINSWITH` and `ENDSWITH`. False unless both sides are text; the empty text begins and ends every text.
      case beginsWith, endsWith
      /// `LIKE`: the whole left text fits the pattern on the right, where `*` stands for any number of Unicode scalars,
      /// `?` for exactly one, and a backslash takes the meaning from the mark after it. False unless both sides are
      /// text.
      case like
      /// `MATCHES`: the whole left text matches the ICU regular expression on the right. False unless both sides are
      /// text. A constant that is no regular expression is refused by `checkKeyPaths(for:)`; a computed one matches
      /// nothing.
      case matches
    }

    /// How text is compared: `[cdnl]` in the format language. They say nothing about other kinds of values, which
    /// compare as always.
    ///
    /// Without options, text compares by its UTF-8 bytes. With `caseInsensitive` or `diacriticInsensitive` both sides
    /// are folded first (`TextFolding`: Foundation's `folding(options:locale:)` without a locale) and then compare by
    /// their bytes. In `matches` the folding of case is the regular expression's own.
    public struct Options: OptionSet, Sendable, Hashable {
      /// The bits, in the order of the letters `c`, `d`, `n`, `l`.
      public let rawValue: UInt8
      /// Options by their bits.
      public init(rawValue: UInt8) { self.rawValue = rawValue }

      /// `[c]`: without regard to case.
      public static let caseInsensitive = Options(rawValue: 1)
      /// `[d]`: without regard to diacritics.
      public static let diacriticInsensitive = Options(rawValue: 2)
      /// `[n]`: both sides are known to be folded already. They compare by their bytes, and `c`, `d` and `l` beside it
      /// are without effect; an index can be used.
      public static let normalized = Options(rawValue: 4)
      /// `[l]`: as people expect it. Equality and order are those of `LocalizedOrder`, at the strength that `c` and `d`
      /// leave. `contains`, `beginsWith`, `endsWith`, `like`, `matches` and text in text (`isIn`) take case and
      /// diacritics away, as Foundation's `localizedStandardContains` does.
      public static let localized = Options(rawValue: 8)
    }
  }
}
