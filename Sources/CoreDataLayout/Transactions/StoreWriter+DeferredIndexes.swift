import Foundation
import SQLite

extension StoreWriter {
  /// Builds the indexes, R-trees and triggers that creation left out, computes derived attributes, and assigns missing
  /// order keys. Does nothing when that is done already.
  /// - Throws: `StoreError.constraintConflict` when rows break a uniqueness constraint.
  func buildDeferredIndexes() throws {
    try session.perform {
      guard hasDeferredIndexes else { return }
      try performAtomically {
        for index in layout.indexes {
          try connection.execute(StoreWriter.ifMissing(index.createStatement))
        }
        try fillDerivedAttributes()
        // Before there are triggers: those of R-trees do not run until the schema is trusted.
        try writeOrderKeys()
        for statement in layout.triggerStatements { try connection.execute(statement) }
        for tree in try RTree.all(in: connection, layout) { try connection.execute(tree.fillStatement()) }
      }
      hasDeferredIndexes = false
      try maintainDerivedData()
    }
  }

  /// Computes derived attributes for all rows. Each comes after those that its own value depends on.
  private func fillDerivedAttributes() throws {
    let now = options.derivationTimestamp ?? Date().timeIntervalSinceReferenceDate
    for derivation in layout.derivedAttributes.compactMap(\.derivation) {
      let statement = try Statement(connection, derivation.refreshStatement())
      if statement.parameterCount > 0 { try statement.bind(1, now) }
      try statement.run()
    }
  }

  /// While indexes are deferred, an upsert still has to find rows by their keys: builds the unique indexes of a table.
  func buildUniqueIndexes(of table: TableLayout) throws {
    for index in layout.indexes where index.table == table.name && index.kind == .unique {
      try connection.execute(StoreWriter.ifMissing(index.createStatement))
    }
  }

  /// SQLite stores the statement without these words, so the schema's text stays what Core Data writes.
  package static func ifMissing(_ statement: String) -> String {
    for prefix in ["CREATE UNIQUE INDEX ", "CREATE INDEX ", "CREATE VIRTUAL TABLE "] where statement.hasPrefix(prefix) {
      return prefix + "IF NOT EXISTS " + statement.dropFirst(prefix.count)
    }
    return statement
  }
}
