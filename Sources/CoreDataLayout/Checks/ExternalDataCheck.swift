import Foundation
import ObjectModel
import Platform
import SQLite

/// Checks values that may lie outside the store: their tags, and the files that they name.
struct ExternalDataCheck {
  let connection: Connection
  let layout: StoreLayout
  let folder: ExternalDataFolder

  /// - Complexity: a scan of each table with such a column; the values themselves are not read.
  func findings() throws -> [StoreFinding] {
    var result: [StoreFinding] = []
    var named: Set<String> = []
    for table in layout.tables {
      for column in table.columns {
        guard case .attribute(_, let attribute) = column.role, attribute.allowsExternalBinaryDataStorage else {
          continue
        }
        result += try values(of: column.name, in: table.name, &named)
      }
    }
    let present = FileSystem.names(in: folder.dataPath)
    let unused = present.filter { !named.contains($0) }.sorted()
    if let first = unused.first {
      result.append(
        StoreFinding(
          .unusedExternalFile, count: unused.count,
          "\(folder.dataPath) has files that no row names, for instance \(first.prefix(100))"))
    }
    return result
  }

  private func values(of column: String, in table: String, _ named: inout Set<String>) throws -> [StoreFinding] {
    var strange = (count: 0, key: Int64(0))
    var missing = (count: 0, key: Int64(0), name: "")
    let statement = try Statement(
      connection,
      """
      SELECT Z_PK, substr(\(column), 1, 40), length(\(column)) FROM \(SQLText.identifier(table))
      WHERE typeof(\(column)) = 'blob' AND substr(\(column), 1, 1) <> x'01'
      """)
    while try statement.step() {
      let start = statement.blob(at: 1) ?? []
      if let name = unsafe start.withUnsafeBytes({ unsafe ExternalDataFolder.fileName($0) }),
        statement.int64(at: 2) == 38,
        start.last == 0
      {
        named.insert(name)
        if isRegularFile(folder.dataPath + "/" + name) { continue }
        if missing.count == 0 { missing = (0, statement.int64(at: 0), name) }
        missing.count += 1
      } else {
        if strange.count == 0 { strange.key = statement.int64(at: 0) }
        strange.count += 1
      }
    }
    var result: [StoreFinding] = []
    if strange.count > 0 {
      result.append(
        StoreFinding(
          .externalValue, table: table, column: column, count: strange.count, exampleKey: strange.key,
          "\(table).\(column) has values that are neither inline nor name a file"))
    }
    if missing.count > 0 {
      result.append(
        StoreFinding(
          .externalFile, table: table, column: column, count: missing.count, exampleKey: missing.key,
          "\(table).\(column) names files that are not in \(folder.dataPath), for instance \(missing.name)"))
    }
    return result
  }

  /// False for symbolic links too: nothing outside the folder is ever read.
  private func isRegularFile(_ path: String) -> Bool {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return attributes?[.type] as? FileAttributeType == .typeRegular
  }
}
