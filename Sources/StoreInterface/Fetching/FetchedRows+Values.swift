import Foundation
import ObjectModel
public import Predicates

extension FetchedRows.Builder {
  /// Adds a value. A list, and an object that is not saved, becomes a missing cell.
  public mutating func append(_ value: ExpressionValue) {
    switch value {
    case .list: appendMissing()
    case .object(let objectID):
      if let key = objectID.primaryKey {
        append(objectWithKey: key, entityIndex: objectID.entity.index)
      } else {
        appendMissing()
      }
    case .value(let value): append(value)
    }
  }

  private mutating func append(_ value: Value) {
    // Safety: the bytes of a value are good for the closure, and the builder copies them in there.
    switch value {
    // Composites are fetched as their elements.
    case .null, .composite: appendMissing()
    case .integer(let integer): append(integer)
    case .boolean(let flag): append(Int64(flag ? 1 : 0), kind: .boolean)
    case .double(let number): append(number)
    case .date(let date): append(date.timeIntervalSinceReferenceDate, kind: .date)
    case .decimal(let number): append(number.description, kind: .decimal)
    case .string(let text): append(text, kind: .string)
    case .uri(let url): append(url.absoluteString, kind: .uri)
    case .data(let data): unsafe data.withUnsafeBytes { unsafe append($0, kind: .data) }
    case .uuid(let uuid): unsafe withUnsafeBytes(of: uuid.uuid) { unsafe append($0, kind: .uuid) }
    }
  }

  private mutating func append(_ text: String, kind: FetchedRows.CellKind) {
    var text = text
    // Safety: the text's bytes are good for the closure, and the builder copies them in there.
    text.withUTF8 { unsafe append(UnsafeRawBufferPointer($0), kind: kind) }
  }
}
