import Predicates
import SQLite
public import StoreInterface

extension StoreReader {
  /// How the objects that a request selects would be found; see `FetchExplaining`.
  func explanation(of request: FetchSpecification) throws -> FetchExplanation {
    try fetching(request) {
      var sql: FetchSQL?
      defer { forgetLists(sql?.lists ?? []) }
      let columns = SnapshotReader(session, entity: request.entity).columns
      let statement = try self.statement(for: request, selecting: columns, &sql)
      defer { statement.reset() }
      let plan = try QueryPlan(session.connection, statement.sql)
      let residual = sql?.residual ?? []
      return FetchExplanation(
        statement: statement.sql, boundStatement: statement.expandedSQL ?? statement.sql, plan: plan.texts,
        scansTable: plan.lines.contains(where: \.isTableScan),
        usesTemporaryTree: plan.lines.contains(where: \.usesTemporaryTree),
        predicateInMemory: residual.isEmpty ? nil : residual.count == 1 ? residual[0] : .and(residual))
    }
  }
}

extension SQLiteStore: FetchExplaining {
  /// The SELECT that a request for objects becomes, and SQLite's plan for it.
  public func explanation(of request: FetchSpecification) throws -> FetchExplanation {
    try reading { try $0.explanation(of: request) }
  }
}
