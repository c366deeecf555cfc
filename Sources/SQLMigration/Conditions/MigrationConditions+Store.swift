import CoreDataLayout
import ObjectModel
import SQLite
import StoreInterface

/// Obstacles to a migration besides the rows: names in the file, and files beside it.
extension MigrationConditions {
  // MARK: - Names

  /// Tables, views and indexes that do not belong to the old model, stay, and have a name that the migration needs.
  func takenNames() throws -> [MigrationCondition] {
    let present = try foreignNames()
    return neededNames().compactMap { name, entity in
      present[name.uppercased()].map {
        MigrationCondition(kind: .nameTaken, entity: entity.name, count: 1, examples: ["\($0) \(name)"])
      }
    }
  }

  /// The names of the new tables and indexes, and of old tables while they make room, each with an entity of its table.
  private func neededNames() -> [(name: String, entity: Entity)] {
    let new = work.new
    var names = new.tables.map { (name: $0.name, entity: $0.root) }
    names += new.joinTables.map { ($0.name, $0.master.relationship.entity) }
    let entities = Dictionary(names.map { ($0.name, $0.entity) }, uniquingKeysWith: { first, _ in first })
    for index in new.indexes {
      guard let entity = index.constraint?.entity ?? index.entity ?? entities[index.table] else { continue }
      names.append((index.name, entity))
      if case .rTree = index.kind { names += Self.shadowSuffixes.map { (index.name + $0, entity) } }
    }
    let aside = work.namesAside
    for table in work.old.tables { if let name = aside[table.name] { names.append((name, table.root)) } }
    for join in work.old.joinTables {
      if let name = aside[join.name] { names.append((name, join.master.relationship.entity)) }
    }
    return names
  }

  /// Objects outside the old model that stay, by their names in upper case: `table`, `view` or `index`.
  private func foreignNames() throws -> [String: String] {
    var own = StoreLayout.bookkeepingTables.union(work.oldTableNames.map { $0.uppercased() })
    for index in work.old.indexes {
      if case .rTree = index.kind { own.formUnion(([""] + Self.shadowSuffixes).map { (index.name + $0).uppercased() }) }
    }
    let list = try Statement(
      connection, "SELECT type, name, tbl_name FROM sqlite_master WHERE type IN ('table', 'view', 'index')")
    var result: [String: String] = [:]
    while try list.step() {
      let (type, name) = (list.string(at: 0) ?? "", (list.string(at: 1) ?? "").uppercased())
      // An index goes with its table, or makes room.
      let owner = type == "index" ? (list.string(at: 2) ?? "").uppercased() : name
      if !own.contains(owner) { result[name] = type }
    }
    return result
  }

  /// The tables that SQLite keeps for an R-tree.
  private static let shadowSuffixes = ["_node", "_parent", "_rowid"]

  // MARK: - Files

  /// Whether values go into files.
  /// - Throws: where they do, and something else has the name of their folder.
  func writesFiles() throws -> Bool {
    guard try work.tables.contains(where: writesFiles) else { return false }
    _ = try ExternalDataFolder(storePath: work.path).openData()
    return true
  }

  private func writesFiles(_ table: TableWork) throws -> Bool {
    for index in table.new.columns.indices {
      for feed in table.feeds {
        let moves = zip(feed.moves, feed.sources[index]).filter {
          $0.1.expression.contains(ExternalValues.writingCall)
        }
        guard let source = moves.first?.1.column else { continue }
        let isNeeded = try connection.integer(
          "SELECT EXISTS (SELECT 1 FROM \(SQLText.identifier(work.name(feed.old.name))) WHERE Z_ENT IN "
            + "(\(work.numbers(moves.map(\.0)))) AND length(\(source)) > \(ExternalDataFolder.longestInline))")
        if isNeeded == 1 { return true }
      }
    }
    return false
  }

  /// Values of attributes that were kept in files, are kept in the table now, and cannot be read.
  func unreadableValues(_ table: TableWork) throws -> [MigrationCondition] {
    var result: [MigrationCondition] = []
    for (index, column) in table.new.columns.enumerated() {
      guard case .attribute(let path, _) = column.role, let owner = column.entityIndex else { continue }
      var problems: [String] = []
      for feed in table.feeds {
        let moves = zip(feed.moves, feed.sources[index]).filter {
          $0.1.expression.contains(ExternalValues.readingCall)
        }
        guard let source = moves.first?.1.column else { continue }
        problems += try unreadable(source, of: feed.old, moves.map(\.0))
      }
      if problems.isEmpty { continue }
      result.append(
        MigrationCondition(
          kind: .unreadableValue, entity: work.new.numbering.entities[owner].name,
          property: path.joined(separator: "."), count: problems.count, examples: [problems[0]]))
    }
    return result
  }

  /// The problem of each value of a column that lies in a file and cannot be read.
  private func unreadable(_ column: String, of table: TableLayout, _ moves: [EntityMoves.Move]) throws -> [String] {
    let folder = ExternalDataFolder(storePath: work.path)
    let inline = ExternalDataFolder.inlineTag
    let values = try Statement(
      connection,
      "SELECT \(column) FROM \(SQLText.identifier(work.name(table.name))) WHERE Z_ENT IN (\(work.numbers(moves))) "
        + "AND typeof(\(column)) = 'blob' AND length(\(column)) > 0 AND hex(substr(\(column), 1, 1)) <> '0\(inline)'")
    var problems: [String] = []
    while try values.step() {
      let stored = values.blob(at: 0) ?? []
      do {
        if let name = try unsafe stored.withUnsafeBytes({ unsafe try folder.missingFile($0) }) {
          problems.append("the file \(name) is missing")
        } else if unsafe stored.withUnsafeBytes({ unsafe ExternalDataFolder.fileName($0) }) == nil {
          problems.append("a value of \(stored.count) bytes has an unknown form")
        }
      } catch let error as StoreError {
        guard case .inputOutput(let path, let message, nil) = error else { throw error }
        problems.append("\(path): \(message)")
      }
    }
    return problems
  }
}
