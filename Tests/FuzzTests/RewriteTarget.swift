import Foundation
import SQLite
import SQLitePages

/// A random table that gets random changes and new rows, written anew as pages and through SQLite: both files must say
/// the same.
struct RewriteTarget {
  /// Of each column after the id and the version.
  private enum Kind: Int, CaseIterable {
    case integer, real, text, blob

    var type: String { ["INTEGER", "FLOAT", "VARCHAR", "BLOB"][rawValue] }

    var comparison: RowChanges.Field.Comparison {
      switch self {
      case .integer: .integer
      case .real: .real
      case .text, .blob: .bytes
      }
    }

    func value(_ choices: inout Choices) -> RecordValue {
      if choices.below(6) == 0 { return .null }
      switch self {
      case .integer: return .integer(choices.integer(choices.below(4)))
      case .real:
        // SQLite stores whole numbers in such a column as integers.
        let number = Double(choices.integer(2)) / 4
        return number.rounded() == number ? .integer(Int64(number)) : .real(number)
      case .text: return .text(choices.text())
      case .blob: return .blob(choices.blob())
      }
    }
  }

  private let folder: URL
  private let pageSize: Int
  private let autoVacuum: Int
  private let kinds: [Kind]
  /// Columns of each index, from 0.
  private let indexes: [[Int]]
  private let workers: Int
  private let memoryBudget: Int
  private var old: [(id: Int64, values: [RecordValue])] = []
  private var new: [(id: Int64, values: [RecordValue])] = []
  private var changes: [(id: Int64, values: [RecordValue])] = []

  init(_ bytes: [UInt8], in folder: URL) {
    self.folder = folder
    var choices = Choices(bytes)
    pageSize = 512 << choices.below(8)
    autoVacuum = choices.below(3)
    let kinds = (0..<(1 + choices.below(5))).map { _ in choices.one(of: Kind.allCases, or: .integer) }
    self.kinds = kinds
    indexes = (0..<choices.below(4)).map { _ in
      (0..<(1 + choices.below(2))).map { _ in choices.below(kinds.count) }
    }
    workers = 1 + choices.below(3)
    memoryBudget = 1 << (10 + choices.below(14))
    var id: Int64 = 0
    while !choices.isAtEnd && old.count < 2_000 {
      id += 1 + (choices.below(9) == 0 ? Int64(choices.byte()) : 0)
      let values = kinds.map { $0.value(&choices) }
      if choices.below(8) == 0 && !old.isEmpty {
        new.append((id, values))
        continue
      }
      old.append((id, values))
      guard choices.bit() else { continue }
      let change = kinds.indices.map { index in
        switch choices.below(4) {
        case 0: RecordValue.absent
        case 1: values[index]
        default: kinds[index].value(&choices)
        }
      }
      changes.append((id, change))
    }
    // New rows come behind the old ones, and changes in any order.
    new = new.enumerated().map { (id + 1 + Int64($0.offset), $0.element.values) }
    if choices.bit() { changes.reverse() }
  }

  func run() throws {
    if old.isEmpty { return }
    let fast = folder.appendingPathComponent("fast.sqlite").path
    let slow = folder.appendingPathComponent("slow.sqlite").path
    for path in [fast, slow] {
      let connection = try create(path)
      try insert(old, into: connection)
      try connection.close()
    }
    let expected = try Connection(path: slow)
    let updated = try change(expected)
    try insert(new, into: expected)
    guard try rewrite(fast) == updated else { throw Target.Broken("another number of rows has changed") }
    try SamePages.require(Connection(path: fast), expected, in: folder, update: "V = 900")
  }

  private func create(_ path: String) throws -> Connection {
    let connection = try Connection(path: path, options: .init(createsFile: true))
    let columns = kinds.enumerated().map { ", C\($0) \($1.type)" }.joined()
    try connection.execute(
      "PRAGMA page_size = \(pageSize); PRAGMA auto_vacuum = \(autoVacuum); "
        + "CREATE TABLE T (ID INTEGER PRIMARY KEY, V INTEGER\(columns))")
    for (number, index) in indexes.enumerated() {
      try connection.execute("CREATE INDEX I\(number) ON T (\(index.map { "C\($0)" }.joined(separator: ", ")))")
    }
    return connection
  }

  private func insert(_ rows: [(id: Int64, values: [RecordValue])], into connection: Connection) throws {
    let parameters = kinds.indices.map { ", ?\($0 + 2)" }.joined()
    let statement = try Statement(connection, "INSERT INTO T VALUES (?1, 1\(parameters))")
    defer { statement.finalize() }
    try connection.execute("BEGIN")
    for row in rows {
      try statement.bind(1, row.id)
      for (index, value) in row.values.enumerated() { try value.bind(to: statement, Int32(index + 2)) }
      try statement.run()
    }
    try connection.execute("COMMIT")
  }

  /// Makes the changes through SQLite.
  /// - Returns: rows that changed.
  private func change(_ connection: Connection) throws -> Int {
    try connection.execute("BEGIN")
    var count = 0
    for (id, values) in changes {
      let given = values.indices.filter { !values[$0].isAbsent }
      if given.isEmpty { continue }
      let differs = given.map { "C\($0) IS NOT ?\($0 + 2)" }.joined(separator: " OR ")
      let set = given.map { ", C\($0) = ?\($0 + 2)" }.joined()
      let statement = try Statement(connection, "UPDATE T SET V = V + 1\(set) WHERE ID = ?1 AND (\(differs))")
      try statement.bind(1, id)
      for index in given { try values[index].bind(to: statement, Int32(index + 2)) }
      try statement.run()
      statement.finalize()
      count += Int(try connection.integer("SELECT changes()") ?? 0)
    }
    try connection.execute("COMMIT")
    return count
  }

  /// Makes the changes as pages.
  /// - Returns: rows that changed.
  private func rewrite(_ path: String) throws -> Int {
    let table = try SamePages.root("T", path)
    let collected = RowChanges(
      fields: kinds.enumerated().map { .init(position: $0 + 2, comparison: $1.comparison) }, width: kinds.count + 2,
      versionPosition: 1, memoryBudget: memoryBudget, temporaryPath: path + "-changes")
    for (tag, (id, values)) in changes.enumerated() {
      let record = RecordValue.record(values)
      try unsafe record.withUnsafeBytes { bytes in
        guard let base = bytes.baseAddress else { return }
        try unsafe collected.append(rowID: id, tag: UInt64(tag), record: base, count: bytes.count)
      }
    }
    let file = try DatabaseFile(path: path)
    let writer = try TableTreeWriter(file: file, root: table, after: old[old.count - 1].id)
    for row in new {
      let record = RecordValue.record([.null, .integer(1)] + row.values)
      try unsafe record.withUnsafeBytes { bytes in
        if let base = bytes.baseAddress { try unsafe writer.append(rowID: row.id, payload: base, count: bytes.count) }
      }
    }
    try writer.finish(changing: collected)
    try file.finish()
    guard collected.refused.isEmpty else { throw Target.Broken("a change was refused") }
    let shapes = try indexes.enumerated()
      .filter { _, fields in !new.isEmpty || fields.contains { collected.changedPositions.contains($0 + 2) } }
      .map { number, fields in
        IndexShape(
          name: "I\(number)", root: try SamePages.root("I\(number)", path),
          columns: fields.map { .init(field: $0 + 2) },
          isUnique: false)
      }
    let loader = IndexLoader(path: path, memoryBudget: memoryBudget, temporaryPath: path + "-sort", workers: workers)
    try loader.load(shapes.sorted { $0.root < $1.root }, tableRoot: table, replacing: true)
    return collected.updatedCount
  }
}
