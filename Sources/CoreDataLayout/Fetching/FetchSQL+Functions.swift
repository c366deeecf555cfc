import ObjectModel
import Predicates

extension FetchSQL {
  /// A function of operands.
  mutating func function(_ function: Function, _ operands: [FetchExpression]) throws -> Operand {
    guard operands.count == function.operandCount else { throw Untranslatable() }
    if function == .now { return .scalar(Scalar(constant: .date(now), kind: .number(.date))) }
    if function.isOfLists { return .scalar(try listFunction(function, operands[0])) }
    switch function {
    case .indexed:
      if case .constant(.string(let name)) = operands[1] { indexHints.append(name) }
      return try operand(operands[0])
    case .noIndex:
      var scalar = try scalar(operands[0])
      scalar.sql = scalar.sql.map { "+" + $0 }
      return .scalar(scalar)
    default:
      return .scalar(try apply(function, try operands.map { try scalar($0) }))
    }
  }

  private mutating func listFunction(_ function: Function, _ operand: FetchExpression) throws -> Scalar {
    guard function.isAggregate else { throw Untranslatable() }
    if isGrouped, variables.isEmpty, case .function(.distinct, let operands) = operand, operands.count == 1 {
      return try distinctRows(function, try scalar(operands[0]))
    }
    switch try self.operand(operand) {
    case .list(let list):
      // Joining a list would repeat the rows of a group, so GROUP BY would count them more than once.
      if isGrouped && variables.isEmpty { throw Untranslatable() }
      return try reduced(function, .list(list))
    case .scalar(let scalar):
      guard isGrouped, variables.isEmpty else { throw Untranslatable() }
      if function != .count { try scalar.requireComparable() }
      let (sql, kind) = try FetchSQL.aggregate(function, text(scalar), scalar.kind)
      return Scalar(sql: sql, kind: kind)
    case .values: throw Untranslatable()
    }
  }

  /// An aggregate of the values that differ among the rows of a group.
  private mutating func distinctRows(_ function: Function, _ value: Scalar) throws -> Scalar {
    try value.requireComparable()
    // Of an integer and an equal real, which one counts decides whether the sum is an integer; and decimals differ as
    // SQLite keeps them, which the reals that are summed may not.
    if function == .sum, value.kind == .number(.computed) || value.kind == .number(.decimal) { throw Untranslatable() }
    let (sql, kind) = try FetchSQL.aggregate(function, text(value), value.kind, isDistinct: true)
    return Scalar(sql: sql, kind: kind)
  }

  /// A function of single values.
  mutating func apply(_ function: Function, _ operands: [Scalar]) throws -> Scalar {
    if operands.contains(where: { $0.kind == .nothing }) { return .nothing }
    for operand in operands { try operand.requireComparable() }
    switch function {
    case .uppercase, .lowercase, .canonical, .append, .length:
      guard operands.allSatisfy(\.kind.isText) else { return .nothing }
      if function == .append {
        return Scalar(sql: "(\(text(operands[0])) || \(text(operands[1])))", kind: .text(.string))
      }
      return call(function, operands, function == .length ? .number(.integer) : .text(.string))
    case .year, .month, .day, .hour, .minute, .second, .weekday, .startOfDay:
      guard operands[0].kind.isNumber else { return .nothing }
      return call(function, operands, function == .startOfDay ? .number(.date) : .number(.integer))
    default: break
    }
    guard operands.allSatisfy(\.kind.isNumber) else { return .nothing }
    // SQLite's own signs do just what `Function` says of them: integers while the result fits, missing by zero.
    let sign: String? =
      switch function {
      case .add: "+"
      case .subtract: "-"
      case .multiply: "*"
      case .divide: "/"
      default: nil
      }
    if let sign {
      let values = operands.map { FetchSQL.real(text($0), $0.kind) }
      return Scalar(sql: "(\(values[0]) \(sign) \(values[1]))", kind: .number(.computed))
    }
    return call(function, operands, .number(.computed))
  }

  /// A call of the very function that the in-memory store uses.
  private mutating func call(_ function: Function, _ operands: [Scalar], _ kind: Kind) -> Scalar {
    let values = operands.map { FetchSQL.real(text($0), $0.kind) }.joined(separator: ", ")
    return Scalar(sql: "\(FetchFunctions.apply)('\(function.rawValue)', \(values))", kind: kind)
  }

  mutating func cast(_ operand: Scalar, _ type: FetchExpression.CastType) throws -> Scalar {
    if operand.kind == .nothing { return .nothing }
    switch (type, operand.kind) {
    case (.number, .number(.date)):
      return Scalar(sql: FetchSQL.real(text(operand), operand.kind), kind: .number(.real))
    case (.number, .number), (.decimalNumber, .number(.decimal)): return operand
    case (.decimalNumber, .number(.integer)), (.decimalNumber, .number(.boolean)):
      return Scalar(sql: text(operand), kind: .number(.decimal))
    case (.date, .number): return Scalar(sql: text(operand), kind: .number(.date))
    case (.string, .text(.string)): return operand
    default: throw Untranslatable()
    }
  }
}
