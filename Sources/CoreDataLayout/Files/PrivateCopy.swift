import Foundation
import Platform
import SQLite
package import StoreInterface

/// A copy of a store and its log in a temporary folder, which goes with this object.
final class PrivateCopy {
  /// The path of the copy.
  let path: String
  private let original: String
  private let folder: ScratchFolder

  init(of original: String) throws {
    self.original = original
    folder = try StoreFiles.temporaryFolder(for: original)
    path = folder.path + "/" + (original as NSString).lastPathComponent
    do {
      try naming { try StoreFiles.copyWithLog(from: original, to: path) }
    } catch StoreError.inputOutput(_, _, .some(ENOSPC)) {
      throw StoreError.inputOutput(
        path: original,
        message: "it has a log and is read in a temporary folder, and there is no room in "
          + "\(FileSystem.parent(folder.path)) (TMPDIR)",
        code: ENOSPC)
    }
  }

  /// Runs work on the copy; its errors name the original.
  func naming<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as SQLiteError {
      throw StoreError(error, path: original).naming(original, insteadOf: path)
    } catch let error as StoreError {
      throw error.naming(original, insteadOf: path)
    }
  }
}

extension StoreError {
  /// The same error about another path.
  package func naming(_ original: String, insteadOf copy: String) -> StoreError {
    func named(_ text: String) -> String { text.replacing(copy, with: original) }
    return switch self {
    case .notAStore(let path, let message): .notAStore(path: named(path), message: named(message))
    case .damagedValue(let path, let message): .damagedValue(path: named(path), message: named(message))
    case .refusedRow(let path, let message): .refusedRow(path: named(path), message: named(message))
    case .busy(let path): .busy(path: named(path))
    case .missing(let path): .missing(path: named(path))
    case .cannotCreate(let path, let message): .cannotCreate(path: named(path), message: named(message))
    case .inputOutput(let path, let message, let code):
      .inputOutput(path: named(path), message: named(message), code: code)
    case .unsupported(let message): .unsupported(named(message))
    case .failure(let message): .failure(named(message))
    case .optimisticLockingFailure, .constraintConflict, .incompatibleModel, .historyTokenExpired: self
    }
  }
}
