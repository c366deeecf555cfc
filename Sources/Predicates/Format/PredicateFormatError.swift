/// Why a text is no predicate, or no expression.
public struct PredicateFormatError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong, for programs.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// Something stands where something else belongs, or the text ends too early.
    case syntax
    /// A number, a string or an escape in it that cannot be read.
    case literal
    /// A function, cast type, collection operator or option that is not known.
    case unknownName
    /// The number of operands of a function, or of bounds.
    case operandCount
    /// A `%` specifier without argument, with one that does not fit, or an argument without specifier.
    case argument
    /// Nested too deeply, or too long a chain.
    case complexity
  }

  /// What is wrong, for programs.
  public var code: Code
  /// What is wrong, for people.
  public var message: String
  /// Where in the format, in characters from 1.
  public var column: Int
  /// What to do about it.
  public var hint: String?

  /// The position, the message and the hint.
  public var description: String { "column \(column): \(message)" + (hint.map { "\n  hint: \($0)" } ?? "") }
}
