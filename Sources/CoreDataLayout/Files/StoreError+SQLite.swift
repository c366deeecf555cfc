import Predicates
package import SQLite
import StoreInterface

extension StoreError {
  /// The store's view of a failed SQLite call.
  package init(_ error: SQLiteError, path: String? = nil) {
    let path = path ?? error.path
    switch error.code {
    case .busy, .locked, .lockingProtocol: self = .busy(path: path)
    case .notADatabase, .corrupt: self = .notAStore(path: path, message: error.message)
    case .constraint where !error.isUniqueViolation: self = .refusedRow(path: path, message: error.message)
    // An unknown schema format or collation is a plain error to SQLite.
    case .error
    where error.message == "unsupported file format" || error.message.hasPrefix("no such collation sequence"):
      self = .notAStore(path: path, message: error.message)
    case .error where error.message.hasPrefix(UndecidedMatchError.beginning): self = .failure(error.message)
    case .error where error.message.hasPrefix("too many columns"):
      self = .unsupported(
        "\(error.message): a table has a column for each attribute and to-one relationship of an entity and its "
          + "sub-entities, at most 2,000 in SQLite; put some of them into an entity of their own")
    case .readOnly where error.isUnfinishedWrite:
      self = .inputOutput(
        path: path,
        message:
          "a program was interrupted while writing it, and the journal beside it is needed to undo that: open it "
          + "with the program that wrote it, or use a copy made by seedbed copy")
    case .full, .inputOutput, .cannotOpen, .readOnly, .permission, .authorization, .outOfMemory:
      self = .inputOutput(path: path, message: error.message, code: error.extendedCode)
    default: self = .failure(error.description)
    }
  }
}
