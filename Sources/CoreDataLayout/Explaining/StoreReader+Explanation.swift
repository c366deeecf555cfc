public import Predicates
import SQLite
public import StoreInterface

extension StoreReader {
  /// How the objects of a request would be found; see `FetchExplaining`.
  func explanation(of request: FetchSpecification) throws -> FetchExplanation {
    switch request.resultType {
    case .objects: try explanation(ofObjects: request)
    case .objectIDs: try explanation(ofIDs: request)
    case .dictionaries: try explanation(ofRows: request)
    case .count: try explanation(ofCount: request)
    }
  }

  private func explanation(ofIDs request: FetchSpecification) throws -> FetchExplanation {
    try fetching(request) {
      var sql = FetchSQL(self, request.entity)
      defer { forgetLists(sql.lists) }
      let statement = try prepared(sql.statement(request, selecting: "t0.Z_PK, t0.Z_ENT"), sql.parameters)
      defer { statement.reset() }
      // When a part of the request is evaluated in memory, the objects are fetched first.
      if sql.residual.isEmpty { return try explanation(of: statement) }
      return try explanation(ofObjects: request)
    }
  }

  private func explanation(ofObjects request: FetchSpecification) throws -> FetchExplanation {
    try fetching(request) {
      var sql: FetchSQL?
      defer { forgetLists(sql?.lists ?? []) }
      let columns = SnapshotReader(session, entity: request.entity).columns
      let statement = try self.statement(for: request, selecting: columns, &sql)
      defer { statement.reset() }
      return try explanation(of: statement, residual: sql?.residual ?? [])
    }
  }

  /// How an export of the objects reads the values at key paths.
  func explanation(of request: FetchSpecification, scanning keyPaths: [FetchPredicate.KeyPath]) throws
    -> FetchExplanation
  {
    try fetching(request) {
      var sql = FetchSQL(self, request.entity)
      defer { forgetLists(sql.lists) }
      let plan = try ColumnScanPlan(self, request.entity, keyPaths, &sql)
      let statement = try prepared(sql.statement(request, selecting: plan.selected), sql.parameters)
      defer { statement.reset() }
      // When a part of the predicate is evaluated in memory, the objects are fetched first.
      return try sql.residual.isEmpty ? explanation(of: statement) : explanation(ofObjects: request)
    }
  }

  private func explanation(ofRows request: FetchSpecification) throws -> FetchExplanation {
    do {
      return try fetching(request, checking: false) {
        try request.checkRows()
        var sql = FetchSQL(self, request.entity)
        defer { forgetLists(sql.lists) }
        let statement = try prepared(RowStatement(request, &sql).text, sql.parameters)
        defer { statement.reset() }
        return try explanation(of: statement)
      }
    } catch is FetchSQL.Untranslatable {
      // The rows are computed from the objects that meet the SQL part of the predicate.
      var objects = FetchSpecification(request.entity)
      objects.predicate = request.predicate
      objects.includesSubentities = request.includesSubentities
      return try explanation(of: objects)
    }
  }

  private func explanation(ofCount request: FetchSpecification) throws -> FetchExplanation {
    try fetching(request) {
      var sql = FetchSQL(self, request.entity)
      defer { forgetLists(sql.lists) }
      let condition = try sql.condition(splitting: request)
      if !sql.residual.isEmpty { return try explanation(ofObjects: request) }
      let statement = try prepared(sql.count(condition, request), sql.parameters)
      defer { statement.reset() }
      return try explanation(of: statement)
    }
  }

  /// How a statement with bound values runs.
  func explanation(of statement: Statement, residual: [FetchPredicate] = []) throws -> FetchExplanation {
    let plan = try QueryPlan(session.connection, statement.sql)
    return FetchExplanation(
      statement: statement.sql, boundStatement: statement.expandedSQL ?? statement.sql, plan: plan.texts,
      scansTable: plan.lines.contains(where: \.isTableScan),
      usesTemporaryTree: plan.lines.contains(where: \.usesTemporaryTree),
      predicateInMemory: residual.isEmpty ? nil : residual.count == 1 ? residual[0] : .and(residual))
  }
}

extension SQLiteStore: FetchExplaining {
  /// The SELECT that a request becomes, for objects, ids, dictionaries or a count as its `resultType` says, and
  /// SQLite's plan for it.
  public func explanation(of request: FetchSpecification) throws -> FetchExplanation {
    try reading { try $0.explanation(of: request) }
  }

  /// The SELECT by which an export of the objects reads the values at key paths (`scan`), and SQLite's plan for it.
  public func explanation(of request: FetchSpecification, scanning keyPaths: [FetchPredicate.KeyPath]) throws
    -> FetchExplanation
  {
    try reading { try $0.explanation(of: request, scanning: keyPaths) }
  }
}
