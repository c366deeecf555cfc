import Foundation
import ObjectModel

/// The fields of one record, as expressions see them.
public protocol FieldAccess: ~Copyable {
  /// Text fields as `.string`, JSON numbers as `.integer` or `.double`, and absent, null and booleans as themselves.
  func value(slot: Int) -> RecordExpressionValue
  /// The field, or of an array its first element: null where it has none.
  func firstElement(slot: Int) throws(RecordExpressionFailure) -> RecordExpressionValue
}

extension FieldAccess where Self: ~Copyable {
  /// The field itself, for records without arrays.
  public func firstElement(slot: Int) throws(RecordExpressionFailure) -> RecordExpressionValue { value(slot: slot) }
}

/// An expression ready to be evaluated for every record: field paths are slots, dates have their parsers.
///
/// The evaluation is inlinable, so that a module with records of its own gets a copy made for them instead of asking
/// for every field through a witness table.
public struct RecordExpressionEvaluator: Sendable {
  @usableFromInline indirect enum Step: Sendable {
    case slot(Int)
    /// The first element of the array in a field.
    case first(Int)
    case constant(RecordExpressionValue)
    case call(RecordExpression.Function, [Step])
    case date(Step, DateParser)
    case lookup(Step, LookupTable)
    case file(Step, any ValueFiles)
    case unary(RecordExpression.UnaryOperator, Step)
    case binary(RecordExpression.BinaryOperator, Step, Step)
    case conditional(Step, Step, Step)
  }
  @usableFromInline let root: Step
  @usableFromInline let nulls: Set<String>

  /// Compiles an expression against a projection.
  /// - Parameters:
  ///   - slots: field path → slot of every field in the expression.
  ///   - nulls: field texts that mean null.
  ///   - dates: how `date()` without a format reads.
  /// - Throws: `RecordExpressionError` for a field without a slot or a date format that is not known.
  public init(
    _ expression: RecordExpression, slots: [String: Int], nulls: [String] = [], dates: DateParser = .iso8601
  ) throws(RecordExpressionError) {
    try self.init(expression, slots: slots, nulls: nulls, dates: dates, resources: RecordExpressionResources())
  }

  /// - Parameter resources: what `lookup()` and `file()` read.
  init(
    _ expression: RecordExpression, slots: [String: Int], nulls: [String] = [], dates: DateParser = .iso8601,
    resources: RecordExpressionResources
  ) throws(RecordExpressionError) {
    self.nulls = Set(nulls)
    root = try Self.compile(expression.root, slots, dates, resources)
  }

  private static func compile(
    _ node: RecordExpression.Node, _ slots: [String: Int], _ dates: DateParser, _ resources: RecordExpressionResources
  ) throws(RecordExpressionError) -> Step {
    switch node {
    case .field(let path):
      guard let slot = slots[path] else {
        throw RecordExpressionError(
          column: 1, message: "the source has no field \"\(path)\"",
          hint: Suggestion.hint(for: path, among: slots.keys.sorted()))
      }
      return .slot(slot)
    case .constant(let value): return .constant(value)
    case .call(.date, let arguments): return try compileDate(arguments, slots, dates, resources)
    case .call(let function, let arguments):
      let counts = function.specification.argumentCounts
      guard counts.contains(arguments.count) else {
        throw RecordExpressionError(
          column: 1, message: "\(function.rawValue) takes \(function.specification.argumentCountText)")
      }
      if function == .lookup { return try compileLookup(arguments, slots, dates, resources) }
      if function == .first, let argument = arguments.first {
        guard case .slot(let slot) = try compile(argument, slots, dates, resources) else {
          throw RecordExpressionError(column: 1, message: RecordExpression.Function.firstWantsField)
        }
        return .first(slot)
      }
      var steps: [Step] = []
      for argument in arguments { steps.append(try compile(argument, slots, dates, resources)) }
      guard function == .file, let path = steps.first else { return .call(function, steps) }
      guard let files = resources.files else {
        throw RecordExpressionError(column: 1, message: "file() has no project here whose files it could read")
      }
      return .file(path, files)
    case .unary(let operation, let operand): return .unary(operation, try compile(operand, slots, dates, resources))
    case .binary(let operation, let left, let right):
      return .binary(operation, try compile(left, slots, dates, resources), try compile(right, slots, dates, resources))
    case .conditional(let condition, let yes, let no):
      return .conditional(
        try compile(condition, slots, dates, resources), try compile(yes, slots, dates, resources),
        try compile(no, slots, dates, resources))
    }
  }

  private static func compileDate(
    _ arguments: [RecordExpression.Node], _ slots: [String: Int], _ dates: DateParser,
    _ resources: RecordExpressionResources
  ) throws(RecordExpressionError) -> Step {
    var texts: [String] = []
    for argument in arguments.dropFirst() {
      guard case .constant(.string(let text)) = argument else {
        throw RecordExpressionError(column: 1, message: "the format and zone of date() must be text constants")
      }
      texts.append(text)
    }
    guard let text = arguments.first else {
      throw RecordExpressionError(column: 1, message: "date takes 1 to 3 arguments")
    }
    let step = try compile(text, slots, dates, resources)
    guard let format = texts.first else { return .date(step, dates) }
    do {
      return .date(step, try DateParser(format: format, timeZone: texts.count > 1 ? texts[1] : "UTC"))
    } catch {
      throw RecordExpressionError(column: 1, message: error.message, hint: error.hint)
    }
  }

  private static func compileLookup(
    _ arguments: [RecordExpression.Node], _ slots: [String: Int], _ dates: DateParser,
    _ resources: RecordExpressionResources
  ) throws(RecordExpressionError) -> Step {
    guard arguments.count == 2, case .constant(.string(let name)) = arguments[0] else {
      throw RecordExpressionError(
        column: 1, message: "the first argument of lookup() is the name of a lookup, a text constant",
        hint: "write \(RecordExpression.Function.lookup.specification.signature)")
    }
    guard let table = resources.lookups[name] else {
      let names = resources.lookups.keys.sorted()
      throw RecordExpressionError(
        column: 1, message: "there is no lookup \"\(name)\"",
        hint: Suggestion.hint(for: name, among: names)
          ?? (names.isEmpty
            ? "add lookups: { \(name): { from: \(name).csv, key: ..., value: ... } }"
            : "lookups are \(names.joined(separator: ", "))"))
    }
    return .lookup(try compile(arguments[1], slots, dates, resources), table)
  }

  /// The expression's value for a record.
  /// - Throws: `RecordExpressionFailure`: the record is to be rejected.
  @inlinable public func evaluate(_ fields: borrowing some FieldAccess & ~Copyable) throws(RecordExpressionFailure)
    -> RecordExpressionValue
  {
    try evaluate(root, fields)
  }

  @inlinable func evaluate(
    _ step: Step, _ fields: borrowing some FieldAccess & ~Copyable
  ) throws(RecordExpressionFailure) -> RecordExpressionValue {
    switch step {
    case .slot(let slot):
      return known(fields.value(slot: slot))
    case .first(let slot): return known(try fields.firstElement(slot: slot))
    case .constant(let value): return value
    case .date(let operand, let parser): return try evaluate(operand, fields).date(parser)
    case .call(let function, let arguments): return try call(function, arguments, fields)
    case .lookup(let operand, let table):
      let key = try evaluate(operand, fields)
      return key.isNull ? .null : table.value(for: try key.asText())
    case .file(let operand, let files):
      let path = try evaluate(operand, fields)
      return path.isNull ? .null : .data(try files.read(try path.asText()))
    case .unary(.not, let operand):
      guard let truth = try evaluate(operand, fields).truth() else { return .null }
      return .boolean(!truth)
    case .unary(.minus, let operand): return try evaluate(operand, fields).negated()
    case .binary(let operation, let left, let right): return try binary(operation, left, right, fields)
    case .conditional(let condition, let yes, let no):
      let truth = try evaluate(condition, fields).truth() ?? false
      return try evaluate(truth ? yes : no, fields)
    }
  }

  /// The value, or null when it is one of the texts that stand for null.
  @usableFromInline func known(_ value: RecordExpressionValue) -> RecordExpressionValue {
    if !nulls.isEmpty, case .string(let text) = value, nulls.contains(text) { return .null }
    return value
  }

  @inlinable func binary(
    _ operation: RecordExpression.BinaryOperator, _ left: Step, _ right: Step,
    _ fields: borrowing some FieldAccess & ~Copyable
  ) throws(RecordExpressionFailure) -> RecordExpressionValue {
    let first = try evaluate(left, fields)
    switch operation {
    case .and, .or:
      // The operand that decides the result whatever the other one is: false for "and", true for "or".
      let deciding = operation == .or
      let firstTruth = try first.truth()
      if firstTruth == deciding { return .boolean(deciding) }
      let secondTruth = try evaluate(right, fields).truth()
      if secondTruth == deciding { return .boolean(deciding) }
      return firstTruth == nil || secondTruth == nil ? .null : .boolean(!deciding)
    case .coalesce: return first.isMissing ? try evaluate(right, fields) : first
    default: break
    }
    let second = try evaluate(right, fields)
    switch operation {
    case .equal: return .boolean(try first.equals(second))
    case .notEqual: return .boolean(try !first.equals(second))
    case .less, .lessOrEqual, .greater, .greaterOrEqual: return try first.compared(operation, with: second)
    case .concatenate:
      return first.isNull || second.isNull ? .null : .string(try first.asText() + second.asText())
    case .add, .subtract, .multiply, .divide, .remainder: return try first.calculated(operation, with: second)
    case .and, .or, .coalesce: return .null
    }
  }

  @inlinable func call(
    _ function: RecordExpression.Function, _ arguments: [Step], _ fields: borrowing some FieldAccess & ~Copyable
  ) throws(RecordExpressionFailure) -> RecordExpressionValue {
    var values: [RecordExpressionValue] = []
    values.reserveCapacity(arguments.count)
    for argument in arguments {
      values.append(try evaluate(argument, fields))
      if function == .coalesce, let last = values.last, !last.isMissing { return last }
    }
    return try function.apply(values)
  }
}
