import ObjectModel
import SQLite

extension StoreWriter {
  /// See `SQLiteStore.delete`. All rows go in one transaction, or in a savepoint of the open one.
  func delete(entity: Entity, primaryKeys: [Int64]) throws -> Int {
    try performAtomically {
      let numbers = layout.numbers(ofKind: entity).map(String.init).joined(separator: ", ")
      let find = try cached(
        "SELECT Z_ENT FROM \(layout.table(for: entity).name) WHERE Z_PK = ?1 AND Z_ENT IN (\(numbers))")
      var deleters: [Int64: RowDeleter] = [:]
      var deleted = 0
      for key in primaryKeys {
        try find.bind(1, key)
        let exists = try find.step()
        let number = find.int64(at: 0)
        find.reset()
        guard exists else { continue }
        let deleter = try deleters[number] ?? RowDeleter(self, file.entity(numbered: number))
        deleters[number] = deleter
        try deleter.delete(key...key)
        deleted += 1
      }
      return deleted
    }
  }
}
