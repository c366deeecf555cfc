extension FetchExpression {
  /// The functions of the format language. Raw values are their names there: `add:to:(a, b)`, `now()`.
  ///
  /// Meaning, binding for every store; `Function.apply(to:)` computes those of plain values and is what a store may
  /// register with its database:
  ///
  /// - A **missing** operand, or one of another kind than the function takes, makes the result missing. So does a
  ///   result that is not a number.
  /// - **Numbers**: integers and booleans stay integers while the exact result fits 64 bits, and become doubles where
  ///   it does not. With a double, decimal or date among the operands the result is a double. Integer division cuts off
  ///   the fraction. Division and remainder by zero are missing.
  /// - **Text** functions depend on no language.
  /// - **Dates** are taken apart in UTC by the Gregorian calendar.
  /// - Functions of **lists** leave missing elements out; an operand that is no list counts as a list of one. In
  ///   `propertiesToFetch` and `havingPredicate` they work on the operand's values of all rows of the group.
  public enum Function: String, Sendable, Hashable, CaseIterable {
    // Lists.
    /// The number of elements.
    case count = "count:"
    /// The sum of the numbers, other elements left out; 0 of none. Integer while all are and the sum fits.
    case sum = "sum:"
    /// The mean as a double; missing of none.
    case average = "average:"
    /// The smallest and the greatest value in sort order; missing of none.
    case minimum = "min:"
    case maximum = "max:"
    /// The middle number as a double, or the mean of the two in the middle; missing of none.
    case median = "median:"
    /// The standard deviation of the whole population, as a double; missing of none.
    case standardDeviation = "stddev:"
    /// The list of the most frequent values, in sort order.
    case mode = "mode:"
    /// The list with equal elements once.
    case distinct = "distinct:"

    // Numbers.
    case add = "add:to:"
    /// `from:subtract:(a, b)` is a - b.
    case subtract = "from:subtract:"
    case multiply = "multiply:by:"
    case divide = "divide:by:"
    /// The remainder of the division of the operands without their fractions, with the sign of the first.
    case modulus = "modulus:by:"
    /// Always a double.
    case power = "raise:toPower:"
    case absolute = "abs:"
    case squareRoot = "sqrt:"
    /// The natural logarithm, and the one to base 10; missing for 0 and below.
    case naturalLogarithm = "ln:"
    case logarithm = "log:"
    case exponential = "exp:"
    case ceiling = "ceiling:"
    case floor = "floor:"
    /// Towards zero.
    case truncate = "trunc:"
    /// The bits that both integers have. Bitwise functions take integers only.
    case bitwiseAnd = "bitwiseAnd:with:"
    case bitwiseOr = "bitwiseOr:with:"
    case bitwiseXor = "bitwiseXor:with:"
    case leftShift = "leftshift:by:"
    case rightShift = "rightshift:by:"
    case onesComplement = "onesComplement:"

    // Text.
    case uppercase = "uppercase:"
    case lowercase = "lowercase:"
    /// Without case, diacritics and width: what derived attributes keep for searching.
    case canonical = "canonical:"
    /// The number of Unicode scalars of text.
    case length = "length:"
    /// One text after the other.
    case append = "stringByAppendingString:"

    // Dates.
    /// The time at which the evaluation of the whole request or predicate began.
    case now = "now"
    case year = "year:"
    /// 1 to 12.
    case month = "month:"
    /// The day of the month, from 1.
    case day = "day:"
    case hour = "hour:"
    case minute = "minute:"
    /// 0 to 59, without the fraction.
    case second = "second:"
    /// 1 (Sunday) to 7.
    case weekday = "weekday:"
    /// The date at 00:00 UTC of the same day.
    case startOfDay = "startOfDay:"

    // Hints: the value of the first operand, with advice to the store.
    /// The second operand, constant text, names the fetch index to use. A store may only use it to find the same
    /// objects faster; one that does not exist is refused by `checkKeyPaths(for:)`.
    case indexed = "indexed:by:"
    /// No index is to be used for the operand.
    case noIndex = "noindex:"

    /// How many operands the function takes.
    public var operandCount: Int {
      switch self {
      case .now: 0
      case .append: 2
      default: rawValue.count { $0 == ":" }
      }
    }

    /// Whether it takes a list.
    public var isOfLists: Bool {
      switch self {
      case .count, .sum, .average, .minimum, .maximum, .median, .standardDeviation, .mode, .distinct: true
      default: false
      }
    }

    /// Whether it makes one value out of a list, so that it can work on the rows of a group.
    public var isAggregate: Bool { isOfLists && self != .mode && self != .distinct }
  }
}
