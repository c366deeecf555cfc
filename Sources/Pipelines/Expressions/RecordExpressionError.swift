/// A mistake in the text of an expression.
public struct RecordExpressionError: Error, Sendable, Hashable, CustomStringConvertible {
  /// 1-based position in the expression's text, counted in Unicode scalars.
  public var column: Int
  /// What is wrong and what was expected.
  public var message: String
  /// What to do about it.
  public var hint: String?

  /// A mistake at a column.
  public init(column: Int, message: String, hint: String? = nil) {
    self.column = column
    self.message = message
    self.hint = hint
  }

  /// The column and the message, as in `column: message`.
  public var description: String { "\(column): \(message)" }
}

/// Why an expression has no value for a record.
public struct RecordExpressionFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// Stable code, such as `expression.overflow`.
  public var code: String
  /// What is wrong with the record's value.
  public var message: String
  /// What to do about it.
  public var hint: String?

  /// A failure with its stable code.
  public init(code: String, message: String, hint: String? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
  }

  /// The message alone, without the hint.
  public var description: String { message }

  static func notANumber(_ text: String) -> RecordExpressionFailure {
    RecordExpressionFailure(
      code: "expression.not-a-number", message: "\(quoted(text)) is not a number",
      hint: "a number is written like 1234.5; texts are joined with &, and ?? gives a default")
  }

  static func overflow(_ operation: String) -> RecordExpressionFailure {
    RecordExpressionFailure(
      code: "expression.overflow", message: "\(operation) is out of range",
      hint: "integers are 64 bits wide; write a number with a decimal point to calculate in Double")
  }

  static func typeMismatch(_ message: String, hint: String? = nil) -> RecordExpressionFailure {
    RecordExpressionFailure(code: "expression.type-mismatch", message: message, hint: hint)
  }

  /// The text in quotes, shortened so that a message stays a line.
  static func quoted(_ text: String) -> String {
    text.count > 60 ? "\"\(text.prefix(57))...\"" : "\"\(text)\""
  }
}
