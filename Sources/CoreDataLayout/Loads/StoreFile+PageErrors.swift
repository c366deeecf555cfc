import ObjectModel
import SQLitePages
import StoreInterface

extension StoreFile {
  /// Runs `body` with the errors of the page writer as the store's.
  func mappingPageErrors<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as PageError {
      switch error.kind {
      case .inputOutput: throw StoreError.inputOutput(path: path, message: error.message)
      case .unsuitable, .malformed: throw StoreError.failure("\(path): \(error.message)")
      case .duplicateKey:
        let index = layout.indexes.first { $0.name == error.message }
        let rows = error.rows.map(String.init).joined(separator: " and ")
        throw StoreError.constraintConflict(
          entity: index?.constraint?.entity.name ?? "", constraint: index?.constraint?.names ?? [],
          message: "rows \(rows) have the same key in \(error.message)")
      }
    }
  }
}
