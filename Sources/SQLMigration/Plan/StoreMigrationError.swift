import Foundation
public import ObjectModel

/// Why a store is not migrated. The store is unchanged.
public enum StoreMigrationError: Error, Sendable {
  /// Objects of the store break rules of the new model.
  case conditions(path: String, [MigrationCondition])
  /// The store was not made with the model that it is to be migrated from.
  case sourceModel(path: String)
}

extension StoreMigrationError: CustomStringConvertible {
  /// What is in the way, one line each, and what to do.
  public var description: String { message + (recoverySuggestion.map { "\n  hint: \($0)" } ?? "") }

  private var message: String {
    switch self {
    case .conditions(let path, let conditions):
      ([path + ": the data do not allow the migration:"] + conditions.map { "  \($0)" }).joined(separator: "\n")
    case .sourceModel(let path): "\(path): the store was made with another model than it is to be migrated from"
    }
  }
}

extension StoreMigrationError: BridgedError {
  /// What is in the way, one line each.
  public var errorDescription: String? { message }
  /// What can be done; nil where that is unknown.
  public var recoverySuggestion: String? {
    switch self {
    case .conditions(_, let conditions):
      conditions.contains { $0.kind == .duplicateKeys }
        ? "say what becomes of duplicates, or mend the data with the app's present version"
        : "mend the data with the app's present version, or use a mapping model"
    case .sourceModel: "give the model version that the store was made with; seedbed inspect shows its version hashes"
    }
  }
  /// Core Data's error domain.
  public static var errorDomain: String { NSCocoaErrorDomain }
  /// Core Data's code for migrations, or for a store of another model.
  public var errorCode: Int {
    switch self {
    case .conditions: CoreDataErrorCode.migration
    case .sourceModel: CoreDataErrorCode.persistentStoreIncompatibleVersionHash
    }
  }
  /// The description, what to do and the file.
  public var errorUserInfo: [String: Any] {
    var information: [String: Any] = [NSLocalizedDescriptionKey: message]
    information[NSLocalizedRecoverySuggestionErrorKey] = recoverySuggestion
    switch self {
    case .conditions(let path, _), .sourceModel(let path): information[NSFilePathErrorKey] = path
    }
    return information
  }
}
