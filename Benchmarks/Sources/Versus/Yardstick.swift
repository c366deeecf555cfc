import CYardstick

/// SQLite's own API.
enum Yardstick {
  struct Failure: Error {
    let code: Int32
    let sql: String
  }

  static func execute(_ path: String, _ sql: String) throws {
    let code = yardstick_execute(path, sql)
    if code != 0 { throw Failure(code: code, sql: sql) }
  }

  /// One row of three integers.
  static func query(_ path: String, _ sql: String) throws -> Answer {
    var sums = YardstickSums()
    let code = yardstick_query(path, sql, &sums)
    if code != 0 { throw Failure(code: code, sql: sql) }
    return Answer(sums)
  }

  /// The sums of two columns.
  static func walk(_ path: String, _ sql: String) throws -> Answer {
    var sums = YardstickSums()
    let code = yardstick_walk(path, sql, &sums)
    if code != 0 { throw Failure(code: code, sql: sql) }
    return Answer(sums)
  }

  /// - Returns: how many were made, and how many were found as they should be.
  static func findOrCreate(_ path: String, count: Int, batch: Int) throws -> Answer {
    var sums = YardstickSums()
    let code = yardstick_find_or_create(path, Int64(count), Int64(batch), &sums)
    if code != 0 { throw Failure(code: code, sql: "find or create") }
    return Answer(sums)
  }
}

extension Answer {
  fileprivate init(_ sums: YardstickSums) { self.init(rows: sums.rows, first: sums.first, second: sums.second) }
}
