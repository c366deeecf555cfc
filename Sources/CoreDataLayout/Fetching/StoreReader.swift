import Foundation
public import ObjectModel
import Predicates
import SQLite
public import StoreInterface

/// Fetches from a store through one session. The store's own session sees the open transaction; a session that
/// `SQLiteStore.openReader` made sees the store as it was then.
///
/// May be used from any thread; one call at a time runs.
public final class StoreReader: MonitoredFetching, @unchecked Sendable {
  let session: StoreSession
  /// The SELECTs of requests for objects by shape.
  private var texts: [FetchShape.Key: String] = [:]
  /// Whether an index helps with a SELECT for the keys of rows with a value, by its text.
  var searches: [String: (schemaVersion: Int64, isIndexed: Bool)] = [:]
  /// Readers by the model index of the fetched entity.
  private var snapshotReaders: [Int: SnapshotReader] = [:]
  /// Follows the fetch that is running.
  private var monitor: FetchMonitor?

  init(_ session: StoreSession) throws {
    self.session = session
    try FetchFunctions.register(on: session.connection)
  }

  /// A reader that sees a part of the store as a store of its own. The functions that fetches use are there already.
  init(sharing session: StoreSession) { self.session = session }

  var file: StoreFile { session.file }

  /// The UUID of the store that it reads.
  public var identifier: String { file.identifier }
  /// The model that the store is read with.
  public var model: ManagedObjectModel { file.model }

  /// Lets go of the connection and of what it saw. Every call after that fails; closing again does nothing.
  public func close() throws { try session.perform { try session.close() } }

  /// The snapshots that a request selects, in its order. Values come as Core Data stored them.
  ///
  /// Parts of the predicate that SQL cannot express are evaluated in memory, for the rows that meet the rest.
  public func snapshots(_ request: FetchSpecification) throws -> [Snapshot] {
    try fetching(request) {
      let reader = reader(for: request.entity)
      let found = try run(request, selecting: reader.columns) { statement in try reader.snapshot(statement) }
      return try filter(found.results, request, found.residual, now: found.now)
    }
  }

  /// The snapshots that a request selects, packed.
  public func snapshotBlocks(_ request: FetchSpecification) throws -> [SnapshotBlock] {
    try fetching(request, checking: false) {
      let reader = reader(for: request.entity)
      if let rows = rowsByKey(request) {
        if let blocks = try reader.pageBlocks(session, of: rows) { return blocks }
        return try reader.blocks(statement(for: rows, reader.columns), of: rows)
      }
      let byValue = try readingByValue(request) { rows in
        // No condition on Z_ENT: the table has rows of this entity only, and another number is an error.
        let table = file.layout.table(for: rows.entity).name
        let statement = try session.cached(
          "SELECT \(reader.columns) FROM \(table) AS t0 WHERE t0.Z_PK BETWEEN ?1 AND ?2 ORDER BY t0.Z_PK")
        return try reader.blocks(statement, of: rows)
      }
      if let byValue { return byValue }
      if request.selectsWholeTable, let blocks = try reader.pageBlocks(session) { return blocks }
      var sql: FetchSQL?
      defer { forgetLists(sql?.lists ?? []) }
      let statement = try statement(for: request, selecting: reader.columns, &sql)
      defer { statement.reset() }
      let blocks = try reader.blocks(statement)
      guard let sql, !sql.residual.isEmpty else { return blocks }
      return [SnapshotBlock(try filter(blocks.flatMap(\.snapshots), request, sql.residual, now: sql.now))]
    }
  }

  /// The rows of a request for nothing but some ids of one entity, in the order of their keys; nil for any other
  /// request.
  private func rowsByKey(_ request: FetchSpecification) -> KeyedPositions? {
    guard case .selfIsIn(let ids) = request.predicate, ids.count > 1, request.sortDescriptors.isEmpty,
      request.fetchLimit <= 0, request.fetchOffset <= 0
    else { return nil }
    let known = KeyedPositions.list(of: ids, in: file)
    let lists = known.map { [$0] } ?? KeyedPositions.byEntity(ids.count, in: file) { ids[$0] }
    guard lists.count == 1, let list = lists.first else { return nil }
    let isSelected =
      request.includesSubentities ? list.entity.isKind(of: request.entity) : list.entity == request.entity
    return isSelected ? list : nil
  }

  private func statement(for rows: KeyedPositions, _ columns: String) throws -> Statement {
    let table = file.layout.table(for: rows.entity).name
    return try session.cached(
      "SELECT \(columns) FROM \(table) AS t0 WHERE t0.Z_PK BETWEEN ?1 AND ?2 "
        + "AND t0.Z_ENT = \(file.layout.number(of: rows.entity)) ORDER BY t0.Z_PK")
  }

  /// The ids of the objects that `snapshots` would return, in the same order.
  public func objectIDs(_ request: FetchSpecification) throws -> [ObjectID] {
    try fetching(request) {
      let found = try run(request, selecting: "t0.Z_PK, t0.Z_ENT") { statement in
        file.objectID(try file.entity(numbered: statement.int64(at: 1)), statement.int64(at: 0))
      }
      return found.residual.isEmpty ? found.results : try snapshots(request).map(\.objectID)
    }
  }

  /// The number of objects that a request selects, its limit and offset included.
  public func count(_ request: FetchSpecification) throws -> Int {
    try fetching(request) {
      var sql = FetchSQL(self, request.entity)
      defer { forgetLists(sql.lists) }
      let condition = try sql.condition(splitting: request)
      if !sql.residual.isEmpty { return try snapshots(request).count }
      let statement = try prepared(sql.count(condition, request), sql.parameters)
      defer { statement.reset() }
      return try statement.step() ? Int(statement.int64(at: 0)) : 0
    }
  }

  /// The SELECT that a request for objects becomes, with `?1` and so on for its values. Where a part of the predicate
  /// is evaluated in memory, it is not in the text.
  public func selectStatement(for request: FetchSpecification) throws -> String {
    try fetching(request) {
      var sql = FetchSQL(self, request.entity)
      defer { forgetLists(sql.lists) }
      return try sql.statement(request, selecting: reader(for: request.entity).columns)
    }
  }

  /// The reader of an entity's rows, made once.
  func reader(for entity: Entity) -> SnapshotReader {
    if let known = snapshotReaders[entity.index] { return known }
    let reader = SnapshotReader(session, entity: entity)
    snapshotReaders[entity.index] = reader
    return reader
  }

  func requireOwn(_ entity: Entity) throws {
    guard entity.model === file.model else { throw StoreError.failure("the entity belongs to another model") }
  }

  /// Checks a request and calls the body inside the session's lock.
  /// - Parameter checksKeyPaths: whether key paths are checked here; otherwise the body does it.
  func fetching<Result>(
    _ request: FetchSpecification, checking checksKeyPaths: Bool = true, _ body: () throws -> Result
  ) throws -> Result {
    try requireOwn(request.entity)
    return try session.perform {
      if checksKeyPaths { try request.checkKeyPaths() }
      return try body()
    }
  }

  /// Runs a request and makes something of each row. Where a part of the predicate is left over, these are the rows
  /// that meet the rest of it.
  private func run<Result>(
    _ request: FetchSpecification, selecting columns: String, _ body: (Statement) throws -> Result
  ) throws -> (results: [Result], residual: [FetchPredicate], now: Date) {
    var sql = FetchSQL(self, request.entity)
    defer { forgetLists(sql.lists) }
    let statement = try prepared(sql.statement(request, selecting: columns), sql.parameters)
    defer { statement.reset() }
    var results: [Result] = []
    let monitor = sql.residual.isEmpty ? monitor : nil
    while try statement.step() {
      results.append(try body(statement))
      try monitor?.found(results.count)
    }
    return (results, sql.residual, sql.now)
  }

  /// The statement of a request for the rows of `columns`, ready to be stepped.
  /// - Parameter sql: gets the translation of the predicate; nil when the request's shape was known.
  func statement(for request: FetchSpecification, selecting columns: String, _ sql: inout FetchSQL?) throws
    -> Statement
  {
    let shape = FetchShape(request, file)
    if let shape, let text = texts[shape.key] { return try prepared(text, shape.parameters) }
    try request.checkKeyPaths()
    var made = FetchSQL(self, request.entity)
    defer { sql = made }
    let text = try made.statement(request, selecting: columns)
    if let shape, made.residual.isEmpty, made.lists.isEmpty, shape.explains(made.parameters) {
      if texts.count >= 256 { texts.removeAll() }
      texts[shape.key] = text
    }
    return try prepared(text, made.parameters)
  }

  /// A statement with its parameters. When SQLite cannot use the index that the predicate names, it chooses one itself.
  func prepared(_ text: String, _ parameters: [Value]) throws -> Statement {
    let statement = try cachedWithHint(text)
    try bind(parameters, to: statement)
    return statement
  }

  func bind(_ parameters: [Value], to statement: Statement) throws {
    // A condition that became a constant does not use the values that were bound for it.
    for (index, value) in parameters.prefix(Int(statement.parameterCount)).enumerated() {
      try ValueCoding.bind(value, to: statement, at: Int32(index + 1))
    }
  }

  private func cachedWithHint(_ text: String) throws(SQLiteError) -> Statement {
    do {
      return try session.cached(text)
    } catch {
      guard error.code == .error, text.contains(FetchSQL.indexHintMark) else { throw error }
      return try session.cached(FetchSQL.withoutIndexHint(text))
    }
  }

  func forgetLists(_ lists: [String]) {
    for list in lists { try? session.connection.execute("DELETE FROM \(list)") }
  }

  /// The rows that are left after the residual part of the predicate, the offset and the limit.
  private func filter(
    _ found: [Snapshot], _ request: FetchSpecification, _ residual: [FetchPredicate], now: Date
  ) throws -> [Snapshot] {
    if residual.isEmpty { return found }
    let subjects = StoredObjects(self)
    let matcher = PredicateMatcher(.and(residual), now: now)
    var kept: [Snapshot] = []
    for snapshot in found {
      try monitor?.check()
      if try matcher.matches(subjects.subject(for: snapshot)) { kept.append(snapshot) }
      try subjects.throwError()
    }
    let rest = kept.dropFirst(max(request.fetchOffset, 0))
    return Array(request.fetchLimit > 0 ? rest.prefix(request.fetchLimit) : rest)
  }

  /// Puts a long list into a temporary table and returns the table's name.
  func fillList(_ tuples: [[Value]], width: Int, number: Int) throws -> String {
    let name = "temp.seedbed_list_\(width)_\(number)"
    let columns = (0..<width).map { "v\($0)" }.joined(separator: ", ")
    try session.connection.execute("CREATE TEMP TABLE IF NOT EXISTS seedbed_list_\(width)_\(number) (\(columns))")
    try session.connection.execute("DELETE FROM \(name)")
    // One transaction for all rows; inside an open one they join it.
    let isNested = session.connection.isInTransaction
    if !isNested { try session.connection.begin(.deferred) }
    let most = max(256 / width, 1)
    var start = 0
    while start < tuples.count {
      let count = tuples.count - start < most ? 1 : most
      let insert = try insertion(into: name, width: width, rows: count)
      var parameter: Int32 = 0
      for tuple in tuples[start..<start + count] {
        for value in tuple {
          parameter += 1
          try ValueCoding.bind(value, to: insert, at: parameter)
        }
      }
      try insert.run()
      start += count
    }
    if !isNested { try session.connection.commit() }
    return name
  }

  private func insertion(into list: String, width: Int, rows: Int) throws -> Statement {
    let values = (0..<rows).map { row in
      "(" + (0..<width).map { "?\(row * width + $0 + 1)" }.joined(separator: ", ") + ")"
    }
    return try session.cached("INSERT INTO \(list) VALUES \(values.joined(separator: ", "))")
  }

  // MARK: - Monitoring

  /// As `snapshots(_:)`, ended by SQLite itself when the monitor is cancelled. The lock is held all the while, so that
  /// no other statement of the connection can be meant.
  /// - Throws: `CancellationError` when the monitor was cancelled, otherwise what `snapshots(_:)` throws.
  public func snapshots(_ request: FetchSpecification, monitor: FetchMonitor) throws -> [Snapshot] {
    do {
      return try session.perform {
        try monitor.check()
        self.monitor = monitor
        defer { self.monitor = nil }
        return try session.connection.stopping(when: { monitor.isCancelled }) { try snapshots(request) }
      }
    } catch {
      try monitor.check()
      throw error
    }
  }
}
