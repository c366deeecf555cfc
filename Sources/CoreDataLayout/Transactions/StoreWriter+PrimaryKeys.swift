import ObjectModel
import SQLite
import StoreInterface

extension StoreSession {
  /// `Z_MAX` of the entity's table, or the greatest key in use where that is greater: a counter that lags behind, as
  /// in a store that lost its log, must not give a key out twice.
  func lastPrimaryKey(of entity: Entity) throws -> Int64 {
    let table = file.layout.table(for: entity).name
    let statement = try cached(
      "SELECT max(\(PrimaryKeyRange.counter), IFNULL((SELECT max(Z_PK) FROM \(table)), 0)) FROM Z_PRIMARYKEY "
        + "WHERE Z_ENT = ?1")
    defer { statement.reset() }
    try statement.bind(1, Int64(file.layout.number(of: entity.root)))
    guard try statement.step() else {
      throw StoreError.notAStore(path: file.path, message: "Z_PRIMARYKEY has no row for \(entity.root.name)")
    }
    let last = statement.int64(at: 0)
    guard (0...PrimaryKeyRange.greatestCounter).contains(last) else {
      throw StoreError.notAStore(
        path: file.path, message: "Z_MAX of \(entity.root.name) is \(last), which leaves no primary keys to give out")
    }
    return last
  }

  /// The primary keys of the entity's table: from the least of its rows to the greatest that was given out. Nil where
  /// there are none. Costs two searches.
  func primaryKeyRange(of entity: Entity) throws -> ClosedRange<Int64>? {
    let table = file.layout.table(for: entity).name
    let statement = try cached(
      """
      SELECT (SELECT min(Z_PK) FROM \(table)), max(IFNULL((SELECT max(Z_PK) FROM \(table)), 0),
        IFNULL((SELECT \(PrimaryKeyRange.counter) FROM Z_PRIMARYKEY WHERE Z_ENT = ?1), 0))
      """)
    defer { statement.reset() }
    try statement.bind(1, Int64(file.layout.number(of: entity.root)))
    guard try statement.step() else { return nil }
    let greatest = statement.int64(at: 1)
    if statement.isNull(at: 0) { return greatest > 0 ? 1...greatest : nil }
    return statement.int64(at: 0)...max(greatest, statement.int64(at: 0))
  }
}

extension StoreWriter {
  /// Reserves consecutive primary keys and returns the first. The counter is written at once: in the open transaction,
  /// or in one of its own.
  func reservePrimaryKeys(_ count: Int, for entity: Entity) throws -> Int64 {
    try performAtomically {
      let last = try session.lastPrimaryKey(of: entity)
      let (reserved, overflows) = last.addingReportingOverflow(Int64(count))
      if overflows { throw StoreError.failure("\(entity.root.name) has no primary keys left after \(last)") }
      try setLastPrimaryKey(reserved, of: entity)
      return last + 1
    }
  }

  /// Raises `Z_MAX`; never lowers it. What is no integer is no counter.
  func setLastPrimaryKey(_ key: Int64, of entity: Entity) throws {
    let statement = try cached(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = ?1 WHERE Z_ENT = ?2 AND (typeof(Z_MAX) <> 'integer' OR Z_MAX < ?1)")
    try statement.bind(1, key)
    try statement.bind(2, Int64(layout.number(of: entity.root)))
    try statement.run()
  }
}
