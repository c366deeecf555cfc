import Foundation
import ObjectModel
import PropertyLists

extension ArchivedValue {
  /// The value as one of an attribute's type; nil when it is none.
  func value(of type: AttributeType) throws(ArchiveError) -> Value? {
    switch (type, self) {
    case (_, .null): return .null
    case (.integer16, _), (.integer32, _), (.integer64, _): return wholeNumber.map(Value.integer)
    case (.double, _): return number.map(Value.double)
    case (.float, _): return number.map { Value.double(Double(Float($0))) }
    case (.boolean, .boolean(let flag)): return .boolean(flag)
    case (.boolean, .integer(let number)) where number == 0 || number == 1: return .boolean(number == 1)
    case (.decimal, .object(let object)): return try object.decimal().map(Value.decimal)
    case (.decimal, .integer(let number)): return .decimal(Decimal(number))
    case (.decimal, .real(let number)) where number.isFinite: return .decimal(Decimal(number))
    case (.string, .string(let text)): return .string(text)
    case (.date, .date(let seconds)): return .date(Date(timeIntervalSinceReferenceDate: seconds))
    case (.binary, .data(let bytes)): return .data(Data(bytes))
    case (.uuid, .object(let object)): return try object.uuid().map(Value.uuid)
    case (.uri, .object(let object)): return try object.url().map(Value.uri)
    default: return nil
    }
  }

  /// A whole number, also where the archive keeps it as a Boolean or a real.
  var wholeNumber: Int64? {
    switch self {
    case .integer(let number): number
    case .boolean(let flag): flag ? 1 : 0
    case .real(let number): Int64(exactly: number)
    default: nil
    }
  }
}
