import Foundation
import ObjectModel
import Predicates
import SQLite
import StoreInterface

/// A column that a batch update writes.
struct AssignedColumn {
  let assignment: BatchAssignment
  let name: String
  let kind: RowPlan.Kind
  /// Whether the values lie outside of the row where they are long, so that each row has its own file.
  var isExternal: Bool { kind == .externalBlob }

  init(_ assignment: BatchAssignment, of entity: Entity, _ layout: StoreLayout) throws {
    guard let column = layout.column(for: assignment.path, of: entity) else {
      throw StoreError.failure("\(entity.name) has no stored attribute \"\(assignment.path)\"")
    }
    self.assignment = assignment
    name = column.name
    kind = try RowPlan.kind(of: assignment.attribute)
  }

  /// The new value as SQL.
  /// - Throws: `FetchSQL.Untranslatable` where the value has to be computed in memory, because SQL cannot express it or
  ///   would not convert it to the attribute's type as `AttributeDefinition.fitting` does.
  func value(in sql: inout FetchSQL) throws -> String {
    // A null needs no file.
    if isExternal, assignment.expression != .constant(.null) { throw FetchSQL.Untranslatable() }
    if case .constant(let value) = assignment.expression {
      guard let fitting = assignment.attribute.fitting(value) else { throw FetchSQL.Untranslatable() }
      return fitting == .null ? "NULL" : sql.bind(fitting)
    }
    let scalar = try sql.scalar(assignment.expression)
    try scalar.requireComparable()
    guard accepts(scalar.kind) else { throw FetchSQL.Untranslatable() }
    return sql.text(scalar)
  }

  private func accepts(_ kind: FetchSQL.Kind) -> Bool {
    if case .nothing = kind { return true }
    switch (assignment.attribute.type, kind) {
    case (.integer16, .number(let form)), (.integer32, .number(let form)), (.integer64, .number(let form)),
      (.boolean, .number(let form)):
      return form != .date
    case (.double, .number(let form)), (.decimal, .number(let form)): return form != .date && form != .boolean
    case (.date, .number(let form)): return form != .boolean
    case (.string, .text(.string)), (.uri, .text(.uri)), (.uuid, .bytes(.uuid)), (.binary, .bytes(.data)),
      (.transformable, .bytes(.data)):
      return true
    // A Float is rounded, and SQL has no function for that.
    default: return false
    }
  }

  private var isConstant: Bool { if case .constant = assignment.expression { true } else { false } }

  /// A condition that holds for every new value that may break a rule of the model; nil where none can.
  /// - Parameter value: the value as SQL, which is written out more than once.
  func doubt(of value: String) -> String? {
    let attribute = assignment.attribute
    var doubts: [String] = []
    if !assignment.validator.allowsNull { doubts.append("\(value) IS NULL") }
    // A constant was checked already.
    if !attribute.validationRules.isEmpty, !isConstant { doubts.append("\(value) IS NOT NULL") }
    let limits = (number(attribute.minimumValue), number(attribute.maximumValue))
    let isLimited = attribute.minimumValue != .null || attribute.maximumValue != .null
    switch attribute.type {
    case .integer16, .integer32, .integer64:
      let width: ClosedRange<Int64> =
        switch attribute.type {
        case .integer16: Int64(Int16.min)...Int64(Int16.max)
        case .integer32: Int64(Int32.min)...Int64(Int32.max)
        default: .min ... .max
        }
      doubts.append("typeof(\(value)) NOT IN ('integer', 'null')")
      if width != .min ... .max { doubts.append("\(value) NOT BETWEEN \(width.lowerBound) AND \(width.upperBound)") }
    case .boolean: doubts.append("\(value) NOT IN (0, 1)")
    // Beyond the greatest number is infinity, which no attribute holds, and no decimal has as many digits. SQLite's abs
    // fails for the least integer.
    case .double, .float, .date:
      doubts.append("\(value) NOT BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308")
    case .decimal: doubts.append("\(value) NOT BETWEEN -3.5e165 AND 3.5e165")
    case .string:
      if isLimited || attribute.regularExpression?.isEmpty == false { doubts.append("\(value) IS NOT NULL") }
      return doubts.isEmpty ? nil : "(\(doubts.joined(separator: " OR ")))"
    default: break
    }
    if let lower = limits.0 { doubts.append("\(value) < \(lower)") }
    if let upper = limits.1 { doubts.append("\(value) > \(upper)") }
    return doubts.isEmpty ? nil : "(\(doubts.joined(separator: " OR ")))"
  }

  /// A limit as SQL.
  private func number(_ limit: Value) -> String? {
    switch limit {
    case .integer(let number): String(number)
    case .double(let number): String(number)
    case .decimal(let number): number.description
    case .date(let date): String(date.timeIntervalSinceReferenceDate)
    default: nil
    }
  }

  /// A computed value of a row, as the rules see it.
  func read(_ statement: Statement, at column: Int32) throws -> Value {
    let isDate = assignment.attribute.type == .date
    switch (statement.type(at: column), kind) {
    case (.null, _): return .null
    case (.integer, .text), (.real, .text): return .string(statement.string(at: column) ?? "")
    case (.integer, _):
      let number = statement.int64(at: column)
      return isDate ? .date(Date(timeIntervalSinceReferenceDate: Double(number))) : .integer(number)
    case (.real, _):
      let number = statement.double(at: column)
      return isDate ? .date(Date(timeIntervalSinceReferenceDate: number)) : .double(number)
    case (.text, .text) where assignment.attribute.type == .uri:
      let text = statement.string(at: column) ?? ""
      return URL(string: text).map { .uri($0) } ?? .string(text)
    case (.text, _): return .string(statement.string(at: column) ?? "")
    default:
      let data = Data(statement.blob(at: column) ?? [])
      guard assignment.attribute.type == .uuid, data.count == 16 else { return .data(data) }
      return unsafe data.withUnsafeBytes { unsafe .uuid(UUID(uuid: $0.loadUnaligned(as: uuid_t.self))) }
    }
  }
}
