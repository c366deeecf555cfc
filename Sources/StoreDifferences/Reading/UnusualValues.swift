import CoreDataLayout
import Foundation
import ObjectModel
import SQLite

/// Compares the values of matched rows that are stored in another way than the types of their attributes demand. Read
/// as values of the attributes they are converted, and then the text `5x` in an integer is the same as 5.
final class UnusualValues {
  /// A column of an attribute or a relationship in both stores.
  private struct Column {
    /// The path of the attribute, or the name of the relationship.
    var path: String
    /// The names of the column in both stores.
    var left: String
    var right: String
    /// Conditions that hold for a value in the usual form.
    var isUsualLeft: String
    var isUsualRight: String

    /// A condition that holds for different values in an unusual form. The form comes first, as its test reads no long
    /// value.
    var differs: String {
      "((NOT (\(isUsualLeft)) OR NOT (\(isUsualRight))) AND x.\(left) IS NOT y.\(right))"
    }
  }

  /// How many columns one statement compares: SQLite takes 2,000 results, and conditions of 1,000 levels.
  private static let groupSize = 300

  private var groups: [(columns: [Column], rows: Statement)] = []

  init(_ entity: ComparedEntity, _ tables: MatchTables, left: ComparedLayout, right: ComparedLayout) throws {
    var columns: [Column] = []
    for attribute in entity.attributes {
      let others = right.leaves(attribute.name, of: entity.right)
      for own in left.leaves(attribute.name, of: entity.left) {
        guard let other = others.first(where: { $0.path == own.path }) else { continue }
        columns.append(
          Column(
            path: own.path, left: own.name, right: other.name, isUsualLeft: Self.isUsual("x.\(own.name)", own.type),
            isUsualRight: Self.isUsual("y.\(other.name)", other.type)))
      }
    }
    for reference in entity.toOne {
      guard let own = left.column(reference.left), let other = right.column(reference.right) else { continue }
      columns.append(
        Column(
          path: reference.name, left: own, right: other, isUsualLeft: Self.isUsual("x.\(own)", .integer64),
          isUsualRight: Self.isUsual("y.\(other)", .integer64)))
    }
    for start in stride(from: 0, to: columns.count, by: Self.groupSize) {
      let group = Array(columns[start..<min(start + Self.groupSize, columns.count)])
      let rows = try Statement(
        tables.connection,
        """
        SELECT c.pk, \(group.map { "x.\($0.left), y.\($0.right), \($0.differs)" }.joined(separator: ", "))
        FROM \(tables.left(entity.left)) AS c
          CROSS JOIN \(left.table(entity.left)) AS x ON x.Z_PK = c.pk
          CROSS JOIN \(right.table(entity.right)) AS y ON y.Z_PK = c.match
        WHERE c.pk BETWEEN ?1 AND ?2 AND c.entity = \(entity.number)
          AND (\(group.map(\.differs).joined(separator: " OR ")))
        """)
      groups.append((group, rows))
    }
  }

  /// The differences of rows in the range, by primary key in the first store.
  func differences(from first: Int64, through last: Int64) throws -> [Int64: [PropertyDifference]] {
    var differences: [Int64: [PropertyDifference]] = [:]
    for (columns, rows) in groups {
      try rows.bind(1, first)
      try rows.bind(2, last)
      defer { rows.reset() }
      while try rows.step() {
        for (index, column) in columns.enumerated() where rows.int64(at: Int32(3 * index + 3)) != 0 {
          differences[rows.int64(at: 0), default: []].append(
            PropertyDifference(
              name: column.path,
              difference: .stored(
                left: Self.value(rows, Int32(3 * index + 1)), right: Self.value(rows, Int32(3 * index + 2)))))
        }
      }
    }
    return differences
  }

  /// A condition that holds for values that are read as they are stored, and for null.
  private static func isUsual(_ value: String, _ type: AttributeType) -> String {
    func isOf(_ classes: String...) -> String {
      "typeof(\(value)) IN ('null', \(classes.map { "'\($0)'" }.joined(separator: ", ")))"
    }
    switch type {
    case .integer16, .integer32, .integer64: return isOf("integer")
    case .boolean: return "\(value) IS NULL OR (\(isOf("integer")) AND \(value) IN (0, 1))"
    case .double, .float, .date: return isOf("integer", "real")
    // Somewhat beyond these limits a Decimal ends, and values become the same.
    case .decimal:
      return "\(value) IS NULL OR (\(isOf("integer", "real")) AND \(value) BETWEEN -1e127 AND 1e127 "
        + "AND (\(value) = 0 OR \(value) NOT BETWEEN -1e-127 AND 1e-127))"
    case .string, .uri, .undefined, .objectID, .composite: return isOf("text")
    case .uuid, .binary, .transformable: return isOf("blob")
    }
  }

  private static func value(_ rows: Statement, _ column: Int32) -> StoredValue {
    switch rows.type(at: column) {
    case .null: StoredValue(storageClass: "null", value: .null)
    case .integer: StoredValue(storageClass: "integer", value: .integer(rows.int64(at: column)))
    case .real: StoredValue(storageClass: "real", value: .double(rows.double(at: column)))
    case .text: StoredValue(storageClass: "text", value: .string(rows.string(at: column) ?? ""))
    case .blob: StoredValue(storageClass: "blob", value: .data(Data(rows.blob(at: column) ?? [])))
    }
  }
}
