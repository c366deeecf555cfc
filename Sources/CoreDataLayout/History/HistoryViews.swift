import ObjectModel
import SQLite
import StoreInterface

/// Views that show the tables of history as `PersistentHistoryModel` would be laid out, so that requests for history
/// become SQL as requests for objects do.
enum HistoryViews {
  /// Where the properties of the model lie.
  static let layout: StoreLayout = {
    var layout = StoreLayout(model: PersistentHistoryModel.model)
    for index in layout.tables.indices { layout.tables[index].name = name(layout.tables[index].root) }
    return layout
  }()

  /// No table of an app has a dot in its name.
  private static func name(_ entity: Entity) -> String { "temp.seedbed_history_\(entity.name.lowercased())" }

  private static let namesFunction = "seedbed_history_properties"

  /// Makes the views on the connection of a session, where they are not there yet.
  /// - Throws: `StoreError.unsupported` where the store keeps no history.
  static func make(_ session: StoreSession) throws {
    let known = try session.cached("SELECT 1 FROM sqlite_temp_master WHERE name = 'seedbed_history_change'")
    defer { known.reset() }
    if try known.step() { return }
    known.reset()
    let transactions = Set(try HistoryWriter.columnNames(of: "ATRANSACTION", session.connection))
    let changes = Set(try HistoryWriter.columnNames(of: "ACHANGE", session.connection))
    guard transactions.isSuperset(of: ["Z_PK", "ZTIMESTAMP"]),
      changes.isSuperset(of: ["Z_PK", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS"])
    else { throw StoreError.unsupported(session.file.path + StoreError.keepsNoHistory) }
    try registerNames(session)
    try make(PersistentHistoryModel.transaction, from: transactionSource(transactions), session) { attribute in
      switch attribute {
      case "author", "bundleID", "contextName", "processID": text(attribute, transactions)
      case "timestamp": "t.ZTIMESTAMP"
      default: "t.Z_PK"
      }
    }
    try make(PersistentHistoryModel.change, from: "main.ACHANGE AS t", session) { attribute in
      switch attribute {
      case "changeID": "t.Z_PK"
      case "changeType": "t.ZCHANGETYPE"
      case "changedEntity": entityName(session.file.layout)
      case PersistentHistoryModel.entityNumberName: "t.ZENTITY"
      case PersistentHistoryModel.primaryKeyName: "t.ZENTITYPK"
      case "updatedProperties": "\(namesFunction)(t.ZENTITY, t.ZCOLUMNS)"
      default: "t.ZTRANSACTIONID"
      }
    }
  }

  private static func make(
    _ entity: Entity, from source: String, _ session: StoreSession, _ expression: (String) -> String
  ) throws {
    let table = layout.table(for: entity)
    let columns = table.columns.compactMap { column -> String? in
      switch column.role {
      case .primaryKey: "t.Z_PK AS Z_PK"
      case .entityNumber: "\(layout.number(of: entity)) AS Z_ENT"
      case .version: "1 AS Z_OPT"
      case .attribute(let path, _): "\(expression(path[0])) AS \(column.name)"
      case .foreignKey(let relationship): "\(expression(relationship)) AS \(column.name)"
      default: nil
      }
    }
    try session.connection.execute(
      "CREATE TEMP VIEW IF NOT EXISTS \(table.name.dropFirst("temp.".count)) AS "
        + "SELECT \(columns.joined(separator: ", ")) FROM \(source)")
  }

  /// Names of authors and the like stand in a table of their own since 2019, before that in the row; a row may still
  /// have them.
  private static let texts = ["author", "bundleID", "contextName", "processID"]

  private static func text(_ attribute: String, _ columns: Set<String>) -> String {
    let column = "Z\(attribute.uppercased())"
    let own = columns.contains(column) ? "t.\(column)" : "NULL"
    return columns.contains(column + "TS") ? "IFNULL(\(attribute).ZNAME, \(own))" : own
  }

  private static func transactionSource(_ columns: Set<String>) -> String {
    "main.ATRANSACTION AS t"
      + texts.filter { columns.contains("Z\($0.uppercased())TS") }.map {
        " LEFT JOIN main.ATRANSACTIONSTRING AS \($0) ON \($0).Z_PK = t.Z\($0.uppercased())TS"
      }.joined()
  }

  private static func entityName(_ layout: StoreLayout) -> String {
    let cases = layout.entitiesByNumber.map { entity in
      "WHEN \(layout.number(of: entity)) THEN \(SQLText.literal(entity.name))"
    }
    return "CASE t.ZENTITY \(cases.joined(separator: " ")) END"
  }

  /// The property names of a mask as text, each between separators. Null for inserts and deletions.
  private static func registerNames(_ session: StoreSession) throws {
    let layout = session.file.layout
    let names = layout.entitiesByNumber.map { layout.historyMask(of: $0).properties }
    try session.connection.registerFunction(namesFunction, argumentCount: 2, isDeterministic: true) { arguments in
      guard case .integer(let number) = arguments[0], case .blob(let mask) = arguments[1],
        number >= 1, number <= names.count
      else { return .null }
      let set = HistoryWriter.names(mask, names[Int(number) - 1])
      if set.isEmpty { return .text("") }
      let separator = PersistentHistoryModel.nameSeparator
      return .text(separator + set.joined(separator: separator) + separator)
    }
  }
}

extension HistoryWriter.MaskLayout {
  /// The property that each bit stands for, entity and order columns left out.
  var properties: [(bit: Int, name: String)] {
    bitByProperty.map { (bit: $1, name: $0) }.sorted { $0.bit < $1.bit }
  }
}

extension HistoryWriter {
  /// The names of the properties whose bits a mask has, in the order of the bits.
  static func names(_ mask: [UInt8], _ properties: [(bit: Int, name: String)]) -> [String] {
    properties.filter { bit, _ in bit / 8 < mask.count && mask[bit / 8] & (0x80 >> UInt8(bit % 8)) != 0 }.map(\.name)
  }
}
