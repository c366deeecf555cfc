import Foundation
import SQLite
import TestSupport
import Testing

/// A store that Apple's framework made, and an import that its model allows.
struct AppleStore: Sendable, CustomTestStringConvertible {
  /// Path below the folder of fixture stores.
  var path: String
  /// Path below the folder of fixture models; nil for stores that carry their model.
  var model: String?
  /// Lists of NDJSON records, by the name of the file.
  var seeds: [String: [String]]
  /// The `import` section of the pipeline.
  var steps: [String]
  /// What the import inserts and changes; everything else stays as it is.
  var expected: [TableChange]

  var testDescription: String { path }

  /// What an import does to one table.
  struct TableChange: Sendable {
    var table: String
    /// Number of rows that are new; in entity tables they have the keys after `Z_MAX`.
    var inserted: Int
    /// Conditions that each select one old row, with the columns that may change besides `Z_OPT`, which is one more.
    var changed: [String: Set<String>] = [:]
  }

  /// Copies the store and its sidecars, as the app left them, and its model where it carries none.
  func copy(to name: String, in workspace: Workspace) throws {
    try FixtureFolder.copyStore("stores/" + path, to: workspace.folder, as: name)
    guard let model else { return }
    let target = workspace.url((model as NSString).lastPathComponent)
    if FileManager.default.fileExists(atPath: target.path) { return }
    let origin = FixtureFolder.url.appendingPathComponent("models/" + model)
    for file in try FileManager.default.subpathsOfDirectory(atPath: origin.path) {
      let place = target.appendingPathComponent(file)
      var isFolder: ObjCBool = false
      _ = unsafe FileManager.default.fileExists(
        atPath: origin.appendingPathComponent(file).path, isDirectory: &isFolder)
      if isFolder.boolValue {
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      } else {
        try Data(contentsOf: origin.appendingPathComponent(file)).write(to: place)
      }
    }
  }

  /// The model as a pipeline in the workspace names it.
  func modelPath(store: String) -> String { model.map { ($0 as NSString).lastPathComponent } ?? store }

  /// Writes the seeds and the pipeline.
  /// - Parameter settings: lines of the `store` section.
  func write(_ pipeline: String, model: String, settings: [String], to workspace: Workspace) throws {
    for (name, records) in seeds { try workspace.write(name, records.joined(separator: "\n") + "\n") }
    let lines = ["model: \(model)", "store:"] + settings.map { "  " + $0 } + ["import:"] + steps
    try workspace.write(pipeline, lines.joined(separator: "\n") + "\n")
  }
}

/// Everything that a store file holds, read by plain SQL.
struct StoreContents: Equatable {
  /// A row as its columns' literals and storage classes, by column name.
  typealias Row = [String: String]
  /// `type name table statement`, sorted.
  var schema: [String] = []
  /// Rows by table and rowid.
  var tables: [String: [Int64: Row]] = [:]
  /// The metadata by key, each value as text.
  var metadata: [String: String] = [:]
  var uuid = ""

  init(_ workspace: Workspace, _ name: String) throws {
    // Reading may write to the sidecars: a copy is read.
    let folder = workspace.url("contents-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for suffix in ["", "-wal"] where workspace.exists(name + suffix) {
      try Data(workspace.bytes(name + suffix)).write(to: folder.appendingPathComponent("store" + suffix))
    }
    let connection = try Connection(path: folder.appendingPathComponent("store").path)
    defer { try? connection.close() }
    var names: [String] = []
    try Self.rows(connection, "SELECT type, name, tbl_name, IFNULL(sql, '') FROM sqlite_master") { statement in
      let texts = (0..<4).map { statement.string(at: $0) ?? "" }
      schema.append(texts.joined(separator: " "))
      if texts[0] == "table" { names.append(texts[1]) }
    }
    schema.sort()
    for table in names {
      var columns: [String] = []
      try Self.rows(connection, "SELECT name FROM pragma_table_info('\(table)')") {
        columns.append($0.string(at: 0) ?? "")
      }
      let list = columns.map { #"quote("\#($0)") || ' ' || typeof("\#($0)")"# }.joined(separator: ", ")
      var rows: [Int64: Row] = [:]
      try Self.rows(connection, "SELECT rowid, \(list) FROM \(table)") { statement in
        var row: Row = [:]
        for (index, column) in columns.enumerated() { row[column] = statement.string(at: Int32(index + 1)) }
        rows[statement.int64(at: 0)] = row
      }
      tables[table] = rows
    }
    try Self.rows(connection, "SELECT Z_UUID, Z_PLIST FROM Z_METADATA") { statement in
      uuid = statement.string(at: 0) ?? ""
      let list = unsafe try PropertyListSerialization.propertyList(from: Data(statement.blob(at: 1) ?? []), format: nil)
      for (key, value) in list as? [String: Any] ?? [:] { metadata[key] = Self.text(value) }
    }
    tables["Z_METADATA"] = nil
  }

  private static func rows(_ connection: Connection, _ sql: String, _ body: (Statement) throws -> Void) throws {
    let statement = try Statement(connection, sql)
    defer { statement.finalize() }
    while try statement.step() { try body(statement) }
  }

  /// A property list value as text, with its type; keys are sorted.
  private static func text(_ value: Any) -> String {
    switch value {
    case let list as [Any]: "[\(list.map { text($0) }.joined(separator: ", "))]"
    case let list as [String: Any]:
      "{\(list.sorted { $0.key < $1.key }.map { "\($0.key): \(text($0.value))" }.joined(separator: ", "))}"
    case let data as Data: "data \(data.base64EncodedString())"
    default: "\(type(of: value)) \(value)"
    }
  }

  /// Literals of integer columns read as numbers.
  static func number(_ literal: String?) -> Int64? {
    literal.flatMap { Int64($0.prefix { $0 != " " }) }
  }
}
