import Foundation
import Pipelines
import StoreInterface

/// A place in a history as text: a token (`UUID:12`), the number of a transaction, or a date in ISO 8601.
public struct HistoryStart: Sendable {
  private enum Place {
    case token(PersistentHistoryToken)
    case number(Int64)
    case date(Date)
  }

  private let place: Place

  /// Nil for a text that is not one of the three.
  public init?(_ text: String) {
    if let number = Int64(text), number >= 0 {
      place = .number(number)
    } else if let seconds = DateParser.iso8601.parse(text) {
      place = .date(Date(timeIntervalSinceReferenceDate: seconds))
    } else if !text.isEmpty, let token = PersistentHistoryToken(text) {
      place = .token(token)
    } else {
      return nil
    }
  }

  /// The place in one store's history.
  /// - Throws: `RunError` for a token of other stores.
  func bound(in store: String, path: String) throws(RunError) -> PersistentHistoryQuery.Bound {
    switch place {
    case .number(let number): return .transaction(number)
    case .date(let date): return .date(date)
    case .token(let token):
      guard let number = token[store: store] else {
        throw RunError(
          .badData, code: "history.other-store",
          "the token \(token) is of another store than \(path), which is \(store)",
          hint: "take a token that seedbed history printed for this store")
      }
      return .transaction(number)
    }
  }
}
