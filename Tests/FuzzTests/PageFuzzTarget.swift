import Foundation
import SQLite
import SQLitePages

/// A random table with random indexes, as finished pages and through SQLite: both files must say the same.
struct PageFuzzTarget {
  private struct Index {
    var columns: [IndexShape.Column]
    var isUnique: Bool
  }

  private let folder: URL
  private let pageSize: Int
  private let autoVacuum: Int
  private let columnCount: Int
  private let indexes: [Index]
  private var rows: [(id: Int64, values: [RecordValue])] = []
  private let workers: Int
  private let memoryBudget: Int
  private let keepsColumns: Bool

  init(_ bytes: [UInt8], in folder: URL) {
    self.folder = folder
    var choices = Choices(bytes)
    pageSize = 512 << choices.below(8)
    autoVacuum = choices.below(3)
    let columnCount = 1 + choices.below(5)
    self.columnCount = columnCount
    indexes = (0..<choices.below(5)).map { _ in
      let columns = (0..<(1 + choices.below(3))).map { _ in
        let field = choices.below(columnCount + 1)
        return IndexShape.Column(field: field == 0 ? nil : field, isDescending: choices.below(4) == 0)
      }
      return Index(columns: columns, isUnique: choices.below(6) == 0)
    }
    workers = 1 + choices.below(3)
    memoryBudget = 1 << choices.below(26)
    keepsColumns = choices.bit()
    let kinds = (0..<columnCount).map { _ in choices.below(8) }
    var id = choices.below(3) == 0 ? choices.integer(4) : 0
    while !choices.isAtEnd && rows.count < 3_000 {
      id += 1 + (choices.below(9) == 0 ? max(choices.integer(3), 0) : 0)
      rows.append((id, kinds.map { PageFuzzTarget.value(&choices, $0) }))
    }
  }

  private static func value(_ choices: inout Choices, _ kind: Int) -> RecordValue {
    switch kind {
    case 0: return .integer(Int64(choices.byte()))
    case 1: return choices.below(5) == 0 ? .null : .integer(Int64(choices.byte()) << Int64(choices.below(17)))
    case 2: return .integer(choices.integer(choices.below(9)))
    case 3: return .real(choices.real())
    case 4: return .text(choices.text())
    case 5: return .blob(choices.blob())
    case 6: return .null
    default: return value(&choices, choices.below(7))
    }
  }

  func run() throws {
    let fast = folder.appendingPathComponent("fast.sqlite").path
    let slow = folder.appendingPathComponent("slow.sqlite").path
    let connections = try [fast, slow].map { try create($0) }
    try connections[0].close()
    let isRepeated = try !insert(into: connections[1])
    do {
      try load(fast)
      if isRepeated { throw Target.Broken("repeated keys of a unique index were not found") }
    } catch let error as PageError where error.kind == .duplicateKey {
      if !isRepeated { throw Target.Broken("keys are not repeated: \(error)") }
      return
    }
    try SamePages.require(Connection(path: fast), connections[1], in: folder, update: "C1 = NULL")
  }

  private func create(_ path: String) throws -> Connection {
    let connection = try Connection(path: path, options: .init(createsFile: true))
    let columns = (1...columnCount).map { ", C\($0)" }.joined()
    try connection.execute(
      "PRAGMA page_size = \(pageSize); PRAGMA auto_vacuum = \(autoVacuum); CREATE TABLE T (ID INTEGER PRIMARY KEY\(columns))"
    )
    for (number, index) in indexes.enumerated() {
      let list = index.columns.map { ($0.field.map { "C\($0)" } ?? "ID") + ($0.isDescending ? " DESC" : "") }
      try connection.execute(
        "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX I\(number) ON T (\(list.joined(separator: ", ")))")
    }
    return connection
  }

  /// - Returns: false when the rows break a unique index.
  private func insert(into connection: Connection) throws -> Bool {
    let parameters = (0...columnCount).map { "?\($0 + 1)" }.joined(separator: ", ")
    let statement = try Statement(connection, "INSERT INTO T VALUES (\(parameters))")
    defer { statement.finalize() }
    try connection.execute("BEGIN")
    for row in rows {
      try statement.bind(1, row.id)
      for (index, value) in row.values.enumerated() {
        try value.bind(to: statement, Int32(index + 2))
      }
      do { try statement.run() } catch {
        guard error.code == .constraint else { throw error }
        return false
      }
    }
    try connection.execute("COMMIT")
    return true
  }

  private func load(_ path: String) throws {
    let table = try SamePages.root("T", path)
    let shapes = try indexes.enumerated().map { number, index in
      IndexShape(
        name: "I\(number)", root: try SamePages.root("I\(number)", path), columns: index.columns,
        isUnique: index.isUnique)
    }
    let file = try DatabaseFile(path: path)
    let writer = try TableTreeWriter(file: file, root: table)
    for row in rows {
      // The first field is that of the row id.
      let record = RecordValue.record([.null] + row.values)
      try unsafe record.withUnsafeBytes { bytes in
        if let base = bytes.baseAddress { try unsafe writer.append(rowID: row.id, payload: base, count: bytes.count) }
      }
    }
    try writer.finish()
    try file.finish()
    let loader = IndexLoader(path: path, memoryBudget: memoryBudget, temporaryPath: path + "-sort", workers: workers)
    try loader.load(shapes, tableRoot: table, columns: keepsColumns ? columns(path) : [])
    let trees =
      [DatabaseCheck.Tree(name: "T", root: table, isIndex: false)]
      + shapes.map {
        DatabaseCheck.Tree(name: $0.name, root: $0.root, isIndex: true, tableRoot: table)
      }
    let problems = try DatabaseCheck(path: path, trees: trees, workers: workers).problems()
    guard problems.isEmpty else { throw Target.Broken(problems.joined(separator: "; ")) }
  }

  /// The columns that hold integers and nulls alone.
  private func columns(_ path: String) -> [KeyColumn] {
    (0..<columnCount).compactMap { index in
      let column = KeyColumn(field: index + 1, memoryBudget: memoryBudget, temporaryPath: path + "-column")
      for row in rows {
        switch row.values[index] {
        case .null: column.append(nil, firstRowID: row.id, count: 1)
        case .integer(let value): column.append(value, firstRowID: row.id, count: 1)
        default: return nil
        }
      }
      return column
    }
  }
}
