import Predicates
import SQLite

extension ModelPredicate {
  /// Whether the text of a partial index has parentheses around it.
  var isCompound: Bool {
    switch self {
    case .and, .or: true
    default: false
    }
  }

  /// Whether stores of Apple's show how such a condition is written.
  var isConfirmed: Bool {
    switch self {
    case .comparison(_, let sign, .number(let text)): ["=", "<>", ">"].contains(sign) && Int64(text) != nil
    case .comparison(_, _, .null): true
    case .and(let parts), .or(let parts): parts.allSatisfy(\.isConfirmed)
    default: false
    }
  }

  /// The condition as SQL. Constants stand in the text, as in Core Data's own `WHERE ZSTATE = 1`.
  /// - Parameter column: the SQL name of a key path's column; nil when it is no column of the table.
  func sql(_ column: (String) -> String?) throws(Refusal) -> String {
    switch self {
    case .constant(let value): return value ? "1 = 1" : "1 = 0"
    case .comparison(let keyPath, let sign, let literal):
      let name = try Self.name(keyPath, column)
      if literal == .null { return "\(name) IS \(sign == "=" ? "NULL" : "NOT NULL")" }
      return "\(name) \(sign) \(literal.sql)"
    case .between(let keyPath, let low, let high):
      return "\(try Self.name(keyPath, column)) BETWEEN \(low.sql) AND \(high.sql)"
    case .isIn(let keyPath, let literals):
      return "\(try Self.name(keyPath, column)) IN (\(literals.map(\.sql).joined(separator: ", ")))"
    case .not(let part): return "NOT (\(try part.sql(column)))"
    case .and(let parts): return try Self.joined(parts, " AND ", column)
    case .or(let parts): return try Self.joined(parts, " OR ", column)
    }
  }

  private static func name(_ keyPath: String, _ column: (String) -> String?) throws(Refusal) -> String {
    guard let name = column(keyPath) else {
      throw Refusal(message: "\(keyPath) is not a column of the entity's own table")
    }
    return name
  }

  private static func joined(
    _ parts: [ModelPredicate], _ word: String, _ column: (String) -> String?
  ) throws(Refusal) -> String {
    var texts: [String] = []
    for part in parts {
      let text = try part.sql(column)
      switch part {
      case .and, .or: texts.append("(\(text))")
      default: texts.append(text)
      }
    }
    return texts.joined(separator: word)
  }
}

extension ModelPredicate.Literal {
  var sql: String {
    switch self {
    case .null: "NULL"
    case .number(let text): text
    case .text(let text): SQLText.literal(text)
    }
  }
}
