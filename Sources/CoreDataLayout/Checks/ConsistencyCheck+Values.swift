import ObjectModel
import SQLite

extension ConsistencyCheck {
  private static let isText = "seedbed_is_text"

  /// The storage classes that Core Data writes, by the column's type.
  /// - Parameter readsTexts: whether texts that are not UTF-8 are found, too.
  func storageClasses(of table: TableLayout, readsTexts: Bool = true) throws(SQLiteError) -> [StoreFinding] {
    try connection.registerFunction(Self.isText, argumentCount: 1, isDeterministic: true) { arguments in
      guard case .blob(let bytes) = arguments[0] else { return .integer(1) }
      return .integer(String(validating: bytes, as: UTF8.self) == nil ? 0 : 1)
    }
    var result: [StoreFinding] = []
    for column in table.columns {
      let classes: String
      switch column.role {
      case .primaryKey, .entityNumber, .version: continue
      default: break
      }
      switch column.type {
      case .integer: classes = "'integer'"
      case .timestampOrFloat, .decimal: classes = "'real', 'integer'"
      case .text, .uri: classes = "'text'"
      case .uuid, .transformable, .binary: classes = "'blob'"
      }
      let name = "t.\(column.name)"
      // What is of the class, and still no value of the type.
      let (exception, type) =
        switch column.type {
        case .uuid: ("typeof(\(name)) = 'blob' AND length(\(name)) <> 16", "16 bytes")
        // Most texts are ASCII.
        case .text where readsTexts, .uri where readsTexts:
          (
            "\(name) GLOB '*[^\u{1}-\u{7F}]*' AND NOT \(Self.isText)(CAST(\(name) AS BLOB))",
            "of its type, \(column.sqlType), in UTF-8"
          )
        // Of 38 digits and exponents from -127 to 127: none is greater. SQLite has no absolute value of the least
        // integer.
        case .decimal: ("abs(\(name) * 1.0) >= 3.5e165", "decimals, or are too large for one")
        default: ("0", "of its type, \(column.sqlType)")
        }
      result += try find(
        .storageClass, in: table.name, column: column.name,
        where: "typeof(\(name)) NOT IN ('null', \(classes)) OR (\(exception))",
        message: "\(table.name).\(column.name) has values that are not \(type)")
    }
    return result
  }

  /// Whole numbers that the attribute's type does not hold: an app reads another number.
  func valueRanges(of table: TableLayout) throws(SQLiteError) -> [StoreFinding] {
    var columns: [(name: String, type: String, isOutside: String)] = []
    for column in table.columns {
      guard case .attribute(_, let attribute) = column.role else { continue }
      let range: ClosedRange<Int32>
      switch attribute.type {
      case .integer16: range = Int32(Int16.min)...Int32(Int16.max)
      case .integer32: range = .min ... .max
      case .boolean: range = 0...1
      default: continue
      }
      let name = "t.\(column.name)"
      let isOutside = "\(name) NOT BETWEEN \(range.lowerBound) AND \(range.upperBound)"
      columns.append((column.name, attribute.type.name, "(typeof(\(name)) = 'integer' AND \(isOutside))"))
    }
    var result: [StoreFinding] = []
    let table = table.name
    // One scan for many columns, as there is mostly nothing to find. The depth of an expression is limited.
    for start in stride(from: 0, to: columns.count, by: 100) {
      let some = columns[start..<min(start + 100, columns.count)]
      let any = some.map(\.isOutside).joined(separator: " OR ")
      let sql = "SELECT EXISTS (SELECT 1 FROM \(SQLText.identifier(table)) AS t WHERE \(any))"
      guard try connection.integer(sql) == 1 else { continue }
      for column in some {
        result += try find(
          .valueRange, in: table, column: column.name, where: column.isOutside,
          message: "\(table).\(column.name) has numbers that are none of type \(column.type)")
      }
    }
    return result
  }
}
