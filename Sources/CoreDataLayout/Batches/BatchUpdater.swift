import Foundation
import ObjectModel
import Predicates
import SQLite
import StoreInterface

/// Writes new values into any number of rows.
///
/// Values that are computed from the row's own columns are written by one UPDATE. Other values are first put into a
/// temporary table on disk, so that each is computed from the rows as they were; expressions that SQL cannot express
/// are evaluated in memory, row by row.
final class BatchUpdater {
  private let writer: StoreWriter
  private let reader: StoreReader
  private let rebuildsFrom: Int
  private let now = Date()
  /// What elements of composites demand of the new values together.
  private var demands: [ElementDemand] = []

  private var layout: StoreLayout { writer.layout }
  private var connection: Connection { writer.connection }
  private static let values = "seedbed_values"

  init(_ writer: StoreWriter, _ reader: StoreReader, rebuildsFrom: Int) {
    self.writer = writer
    self.reader = reader
    self.rebuildsFrom = rebuildsFrom
  }

  /// - Throws: `ValidationError` with objects whose new values break a rule.
  func run(_ update: BatchUpdate, wantsObjectIDs: Bool) throws -> BatchOutcome {
    try reader.requireOwn(update.selection.entity)
    let assignments = try BatchAssignment.all(update)
    let selection = update.selection.forBatch
    try selection.checkKeyPaths()
    let entity = selection.entity
    demands = ElementDemand.all(assignments, of: entity)
    let columns = try assignments.map { try AssignedColumn($0, of: entity, layout) }
    let names = Set(columns.map(\.name))
    let isUnique = try uniqueColumns(of: layout.table(for: entity)).contains { names.contains($0) }
    var sql = FetchSQL(reader, entity, now: now)
    defer { reader.forgetLists(sql.lists) }
    if let plan = try plan(columns, selection, &sql), try !mayFail(plan, columns, entity, sql) {
      let isOwn = sql.scopes.count == 1 && sql.scopes[0].joins.isEmpty
      // The files of the values that go are noted with the values in the temporary table.
      let isExternal = columns.contains(where: \.isExternal)
      if isOwn && !wantsObjectIDs && !isUnique && !isExternal && writer.history == nil {
        return try updateInPlace(plan, columns, entity, sql)
      }
      try makeValues(columns)
      try run(
        "INSERT INTO temp.\(Self.values) SELECT t0.Z_PK, \(plan.values.joined(separator: ", ")) FROM \(sql.scopes[0].from)"
          + plan.condition, sql)
      try checkValues(columns, entity)
    } else {
      try makeValues(columns)
      try UndecidedMatches.rethrowing { try evaluate(columns, selection) }
    }
    return try writeValues(columns, entity, isUnique: isUnique, wantsObjectIDs: wantsObjectIDs)
  }

  // MARK: - In SQL

  /// The parts of an update as SQL.
  private struct Plan {
    /// The new values.
    var values: [String]
    /// ` WHERE …`: rows that are selected and have other values.
    var condition: String
    /// ` WHERE …`, or nothing: rows that are selected.
    var selected: String
  }

  /// The parts of the update as SQL; nil where SQL cannot express it.
  private func plan(_ columns: [AssignedColumn], _ selection: FetchSpecification, _ sql: inout FetchSQL) throws -> Plan?
  {
    let condition = try sql.condition(splitting: selection)
    if !sql.residual.isEmpty { return nil }
    do {
      let values = try columns.map { try $0.value(in: &sql) }
      let selected = String(sql.tail(condition, selection).dropFirst(" FROM \(sql.scopes[0].from)".count))
      let differing = zip(columns, values).map { "t0.\($0.name) IS NOT \($1)" }.joined(separator: " OR ")
      return Plan(
        values: values, condition: (selected.isEmpty ? " WHERE " : selected + " AND ") + "(\(differing))",
        selected: selected)
    } catch is FetchSQL.Untranslatable {
      return nil
    }
  }

  /// Whether a row has no new value and this may be because it cannot be computed, which only an evaluation in memory
  /// tells from a value that is missing. It also refuses to compute with what is no Decimal.
  private func mayFail(_ plan: Plan, _ columns: [AssignedColumn], _ entity: Entity, _ sql: FetchSQL) throws -> Bool {
    let doubtful = zip(columns, plan.values).filter { $0.0.assignment.expression.mayFail(of: entity) }
    if doubtful.isEmpty { return false }
    // To SQL a text is 0 in arithmetic.
    let decimals = doubtful.flatMap { $0.0.assignment.expression.decimals(of: entity) }
      .compactMap { layout.column(for: $0.joined(separator: "."), of: entity)?.name }
    let missing =
      (doubtful.map { "\($0.1) IS NULL" } + decimals.map { "t0.\($0) NOT BETWEEN -3.5e165 AND 3.5e165" })
      .joined(separator: " OR ")
    let rows = try Statement(
      connection,
      "SELECT 1 FROM \(sql.scopes[0].from)" + (plan.selected.isEmpty ? " WHERE " : plan.selected + " AND ")
        + "(\(missing)) LIMIT 1")
    try reader.bind(sql.parameters, to: rows)
    return try rows.step()
  }

  private func run(_ text: String, _ sql: FetchSQL) throws {
    let statement = try Statement(connection, text)
    try reader.bind(sql.parameters, to: statement)
    try statement.run()
  }

  private func updateInPlace(
    _ plan: Plan, _ columns: [AssignedColumn], _ entity: Entity, _ sql: FetchSQL
  ) throws -> BatchOutcome {
    let broken = conditions(columns, plan.values, row: "t0", entity)
    let doubts = zip(columns, plan.values).compactMap { $0.doubt(of: $1) } + broken
    if !doubts.isEmpty {
      try check(
        columns, entity,
        "SELECT t0.Z_PK, t0.Z_ENT, \((plan.values + broken).joined(separator: ", ")) FROM \(sql.scopes[0].from)\(plan.condition) "
          + "AND (\(doubts.joined(separator: " OR "))) ORDER BY t0.Z_PK", sql)
    }
    let table = layout.table(for: entity).name
    let assigned = zip(columns, plan.values).map { "\($0.name) = \($1)" }.joined(separator: ", ")
    var outcome = BatchOutcome()
    try withoutIndexes(table, columns) {
      let count = try Statement(connection, "SELECT count(*) FROM \(sql.scopes[0].from)\(plan.condition)")
      try reader.bind(sql.parameters, to: count)
      return try count.step() ? count.int64(at: 0) : 0
    } body: {
      try run(
        "UPDATE \(table) AS t0 SET Z_OPT = \(VersionCounter.next), \(assigned)\(plan.condition)", sql)
      outcome.updatedCount = Int(connection.changes)
    }
    return outcome
  }

  /// Makes indexes over the columns anew afterwards, where so many rows change that it costs less.
  /// - Parameter count: how many change; only asked where there are such indexes.
  private func withoutIndexes(
    _ table: String, _ columns: [AssignedColumn], count: () throws -> Int64, body: () throws -> Void
  ) throws {
    let indexes = try IndexList(connection, table: table, over: Set(columns.map(\.name)))
    if indexes.isEmpty { return try body() }
    let changing = try count()
    // From a quarter of the rows on.
    guard changing >= rebuildsFrom,
      try connection.integer("SELECT 1 FROM \(table) LIMIT 1 OFFSET \(4 * changing)") == nil
    else { return try body() }
    try indexes.drop()
    try body()
    try indexes.create()
  }

  /// For each demand a condition that holds where it is broken.
  /// - Parameters:
  ///   - values: the new values of the columns as SQL.
  ///   - row: what the table is called.
  private func conditions(_ columns: [AssignedColumn], _ values: [String], row: String, _ entity: Entity) -> [String] {
    func value(_ names: [String]) -> String {
      if let index = columns.firstIndex(where: { $0.assignment.names == names }) { return values[index] }
      return layout.column(for: names.joined(separator: "."), of: entity).map { "\(row).\($0.name)" } ?? "NULL"
    }
    return demands.map { demand in
      "(\(value(demand.names)) IS NULL AND coalesce(\(demand.others.map(value).joined(separator: ", ")), NULL) IS NOT NULL)"
    }
  }

  /// Checks the rows that may break a rule in memory.
  /// - Parameter select: gives key, entity, the new value of each column, and whether each demand is broken.
  private func check(_ columns: [AssignedColumn], _ entity: Entity, _ select: String, _ sql: FetchSQL? = nil) throws {
    let rows = try Statement(connection, select)
    if let sql { try reader.bind(sql.parameters, to: rows) }
    var problems: [ValidationError.Problem] = []
    while try rows.step(), problems.count < ValidationError.Problem.mostInBatch {
      let own = try writer.file.entity(numbered: rows.int64(at: 1))
      let id = writer.file.objectID(own, rows.int64(at: 0))
      for (index, column) in columns.enumerated() {
        let value = try column.read(rows, at: Int32(index + 2))
        problems += column.assignment.problems(of: value, objectID: id, entity: own)
      }
      for (index, demand) in demands.enumerated() where rows.int64(at: Int32(columns.count + index + 2)) != 0 {
        problems.append(demand.problem(of: id))
      }
    }
    if !problems.isEmpty { throw ValidationError(problems) }
  }

  private func uniqueColumns(of table: TableLayout) throws -> Set<String> {
    let list = try Statement(
      connection,
      "SELECT i.name FROM pragma_index_list(?1) AS l, pragma_index_info(l.name) AS i WHERE l.\"unique\"")
    try list.bind(1, table.name)
    var columns: Set<String> = []
    while try list.step() { columns.insert(list.string(at: 0) ?? "") }
    return columns
  }

  /// Names two objects that would have the same unique values.
  private func conflict(_ error: SQLiteError, _ columns: [AssignedColumn], _ table: TableLayout) throws -> any Error {
    let conflict = writer.file.constraintConflict(error.message)
    guard case .constraintConflict(let name, let properties, _) = conflict, let entity = layout.model[name] else {
      return conflict
    }
    let values = properties.compactMap { layout.propertyColumn($0, of: entity) }.map { column in
      columns.firstIndex { $0.name == column }.map { "CASE WHEN v.key IS NULL THEN t.\(column) ELSE v.v\($0) END" }
        ?? "t.\(column)"
    }
    if values.count != properties.count { return conflict }
    let rows = try Statement(
      connection,
      "SELECT min(t.Z_PK), max(t.Z_PK) FROM \(table.name) AS t LEFT JOIN temp.\(Self.values) AS v ON v.key = t.Z_PK "
        + "WHERE \(values.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")) "
        + "GROUP BY \(values.joined(separator: ", ")) HAVING count(*) > 1 ORDER BY 1 LIMIT 1")
    guard try rows.step() else { return conflict }
    return StoreError.constraintConflict(
      entity: name, constraint: properties,
      message: "\(name)/p\(rows.int64(at: 0)) and \(name)/p\(rows.int64(at: 1)) would")
  }

  // MARK: - By way of a temporary table

  private func makeValues(_ columns: [AssignedColumn]) throws {
    let names = columns.indices.map { "v\($0)" }.joined(separator: ", ")
    try connection.execute(
      "DROP TABLE IF EXISTS temp.\(Self.values); CREATE TEMP TABLE \(Self.values) (key INTEGER PRIMARY KEY, \(names))")
  }

  private func checkValues(_ columns: [AssignedColumn], _ entity: Entity) throws {
    let values = columns.indices.map { "v.v\($0)" }
    let broken = conditions(columns, values, row: "t", entity)
    let doubts = zip(columns, values).compactMap { $0.doubt(of: $1) } + broken
    if doubts.isEmpty { return }
    let names = (values + broken).joined(separator: ", ")
    try check(
      columns, entity,
      "SELECT v.key, t.Z_ENT, \(names) FROM temp.\(Self.values) AS v JOIN \(layout.table(for: entity).name) AS t "
        + "ON t.Z_PK = v.key WHERE \(doubts.joined(separator: " OR ")) ORDER BY v.key")
  }

  /// Computes the values in memory.
  private func evaluate(_ columns: [AssignedColumn], _ selection: FetchSpecification) throws {
    let parameters = columns.indices.map { ", ?\($0 + 2)" }.joined()
    let insert = try Statement(connection, "INSERT INTO temp.\(Self.values) VALUES (?1\(parameters))")
    var problems: [ValidationError.Problem] = []
    let decimals = columns.flatMap { $0.assignment.expression.decimals(of: selection.entity) }
    try reader.forEachSnapshot(of: selection) { snapshot, subject in
      let evaluator = ExpressionEvaluator(subject, now: now)
      let own = snapshot.objectID.entity
      for names in decimals {
        guard case .decimal(let number) = subject.value(at: names), number.isNaN else { continue }
        throw StoreError.damagedValue(
          path: reader.file.path,
          message:
            "\(own.name).\(names.joined(separator: ".")) of row \(writer.file.primaryKey(of: snapshot.objectID) ?? 0)"
            + "\(StoreError.storedForm)what is no Decimal")
      }
      var differs = false
      let key = writer.file.primaryKey(of: snapshot.objectID) ?? 0
      var values: [Value] = []
      var (failures, violations): ([ValidationError.Problem], [ValidationError.Problem]) = ([], [])
      for column in columns {
        let (fitting, failure, wrong) = column.assignment.value(by: evaluator, for: snapshot.objectID)
        if let failure {
          failures.append(failure)
          continue
        }
        violations += wrong
        values.append(fitting)
        let before = subject.value(at: column.assignment.names)
        if case .double = before {
          differs = differs || before != fitting
        } else {
          differs = differs || !before.isIdentical(to: fitting)
        }
      }
      if differs, failures.isEmpty, !demands.isEmpty {
        let new = Dictionary(zip(columns.map(\.assignment.names), values), uniquingKeysWith: { first, _ in first })
        violations += demands.filter { $0.isBroken { new[$0] ?? subject.value(at: $0) } }
          .map { $0.problem(of: snapshot.objectID) }
      }
      if problems.count < ValidationError.Problem.mostInBatch { problems += failures + (differs ? violations : []) }
      if !differs || !problems.isEmpty { return }
      try insert.bind(1, key)
      for (index, value) in values.enumerated() {
        try ValueCoding.bind(
          value, kind: columns[index].kind, to: insert, at: Int32(index + 2), externalData: writer.externalData,
          seed: RowBinder.seed(layout.number(of: own), key, index))
      }
      try insert.run()
    }
    if !problems.isEmpty { throw ValidationError(problems) }
  }

  /// Tells the history of every row which columns are about to change.
  private func record(_ columns: [AssignedColumn], _ table: TableLayout) throws {
    guard let history = writer.history else { return }
    let differing = columns.enumerated().map { "t.\($1.name) IS NOT v.v\($0)" }.joined(separator: ", ")
    let rows = try Statement(
      connection,
      "SELECT t.Z_PK, t.Z_ENT, \(differing) FROM temp.\(Self.values) AS v JOIN \(table.name) AS t ON t.Z_PK = v.key "
        + "ORDER BY t.Z_PK")
    while try rows.step() {
      let changed = columns.indices.filter { rows.int64(at: Int32($0 + 2)) != 0 }.map { columns[$0].name }
      try history.recordUpdate(entityNumber: Int(rows.int64(at: 1)), key: rows.int64(at: 0), columns: changed)
    }
  }

  private func writeValues(
    _ columns: [AssignedColumn], _ entity: Entity, isUnique: Bool, wantsObjectIDs: Bool
  ) throws -> BatchOutcome {
    let table = layout.table(for: entity)
    let keys = "SELECT key FROM temp.\(Self.values)"
    for column in columns where column.isExternal {
      try writer.externalData.ledger.noteFiles(
        in: column.name, of: table.name, where: "Z_PK IN (\(keys))", connection)
    }
    try record(columns, table)
    var outcome = BatchOutcome()
    try withoutIndexes(table.name, columns) {
      try connection.integer("SELECT count(*) FROM temp.\(Self.values)") ?? 0
    } body: {
      if isUnique {
        // Constraints hold for the final state only, because rows may exchange their values.
        try connection.execute(
          "UPDATE \(table.name) SET \(columns.map { "\($0.name) = NULL" }.joined(separator: ", ")) WHERE Z_PK IN (\(keys))"
        )
      }
      let assigned = columns.enumerated().map { "\($1.name) = v.v\($0)" }.joined(separator: ", ")
      do {
        try connection.execute(
          "UPDATE \(table.name) SET Z_OPT = \(VersionCounter.next), \(assigned) FROM temp.\(Self.values) AS v "
            + "WHERE \(table.name).Z_PK = v.key")
      } catch let error as SQLiteError where error.isUniqueViolation {
        throw try conflict(error, columns, table)
      }
      outcome.updatedCount = Int(connection.changes)
    }
    if wantsObjectIDs {
      let rows = try Statement(
        connection, "SELECT Z_PK, Z_ENT FROM \(table.name) WHERE Z_PK IN (\(keys)) ORDER BY Z_PK")
      while try rows.step() {
        outcome.updated.append(
          writer.file.objectID(try writer.file.entity(numbered: rows.int64(at: 1)), rows.int64(at: 0)))
      }
    }
    try connection.execute("DROP TABLE temp.\(Self.values)")
    return outcome
  }
}

extension FetchExpression {
  /// The paths of the object's own Decimals that are computed with.
  fileprivate func decimals(of entity: Entity) -> [[String]] {
    switch self {
    case .keyPath(let path):
      let isDecimal =
        entity.attribute(path[0]).map { StoredAttribute.leaves(of: $0) }?.contains {
          $0.names == path && $0.attribute.type == .decimal
        } ?? false
      return isDecimal ? [path] : []
    case .function(_, let operands): return operands.flatMap { $0.decimals(of: entity) }
    case .cast(let operand, _): return operand.decimals(of: entity)
    case .conditional(_, let first, let second): return first.decimals(of: entity) + second.decimals(of: entity)
    default: return []
    }
  }
}
