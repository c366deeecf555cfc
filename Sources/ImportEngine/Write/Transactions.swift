import CoreDataLayout

extension SQLiteStore {
  /// Does something in a transaction, which is rolled back when it throws.
  func inTransaction(_ body: () throws -> Void) throws {
    try begin()
    do {
      try body()
      try commit()
    } catch {
      try? rollback()
      throw error
    }
  }
}
