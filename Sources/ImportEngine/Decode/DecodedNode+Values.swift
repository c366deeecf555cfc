import Foundation
import ObjectModel
import Pipelines
import StoreInterface

extension DecodedNode {
  /// The value of an attribute cell, `.null` unless its state is `value`.
  func value(column: Int, row: Int) -> Value {
    // Safety: the batch was made by the plan, so a column has the storage of its type. `row` is under its count.
    guard unsafe batch.states[column][row] == RowBatch.State.value.rawValue,
      let type = plan.columnTypes[column]
    else { return .null }
    switch type {
    case .integer16, .integer32, .integer64: return unsafe .integer(batch.integers(column)[row])
    case .boolean: return unsafe .boolean(batch.integers(column)[row] != 0)
    case .double, .float: return unsafe .double(batch.reals(column)[row])
    case .date: return unsafe .date(Date(timeIntervalSinceReferenceDate: batch.reals(column)[row]))
    case .decimal:
      let text = unsafe String(decoding: batch.cellBytes(column, row), as: UTF8.self)
      return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")).map { .decimal($0) } ?? .null
    case .uuid:
      let bytes = unsafe batch.cellBytes(column, row)
      guard bytes.count == 16 else { return .null }
      return unsafe .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)))
    case .uri:
      let text = unsafe String(decoding: batch.cellBytes(column, row), as: UTF8.self)
      return URL(string: text).map { .uri($0) } ?? .null
    case .binary, .transformable: return unsafe .data(Data(batch.cellBytes(column, row)))
    case .string, .undefined, .objectID, .composite:
      return unsafe .string(String(decoding: batch.cellBytes(column, row), as: UTF8.self))
    }
  }
}
