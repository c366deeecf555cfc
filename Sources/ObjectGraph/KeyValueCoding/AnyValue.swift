import Foundation
import ObjectModel
import Predicates

extension ExpressionValue {
  /// As `Value.anyValue`; objects are their ids, lists arrays with `NSNull` for missing elements.
  var anyValue: Any? {
    switch self {
    case .value(let value): value.anyValue
    case .object(let id): id
    case .list(let elements): elements.map { $0.anyValue ?? NSNull() }
    }
  }
}
