import Foundation
import ObjectModel
import Predicates
import SQLite
import StoreInterface

extension StoreReader {
  /// Adds the keys of the rows that a request selects to a set. Parts of the predicate that SQL cannot express are
  /// evaluated row by row.
  func select(_ request: FetchSpecification, into keys: inout KeySet) throws {
    try fetching(request) {
      if isForAll(request) { return keys.insertAll() }
      var sql = FetchSQL(self, request.entity)
      defer { forgetLists(sql.lists) }
      let text = try sql.statement(request, selecting: "t0.Z_PK")
      if sql.residual.isEmpty {
        let statement = try prepared(keys.insert + text, sql.parameters)
        try statement.run()
        keys.note(session.connection.changes)
        return
      }
      let insert = try session.cached(keys.insert + "VALUES (?1)")
      try forEachSnapshot(of: request) { snapshot, _ in
        try keys.add(file.primaryKey(of: snapshot.objectID) ?? 0, with: insert)
      }
    }
  }

  /// Whether a request selects every row of its table.
  private func isForAll(_ request: FetchSpecification) -> Bool {
    request.fetchLimit <= 0 && request.fetchOffset <= 0 && request.entity.superentity == nil
      && (request.includesSubentities || request.entity.subentities.isEmpty)
      && request.predicate.compacted(for: request.entity, now: Date()) == .all
  }

  /// Walks the rows that a request selects, in its order, with one of them in memory at a time.
  /// - Parameter body: gets the row as it was, and as a predicate or expression sees it.
  func forEachSnapshot(of request: FetchSpecification, _ body: (Snapshot, StoredObject) throws -> Void) throws {
    var sql = FetchSQL(self, request.entity)
    defer { forgetLists(sql.lists) }
    let rows = SnapshotReader(session, entity: request.entity)
    // Not from the cache, because the evaluation may run the same statement.
    let statement = try Statement(session.connection, sql.statement(request, selecting: rows.columns))
    try bind(sql.parameters, to: statement)
    let matcher = PredicateMatcher(.and(sql.residual), now: sql.now)
    var subjects = StoredObjects(self)
    var (seen, found) = (0, 0)
    while try statement.step() {
      seen += 1
      // Rows that were read for the evaluation are not needed for long.
      if seen % 1_024 == 0 { subjects = StoredObjects(self) }
      let snapshot = try rows.snapshot(statement)
      let subject = subjects.subject(for: snapshot)
      if !sql.residual.isEmpty {
        let isMatch = try matcher.matches(subject)
        try subjects.throwError()
        guard isMatch else { continue }
        found += 1
        if found <= request.fetchOffset { continue }
      }
      try body(snapshot, subject)
      try subjects.throwError()
      if !sql.residual.isEmpty, request.fetchLimit > 0, found - max(request.fetchOffset, 0) == request.fetchLimit {
        return
      }
    }
  }
}
