import CoreDataLayout
import Foundation
import ObjectModel
import SQLite

/// Constant values in the statements of a migration: numbers and texts are written into them, others are asked of a
/// function that the connection has.
final class MigrationConstants {
  private var values: [FunctionValue] = []

  /// SQL that gives a value as an attribute's column has it. SQLite evaluates it once per statement.
  func sql(_ value: Value, of attribute: AttributeDefinition) -> String {
    switch value {
    case .null, .composite: return "NULL"
    case .boolean(let flag): return flag ? "1" : "0"
    case .integer(let number):
      if attribute.type == .double || attribute.type == .float { return constant(.real(Double(number))) }
      return number == .min ? constant(.integer(number)) : String(number)
    case .string(let text):
      return text.contains("\0") ? constant(.text(text)) : SQLText.literal(text)
    case .double(let number): return constant(.real(number))
    case .date(let date): return constant(.real(date.timeIntervalSinceReferenceDate))
    case .decimal(let number): return "CAST(\(constant(.text(number.description))) AS DECIMAL)"
    case .uri(let address): return constant(.text(address.absoluteString))
    case .uuid(let identifier): return constant(.blob(unsafe withUnsafeBytes(of: identifier.uuid) { unsafe Array($0) }))
    case .data(let bytes):
      let stored = attribute.allowsExternalBinaryDataStorage ? [ExternalDataFolder.inlineTag] + bytes : Array(bytes)
      return constant(.blob(stored))
    }
  }

  private func constant(_ value: FunctionValue) -> String {
    values.append(value)
    return "(SELECT seedbed_constant(\(values.count - 1)))"
  }

  /// Makes the constants known to a connection.
  func register(on connection: Connection) throws(SQLiteError) {
    try connection.registerFunction("seedbed_constant", argumentCount: 1, isDeterministic: true) { [self] arguments in
      guard case .integer(let index) = arguments[0], values.indices.contains(Int(index)) else { return .null }
      return values[Int(index)]
    }
  }
}
