import ObjectModel
import SQLite

/// Which rows of two stores are one object, where an equal primary key does not say it.
///
/// A row that is in neither list is the same object in both stores under the same primary key, and its own columns are
/// equal in both. Those that are listed have the primary key of their counterpart, or null where they have none. The
/// lists are temporary tables on disk, one for each hierarchy of each store.
final class MatchTables {
  let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// The list of a hierarchy of the first store.
  func left(_ entity: Entity) -> String { "temp.left_\(entity.root.index)" }

  /// The list of a hierarchy of the second store.
  func right(_ entity: Entity) -> String { "temp.right_\(entity.root.index)" }

  func create(_ list: String) throws {
    try connection.execute(
      "CREATE TABLE IF NOT EXISTS \(list) (pk INTEGER PRIMARY KEY, entity INTEGER NOT NULL, match INTEGER)")
  }

  /// A list of the primary keys at which the two stores have different objects, of the hierarchies that two entities
  /// are in; nil where there are none.
  func moved(_ left: Entity, _ right: Entity) throws -> String? {
    let name = "temp.moved_\(left.root.index)_\(right.root.index)"
    if try connection.integer("SELECT count(*) FROM temp.sqlite_master WHERE name = '\(name.dropFirst(5))'") == 0 {
      try connection.execute(
        """
        CREATE TABLE \(name) (pk INTEGER PRIMARY KEY);
        INSERT OR IGNORE INTO \(name) SELECT pk FROM \(self.left(left)) WHERE match IS NOT pk;
        INSERT OR IGNORE INTO \(name) SELECT pk FROM \(self.right(right)) WHERE match IS NOT pk;
        """)
    }
    return try connection.integer("SELECT 1 FROM \(name) LIMIT 1") == nil ? nil : name
  }
}
