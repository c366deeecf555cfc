import ObjectModel
import SQLite
import StoreInterface

extension SQLiteStore {
  /// Builds the indexes, R-trees and triggers that creation left out, computes the derived counts, and assigns missing
  /// order keys. Does nothing when that is done already.
  /// - Throws: `StoreError.constraintConflict` when rows break a uniqueness constraint.
  public func buildDeferredIndexes() throws {
    try perform {
      guard hasDeferredIndexes else { return }
      try performAtomically {
        for index in layout.indexes {
          try connection.execute(SQLiteStore.ifMissing(index.createStatement))
          if case .rTree(let columns) = index.kind {
            var fill = SQLiteStore.rTreeFill(index, columns)
            if let entity = index.entity {
              let numbers = layout.numbers(ofKind: entity).map(String.init).joined(separator: ", ")
              fill += " AND Z_ENT IN (\(numbers))"
            }
            try connection.execute(fill)
          }
        }
        for trigger in layout.triggers {
          try connection.execute(trigger.fillStatement)
          for text in trigger.createStatements { try connection.execute(text) }
        }
        hasDeferredIndexes = false
        do {
          try settleOrderKeys()
        } catch {
          hasDeferredIndexes = true
          throw error
        }
      }
    }
  }

  /// While indexes are deferred, an upsert still has to find rows by their keys: builds the unique indexes of a table.
  func buildUniqueIndexes(of table: TableLayout) throws {
    for index in layout.indexes where index.table == table.name && index.kind == .unique {
      try connection.execute(SQLiteStore.ifMissing(index.createStatement))
    }
  }

  /// SQLite stores the statement without these words, so the schema's text stays what Core Data writes.
  static func ifMissing(_ statement: String) -> String {
    for prefix in ["CREATE UNIQUE INDEX ", "CREATE INDEX ", "CREATE VIRTUAL TABLE "] where statement.hasPrefix(prefix) {
      return prefix + "IF NOT EXISTS " + statement.dropFirst(prefix.count)
    }
    return statement
  }
}
