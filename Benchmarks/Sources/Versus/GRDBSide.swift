import Foundation
import GRDB

/// The jobs by GRDB: a pool, which keeps a write-ahead log and is synchronous NORMAL as this package's stores are.
enum GRDBSide {
  /// The fastest form: initialised by column positions.
  final class RowItem: FetchableRecord, PersistableRecord {
    static let databaseTableName = "item"
    let id: Int64
    let active: Bool
    let category: String
    let code: Int64
    let height: Double
    let latitude: Double
    let name: String
    var quantity: Int64
    let rank: Int64

    init(row: Row) {
      id = row[0]
      active = row[1]
      category = row[2]
      code = row[3]
      height = row[4]
      latitude = row[5]
      name = row[6]
      quantity = row[7]
      rank = row[8]
    }

    init(_ item: Item) {
      id = item.code
      active = item.active
      category = item.category
      code = item.code
      height = item.height
      latitude = item.latitude
      name = item.name
      quantity = item.quantity
      rank = item.rank
    }

    func encode(to container: inout PersistenceContainer) {
      container["id"] = id
      container["active"] = active
      container["category"] = category
      container["code"] = code
      container["height"] = height
      container["latitude"] = latitude
      container["name"] = name
      container["quantity"] = quantity
      container["rank"] = rank
    }
  }

  struct CodableItem: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "item"
    var id: Int64
    var active: Bool
    var category: String
    var code: Int64
    var height: Double
    var latitude: Double
    var name: String
    var quantity: Int64
    var rank: Int64
  }

  private static let schema = """
    CREATE TABLE item (id INTEGER PRIMARY KEY, active INTEGER, category TEXT, code INTEGER, height REAL, latitude REAL,
      name TEXT, quantity INTEGER, rank INTEGER);
    """

  private static func side(
    _ name: String, limit: Double, count: Int, _ job: @escaping (DatabasePool) throws -> Answer
  ) -> Side {
    Side(name: name, limit: limit) { folder in
      let path = folder + "/items.db"
      let rows = count > 0 ? Item.fill("item", columns: Item.columns, keys: ("id", "k"), count: count) : ""
      try Yardstick.execute(path, "BEGIN;" + schema + rows + "COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
      let pool = try DatabasePool(path: path)
      return (
        { try job(pool) },
        {
          try Yardstick.query(
            path,
            "SELECT count(*), sum(quantity + rank + code + active), sum(length(name) + length(category)) FROM item")
        }
      )
    }
  }

  static var fetchRows: Side {
    side("GRDB, classes by rows", limit: 0.9, count: Item.count) { pool in
      let items = try pool.read { try RowItem.fetchAll($0) }
      var answer = Answer()
      for item in items {
        answer.rows += 1
        answer.first += item.quantity
        answer.second += Int64(item.name.utf8.count)
      }
      return answer
    }
  }

  static var fetchCodable: Side {
    side("GRDB, Codable", limit: 0.4, count: Item.count) { pool in
      let items = try pool.read { try CodableItem.fetchAll($0) }
      var answer = Answer()
      for item in items {
        answer.rows += 1
        answer.first += item.quantity
        answer.second += Int64(item.name.utf8.count)
      }
      return answer
    }
  }

  static var insert: Side {
    side("GRDB", limit: 0.35, count: 0) { pool in
      try pool.write { database in
        for item in Item.all { try RowItem(item).insert(database) }
      }
      return Answer(rows: Int64(Item.count))
    }
  }

  static var update: Side {
    side("GRDB", limit: 0.35, count: Item.count) { pool in
      try pool.write { database in
        var answer = Answer()
        for item in try RowItem.fetchAll(database) {
          item.quantity += 1
          try item.update(database, columns: ["quantity"])
          answer.rows += 1
        }
        return answer
      }
    }
  }

  static var delete: Side {
    side("GRDB", limit: 0.6, count: Item.count) { pool in
      try pool.write { database in
        var answer = Answer()
        for item in try RowItem.fetchAll(database) {
          try item.delete(database)
          answer.rows += 1
        }
        return answer
      }
    }
  }
}
