import Foundation
import Predicates

extension RecordExpression.Function {
  /// The function's value for its arguments, whose number the parser has checked. Null arguments give null, except
  /// for `concat` and `coalesce`.
  @usableFromInline func apply(_ arguments: [RecordExpressionValue]) throws(RecordExpressionFailure)
    -> RecordExpressionValue
  {
    switch self {
    case .coalesce: return arguments.first { !$0.isMissing } ?? .null
    case .concat:
      let present = arguments.filter { !$0.isNull }
      if present.isEmpty { return .null }
      var joined = ""
      for value in present { joined += try value.asText() }
      return .string(joined)
    default: break
    }
    guard let first = arguments.first, !arguments.contains(where: \.isNull) else { return .null }
    switch self {
    case .normalized: return .string(TextNormalization.normalized(try first.asText()))
    case .duration: return try Self.duration(first)
    case .date: return try first.date(.iso8601)
    case .trim: return .string(Self.trimmed(try first.asText()))
    case .upper: return .string(try first.asText().uppercased())
    case .lower: return .string(try first.asText().lowercased())
    case .replace: return try Self.replacing(first.asText(), arguments[1].asText(), arguments[2].asText())
    case .substring: return try Self.substring(first.asText(), arguments)
    case .length: return .integer(Int64(try first.asText().count))
    case .number:
      if case .boolean(let flag) = first { return .integer(flag ? 1 : 0) }
      return try first.asExactNumber()
    case .text: return .string(try first.asText())
    case .contains: return Self.contains(try first.asText(), try arguments[1].asText())
    case .split:
      let pieces = try Self.pieces(of: first.asText(), arguments[1].asText())
      return arguments.count > 2 ? try Self.piece(arguments[2], of: pieces) : .list(pieces.map { .string(String($0)) })
    case .words: return .list(TextFolding.words(in: try first.asText()).map { .string($0) })
    case .round: return try Self.rounded(first, arguments.count > 1 ? arguments[1] : nil)
    case .uuid: return try Self.uuid(first.asText(), namespace: arguments.count > 1 ? arguments[1].asText() : nil)
    // The evaluator does these itself.
    case .concat, .coalesce, .first, .lookup, .file: return .null
    }
  }

  private static func duration(_ value: RecordExpressionValue) throws(RecordExpressionFailure) -> RecordExpressionValue
  {
    if case .integer = value { return value }
    let text = try value.asText()
    guard let seconds = DurationParser.parse(text) else {
      throw RecordExpressionFailure(
        code: "expression.not-a-duration", message: "\(RecordExpressionFailure.quoted(text)) is not a duration",
        hint: "expected H:MM:SS, H:MM or whole seconds")
    }
    return .integer(seconds)
  }

  private static func trimmed(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard let start = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
    else { return "" }
    return String(scalars[start...last])
  }

  private static func replacing(
    _ text: String, _ old: String, _ new: String
  ) throws(RecordExpressionFailure) -> RecordExpressionValue {
    guard !old.isEmpty else {
      throw RecordExpressionFailure(
        code: "expression.empty-pattern", message: "replace() was given an empty text to look for")
    }
    // Literal: scalars as they are, no canonical equivalence, the same on every platform.
    return .string(text.replacingOccurrences(of: old, with: new, options: .literal))
  }

  private static func substring(
    _ text: String, _ arguments: [RecordExpressionValue]
  ) throws(RecordExpressionFailure) -> RecordExpressionValue {
    let start = try arguments[1].asInteger(atLeast: 1, "the start of substring()")
    var rest = text.dropFirst(start - 1)
    if arguments.count > 2 {
      rest = rest.prefix(try arguments[2].asInteger(atLeast: 0, "the length of substring()"))
    }
    return .string(String(rest))
  }
}
