import Foundation
public import ObjectModel

/// Why a store could not do what was asked.
public enum StoreError: Error, Sendable {
  /// Rows changed since they were read: each id with the version it was read at and the one the store has
  /// (nil when the row is gone).
  case optimisticLockingFailure([(objectID: ObjectID, expected: Int64, found: Int64?)])
  /// A save would break a uniqueness constraint.
  case constraintConflict(entity: String, constraint: [String], message: String)
  /// The store's version hashes differ from the model's: entity names that differ, are missing or are extra.
  case incompatibleModel(differing: [String], missing: [String], extra: [String])
  /// The file is no store, or is damaged.
  case notAStore(path: String, message: String)
  /// A value of the store cannot be read: its form is unknown, or its file is gone.
  case damagedValue(path: String, message: String)
  /// The file refuses a row by a constraint that is not the model's, such as `NOT NULL constraint failed: ZNOTE.ZTEXT`.
  case refusedRow(path: String, message: String)
  case busy(path: String)
  /// There is no such file.
  case missing(path: String)
  /// The file or folder cannot be created.
  case cannotCreate(path: String, message: String)
  /// Disk full, permission, or another input/output failure, with the number that the system or SQLite gave it; nil
  /// where none is known.
  case inputOutput(path: String, message: String, code: Int32? = nil)
  case unsupported(String)
  /// The history of a store was asked for from a place after which transactions were deleted, so that their changes are
  /// not known any more. Nil: no transaction is left.
  case historyTokenExpired(store: String, transactionNumber: Int64, firstLeft: Int64?)
  /// Any other failure, with the store's own message.
  case failure(String)

  /// The message of `notAStore` for a folder, which is a wrong path rather than a damaged file.
  public static let isFolder = "it is a folder"
  /// The message of `inputOutput` for a file that this user may not read.
  public static let isUnreadable = "it may not be read"
  /// The end of `unsupported`'s message about a store without the tables of a history.
  package static let keepsNoHistory = " keeps no persistent history"
  /// What messages of `damagedValue` say of a value that is in the row itself.
  package static let storedForm = ": the store holds "
  /// Whether this is about a value that is in the row itself, rather than in a file.
  package var isOfStoredForm: Bool {
    if case .damagedValue(_, let message) = self { message.contains(Self.storedForm) } else { false }
  }

  /// What messages say of a result where an error came too late to undo it.
  package static let isInPlace = "in place all the same"
}

extension StoreError: CustomStringConvertible {
  /// What happened, in a sentence, and what to do where that is known.
  public var description: String { message + (recoverySuggestion.map { "\n  hint: \($0)" } ?? "") }

  private var message: String {
    switch self {
    case .optimisticLockingFailure(let stale):
      let rows = stale.map { id, expected, found in
        "\(id.entity.name) \(id.reference) was read at version \(expected), "
          + (found.map { "the store has \($0)" } ?? "its row is gone")
      }
      return "others changed what is to be saved: " + rows.joined(separator: "; ")
    case .constraintConflict(let entity, let constraint, let message):
      return "several \(entity) have the same \(constraint.joined(separator: ", ")): \(message)"
    case .incompatibleModel(let differing, let missing, let extra):
      return "the store was made with another model: "
        + Self.text(ofDiffering: differing, missing: missing, extra: extra)
    case .notAStore(let path, let message): return "\(path) is not a Core Data store: \(message)"
    case .refusedRow(let path, let message): return "\(path) refuses a row that the model allows: \(message)"
    case .busy(let path): return "\(path) is locked by another process"
    case .missing(let path): return "\(path): there is no such file"
    case .cannotCreate(let path, let message), .inputOutput(let path, let message, _),
      .damagedValue(let path, let message):
      return "\(path): \(message)"
    case .historyTokenExpired(let store, let number, let first):
      return "the history of the store \(store) behind transaction \(number) was deleted: "
        + (first.map { "\($0) is the first that is left" } ?? "nothing is left of it")
    case .unsupported(let message), .failure(let message): return message
    }
  }

  /// The entities of `incompatibleModel`, for messages.
  package static func text(ofDiffering differing: [String], missing: [String], extra: [String]) -> String {
    let parts = [
      (differing.count == 1 ? "differs" : "differ", differing),
      ((missing.count == 1 ? "is" : "are") + " missing in the store", missing),
      ((extra.count == 1 ? "is" : "are") + " not in the model", extra),
    ]
    return parts.filter { !$0.1.isEmpty }.map { "\($0.1.joined(separator: ", ")) \($0.0)" }.joined(separator: "; ")
  }
}

extension StoreError: BridgedError {
  /// What happened, in a sentence.
  public var errorDescription: String? { message }

  /// What to do, where that is known.
  public var recoverySuggestion: String? {
    switch self {
    case .optimisticLockingFailure: "fetch the objects again, or save with a merge policy"
    case .incompatibleModel: "use the model version the store was made with, or migrate the store"
    case .busy: "try again when the other process is done"
    case .damagedValue:
      (isOfStoredForm ? "save" : "put the file back, or save")
        + " the object with another value; \"seedbed check\" names all such values"
    case .historyTokenExpired: "fetch the objects anew, and then the history from the current token on"
    case .refusedRow: "\"seedbed check\" names the constraints that the model does not have"
    case .constraintConflict, .notAStore, .missing, .cannotCreate, .inputOutput, .unsupported, .failure: nil
    }
  }

  /// Core Data's error domain.
  public static var errorDomain: String { NSCocoaErrorDomain }

  /// Core Data's code, or Foundation's for files that are missing (260) or no store (259).
  public var errorCode: Int {
    switch self {
    case .optimisticLockingFailure: CoreDataErrorCode.managedObjectMerge
    case .constraintConflict: CoreDataErrorCode.managedObjectConstraintMerge
    case .incompatibleModel: CoreDataErrorCode.persistentStoreIncompatibleVersionHash
    case .notAStore, .damagedValue: CocoaError.Code.fileReadCorruptFile.rawValue
    case .busy: CoreDataErrorCode.persistentStoreTimeout
    case .missing: CocoaError.Code.fileReadNoSuchFile.rawValue
    case .cannotCreate: CoreDataErrorCode.persistentStoreOpen
    case .inputOutput: CoreDataErrorCode.persistentStoreOperation
    case .unsupported: CoreDataErrorCode.persistentStoreUnsupportedRequestType
    case .historyTokenExpired: CoreDataErrorCode.persistentHistoryTokenExpired
    case .refusedRow, .failure: CoreDataErrorCode.coreData
    }
  }

  /// The description, the file, and the objects that were changed elsewhere.
  public var errorUserInfo: [String: Any] {
    var information: [String: Any] = [NSLocalizedDescriptionKey: message]
    information[NSLocalizedRecoverySuggestionErrorKey] = recoverySuggestion
    switch self {
    case .notAStore(let path, _), .damagedValue(let path, _), .refusedRow(let path, _), .busy(let path),
      .missing(let path), .cannotCreate(let path, _),
      .inputOutput(let path, _, _):
      information[NSFilePathErrorKey] = path
      information[CoreDataErrorKey.affectedStores] = [path]
    case .optimisticLockingFailure(let stale):
      information[CoreDataErrorKey.affectedObjects] = stale.map(\.objectID)
    case .constraintConflict, .incompatibleModel, .unsupported, .historyTokenExpired, .failure: break
    }
    return information
  }
}
