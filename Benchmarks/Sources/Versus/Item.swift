/// The rows of all workloads. Every value follows from the item's code, the same way for all sides.
struct Item {
  static let count = 100_000

  let active: Bool
  let category: String
  let code: Int64
  let height: Double
  let latitude: Double
  let name: String
  let quantity: Int64
  let rank: Int64

  /// The items of the codes 1 to `count`, for what is timed to find them made: to make one takes any side as long.
  static let all = (1...Int64(count)).map { Item(code: $0) }

  init(code: Int64) {
    active = code % 3 == 0
    category = "category \(code % 50)"
    self.code = code
    height = Double(code) * 0.5
    latitude = Double(code % 180) - 90
    name = "item number \(code)"
    quantity = code % 1_000
    rank = code * 7 % 100_003
  }

  /// The names of the attributes, as both schemas have them.
  static let columns = ["active", "category", "code", "height", "latitude", "name", "quantity", "rank"]

  /// Expressions of the values, over a code `i`, in the order of `columns`.
  static let expressions = """
    i % 3 = 0, 'category ' || (i % 50), i, i * 0.5, (i % 180) - 90.0, 'item number ' || i, i % 1000, i * 7 % 100003
    """

  /// A statement that fills a table with the items of the codes 1 to `count`.
  /// - Parameters:
  ///   - keys: more columns and their expressions.
  ///   - step: the distance between two codes.
  static func fill(
    _ table: String, columns: [String], keys: (columns: String, expressions: String), count: Int, step: Int = 1
  ) -> String {
    """
    INSERT INTO \(table) (\(keys.columns), \(columns.joined(separator: ", ")))
    WITH RECURSIVE n(k, i) AS (SELECT 1, \(step) UNION ALL SELECT k + 1, i + \(step) FROM n WHERE k < \(count))
    SELECT \(keys.expressions), \(expressions) FROM n;
    """
  }
}
