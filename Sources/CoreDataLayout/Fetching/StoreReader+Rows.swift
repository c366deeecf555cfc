import Foundation
import ObjectModel
import Predicates
import SQLite
public import StoreInterface

extension StoreReader {
  /// The rows of a request for dictionaries, straight from the statement where SQL can say all of it.
  public func rows(_ request: FetchSpecification) throws -> FetchedRows {
    try fetchingRows(request) {
      if request.selectsKeysOfTable, let column = request.fetchedColumns.first,
        let keys = try reader(for: request.entity).pageKeys(session, column: column.name)
      {
        return keys
      }
      var sql = FetchSQL(self, request.entity)
      defer { forgetLists(sql.lists) }
      do {
        let plan = try RowStatement(request, &sql)
        let statement = try prepared(plan.text, sql.parameters)
        defer { statement.reset() }
        return try plan.read(statement, self)
      } catch is FetchSQL.Untranslatable {
        return try computedRows(request)
      } catch let error as SQLiteError where error.message == "integer overflow" {
        // `sum` of SQLite gives up where the sum becomes a double.
        return try computedRows(request)
      }
    }
  }

  private func fetchingRows<Result>(_ request: FetchSpecification, _ body: () throws -> Result) throws -> Result {
    try requireOwn(request.entity)
    return try session.perform {
      try request.checkRows()
      return try body()
    }
  }

  /// Computes the rows in memory, from the objects that meet the predicate.
  private func computedRows(_ request: FetchSpecification) throws -> FetchedRows {
    var objects = FetchSpecification(request.entity)
    objects.predicate = request.predicate
    objects.includesSubentities = request.includesSubentities
    let subjects = StoredObjects(self)
    let found = try snapshots(objects).map { subjects.subject(for: $0) }
    let rows = try DictionaryRows.compute(request, of: found, storeIdentifier: file.identifier, model: file.model)
    try subjects.throwError()
    return rows
  }
}

extension FetchSpecification {
  /// Whether it asks for all objects of a table and nothing else of them.
  fileprivate var selectsKeysOfTable: Bool {
    selectsWholeTable && !returnsDistinctResults && !isGrouped && resolvedHavingPredicate == nil
      && fetchedColumns.map(\.expression) == [.selfObject]
  }
}

/// A SELECT for dictionaries and how its columns are read.
struct RowStatement {
  /// How one fetched column is read.
  private struct Column {
    var kind: FetchSQL.Kind
    /// The attribute, where a cell takes more than a copy.
    var attribute: AttributeDefinition?
    /// Of objects: the statement's column with the entity number, where sub-entities exist.
    var entityColumn: Int32?
  }

  let text: String
  private let names: [String]
  private let columns: [Column]

  init(_ request: FetchSpecification, _ sql: inout FetchSQL) throws {
    let fetched = request.fetchedColumns
    names = fetched.map(\.name)
    let condition = try sql.condition(splitting: request)
    if !sql.residual.isEmpty { throw FetchSQL.Untranslatable() }
    sql.isGrouped = request.isGrouped
    var selected: [String] = []
    var cells: [String] = []
    var extra: [String] = []
    var columns: [Column] = []
    for description in fetched {
      let (text, column) = try Self.column(
        description.expression, &sql, isCompared: request.returnsDistinctResults || request.isGrouped)
      cells.append(text)
      var placed = column
      if let entity = try Self.entityNumber(description.expression, column.kind, &sql) {
        placed.entityColumn = Int32(fetched.count + extra.count)
        extra.append(entity)
      }
      columns.append(placed)
    }
    selected = cells + extra
    self.columns = columns
    var text = "SELECT \(request.returnsDistinctResults ? "DISTINCT " : "")\(selected.joined(separator: ", "))"
    let keys = try request.groupExpressions.map { expression in
      let key = try sql.scalar(expression)
      try key.requireComparable()
      return sql.text(key)
    }
    let having = try request.resolvedHavingPredicate.map { try sql.condition($0, isNegated: false) }
    var order = try sql.order(request.sortExpressions)
    if request.returnsDistinctResults {
      order += cells
    } else {
      order += request.isGrouped ? keys : ["t0.Z_PK"]
    }
    sql.applyIndexHints()
    text += sql.tail(condition, request)
    if !keys.isEmpty { text += " GROUP BY " + keys.joined(separator: ", ") }
    if let having {
      // Without group keys there is one group, which HAVING alone would not make out of no rows.
      if keys.isEmpty && !request.isGrouped { throw FetchSQL.Untranslatable() }
      text += " HAVING \(having)"
    }
    if !order.isEmpty { text += " ORDER BY " + order.joined(separator: ", ") }
    self.text = text + FetchSQL.window(request)
  }

  private static func column(
    _ expression: FetchExpression, _ sql: inout FetchSQL, isCompared: Bool
  ) throws -> (text: String, column: Column) {
    if case .keyPath(let path) = expression, let attribute = sql.externalAttribute(path) {
      // Equal values may lie in different files.
      if isCompared { throw FetchSQL.Untranslatable() }
      return (attribute.sql, Column(kind: .bytes(.data), attribute: attribute.attribute))
    }
    let scalar = try sql.scalar(expression)
    return (sql.text(scalar), Column(kind: scalar.kind))
  }

  /// Where an object's own entity stands; nil when its kind says it.
  private static func entityNumber(
    _ expression: FetchExpression, _ kind: FetchSQL.Kind, _ sql: inout FetchSQL
  ) throws -> String? {
    guard case .object(let entity) = kind, !entity.subentities.isEmpty else { return nil }
    let scalar = try sql.scalar(expression)
    guard let place = scalar.place else { throw FetchSQL.Untranslatable() }
    if let step = scalar.step, let relationship = place.entity.relationship(step),
      let column = sql.layout.entityColumn(of: relationship)
    {
      return "\(try sql.alias(place).alias).\(column.name)"
    }
    return "\(try sql.alias(place, scalar.step.map { [$0] } ?? []).alias).Z_ENT"
  }

  /// How a cell is read; it holds no references, so that copies cost nothing.
  private enum Form {
    case integer, boolean, real, date, decimal, computed, string, uri, uuid, data, externalData, object, missing
  }

  private struct Cell {
    var form: Form
    var entityIndex: Int
    /// Negative where the kind says the entity.
    var entityColumn: Int32
  }

  private static func cell(_ column: Column) -> Cell {
    var cell = Cell(form: .missing, entityIndex: 0, entityColumn: column.entityColumn ?? -1)
    switch column.kind {
    case .number(.integer): cell.form = .integer
    case .number(.boolean): cell.form = .boolean
    case .number(.real): cell.form = .real
    case .number(.date): cell.form = .date
    case .number(.decimal): cell.form = .decimal
    case .number(.computed): cell.form = .computed
    case .text(.string): cell.form = .string
    case .text(.uri): cell.form = .uri
    case .bytes(.uuid): cell.form = .uuid
    case .bytes(.data): cell.form = column.attribute == nil ? .data : .externalData
    case .object(let entity):
      cell.form = .object
      cell.entityIndex = entity.index
    case .nothing: break
    }
    return cell
  }

  func read(_ statement: Statement, _ reader: StoreReader) throws -> FetchedRows {
    var builder = FetchedRows.Builder(
      columns: names, storeIdentifier: reader.file.identifier, model: reader.file.model)
    let cells = columns.map { Self.cell($0) }
    while try statement.step() {
      for index in 0..<cells.count {
        let position = Int32(truncatingIfNeeded: index)
        if statement.isNull(at: position) {
          builder.appendMissing()
        } else {
          try Self.read(cells[index], statement, position, reader, &builder)
        }
      }
    }
    return builder.finish()
  }

  @inline(__always)
  private static func read(
    _ cell: Cell, _ statement: Statement, _ position: Int32, _ reader: StoreReader,
    _ builder: inout FetchedRows.Builder
  ) throws {
    // Safety: the builder copies the bytes before the statement is asked for another column.
    switch cell.form {
    case .integer: builder.append(statement.int64(at: position))
    case .boolean: builder.append(Int64(statement.int64(at: position) != 0 ? 1 : 0), kind: .boolean)
    case .real: builder.append(statement.double(at: position))
    case .date: builder.append(statement.double(at: position), kind: .date)
    case .decimal:
      var text = ValueCoding.decimalText(statement, position)
      text.withUTF8 { unsafe builder.append(UnsafeRawBufferPointer($0), kind: .decimal) }
    case .computed:
      if statement.type(at: position) == .integer {
        builder.append(statement.int64(at: position))
      } else {
        builder.append(statement.double(at: position))
      }
    case .string: unsafe builder.append(statement.rawBytes(at: position), kind: .string)
    case .uri: unsafe builder.append(statement.rawBytes(at: position), kind: .uri)
    case .uuid: unsafe builder.append(statement.rawBytes(at: position), kind: .uuid)
    case .data: unsafe builder.append(statement.rawBytes(at: position), kind: .data)
    case .externalData:
      let decoded = unsafe try reader.session.externalData.decode(
        statement.rawBytes(at: position), storePath: reader.file.path)
      unsafe decoded.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in unsafe builder.append(bytes, kind: .data) }
    case .object:
      var index = cell.entityIndex
      if cell.entityColumn >= 0 {
        index = try reader.file.entity(numbered: statement.int64(at: cell.entityColumn)).index
      }
      builder.append(objectWithKey: statement.int64(at: position), entityIndex: index)
    case .missing: builder.appendMissing()
    }
  }
}
