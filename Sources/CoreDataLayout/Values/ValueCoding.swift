import Foundation
import ObjectModel
import SQLite
import StoreInterface

/// Values of attributes to and from SQLite's values, as Core Data stores them.
enum ValueCoding {
  /// - Parameter seed: see `ExternalDataFolder.encode`.
  static func bind(
    _ value: Value, kind: RowPlan.Kind, to statement: Statement, at parameter: Int32, externalData: ExternalDataFolder,
    seed: UInt64
  ) throws {
    switch (value, kind) {
    case (.null, _): try statement.bindNull(parameter)
    case (.data(let data), .externalBlob):
      var stored: [UInt8] = []
      try unsafe data.withUnsafeBytes { unsafe try externalData.encode($0, seed: seed, into: &stored) }
      try statement.bind(parameter, blob: stored)
    case (.double(let number), .float): try bind(.double(Double(Float(number))), to: statement, at: parameter)
    case (.integer(let number), .real), (.integer(let number), .float):
      try statement.bind(parameter, Double(number))
    default:
      guard fits(value, kind) else { throw StoreError.failure("\(value) does not fit its attribute's type") }
      try bind(value, to: statement, at: parameter)
    }
  }

  /// Whether a column of a kind can hold a value.
  static func fits(_ value: Value, _ kind: RowPlan.Kind) -> Bool {
    switch (value, kind) {
    case (.null, _), (.double, .float), (.integer, .real), (.integer, .float), (.data, .externalBlob),
      (.integer, .integer), (.boolean, .integer), (.double, .real), (.date, .real), (.decimal, .decimal),
      (.integer, .decimal), (.string, .text), (.uri, .text), (.data, .blob), (.uuid, .uuid),
      (.integer, .entityNumber):
      true
    default: false
    }
  }

  /// Binds a value by its own type.
  static func bind(_ value: Value, to statement: Statement, at parameter: Int32) throws {
    switch value {
    case .null: try statement.bindNull(parameter)
    case .integer(let number): try statement.bind(parameter, number)
    case .boolean(let flag): try statement.bind(parameter, Int64(flag ? 1 : 0))
    case .double(let number):
      if number.isNaN { throw StoreError.failure("NaN cannot be stored") }
      try statement.bind(parameter, number)
    case .decimal(let number):
      if number.isNaN { throw StoreError.failure("NaN cannot be stored") }
      try statement.bind(parameter, number.description)
    case .string(let text): try statement.bind(parameter, text)
    case .date(let date):
      if date.timeIntervalSinceReferenceDate.isNaN { throw StoreError.failure("NaN cannot be stored") }
      try statement.bind(parameter, date.timeIntervalSinceReferenceDate)
    case .data(let data): try statement.bind(parameter, blob: data)
    case .uuid(let uuid):
      try unsafe withUnsafeBytes(of: uuid.uuid) { unsafe try statement.bind(parameter, blob: $0) }
    case .uri(let url): try statement.bind(parameter, url.absoluteString)
    case .composite: throw StoreError.failure("a composite value has no column of its own: its elements have")
    }
  }

  /// Reads a column as a value of the attribute's type. A value of another storage class than Core Data writes is
  /// converted as SQLite does.
  static func read(
    _ attribute: AttributeDefinition, from statement: Statement, at column: Int32, externalData: ExternalDataFolder
  ) throws -> Value {
    if statement.isNull(at: column) { return .null }
    switch attribute.type {
    case .integer16, .integer32, .integer64: return .integer(statement.int64(at: column))
    case .boolean: return .boolean(statement.int64(at: column) != 0)
    case .double, .float: return .double(statement.double(at: column))
    case .date: return .date(Date(timeIntervalSinceReferenceDate: statement.double(at: column)))
    case .decimal: return .decimal(decimal(statement, column))
    case .string, .undefined, .objectID, .composite: return .string(statement.string(at: column) ?? "")
    case .uri:
      let text = statement.string(at: column) ?? ""
      guard let url = URL(string: text) else {
        throw StoreError.damagedValue(
          path: statement.connection.path,
          message: "\(attribute.name)\(StoreError.storedForm)\"\(text)\", which is no URI")
      }
      return .uri(url)
    case .uuid:
      // Safety: the bytes are copied before the statement is asked for anything else.
      let bytes = unsafe statement.rawBytes(at: column)
      guard bytes.count == 16 else {
        throw StoreError.damagedValue(
          path: statement.connection.path,
          message: "\(attribute.name)\(StoreError.storedForm)a UUID of \(bytes.count) bytes")
      }
      return .uuid(UUID(uuid: unsafe bytes.loadUnaligned(as: uuid_t.self)))
    case .binary, .transformable:
      let bytes = unsafe statement.rawBytes(at: column)
      if attribute.allowsExternalBinaryDataStorage {
        return .data(Data(unsafe try externalData.decode(bytes, storePath: statement.connection.path)))
      }
      return .data(unsafe Data(bytes))
    }
  }

  /// A decimal as text. A real that no `Decimal` is, such as 1e300 or infinity, has its own digits or name.
  static func decimalText(_ statement: Statement, _ column: Int32) -> String {
    if statement.type(at: column) == .real {
      let number = statement.double(at: column)
      let text = String(number)
      return number.isFinite ? Decimal(string: text, locale: posix)?.description ?? text : text
    }
    return decimal(statement, column).description
  }

  /// The shortest decimal number that a stored real stands for; `Decimal.nan` for what is no number or is too great.
  static func decimal(_ statement: Statement, _ column: Int32) -> Decimal {
    switch statement.type(at: column) {
    case .integer: return Decimal(statement.int64(at: column))
    case .real:
      let number = statement.double(at: column)
      // A `Decimal` takes no infinity, and the text "-inf" for a 0.
      if !number.isFinite { return .nan }
      return Decimal(string: String(number), locale: posix) ?? Decimal(number)
    default:
      // A `Decimal` takes the beginning of a text for all of it.
      guard var text = statement.string(at: column), text.withUTF8({ unsafe RowBinder.isDecimal(.init($0)) }) else {
        return .nan
      }
      return Decimal(string: text, locale: posix) ?? .nan
    }
  }

  private static let posix = Locale(identifier: "en_US_POSIX")
}
