public import ObjectModel
public import Predicates
import SQLite
public import StoreInterface

/// Explanations of look-ups that are not fetches: the rows that imports and exports look for.
extension SQLiteStore {
  /// How `primaryKeys(matching:keyColumns:)` finds the rows with the values of a record.
  /// - Parameters:
  ///   - columns: the key.
  ///   - example: a value for each column, as the store has it.
  public func explanation(
    ofKeyLookupBy columns: [RowBatch.Column], in entity: Entity, example: [Value]
  ) throws -> FetchExplanation {
    try reading { reader in
      let plan = try RowPlan(RowPlan.Key(entity: entity, columns: columns), layout: reader.file.layout)
      let names = columns.indices.compactMap { column in plan.cells.first { $0.source == column }?.name }
      return try reader.explanation(ofText: RowFinder.text(plan, columns: names, reader.file.layout), example)
    }
  }

  /// How the members of a to-many relationship of one object are found; nil for a relationship without rows of its own.
  public func explanation(ofMembers relationship: Relationship) throws -> FetchExplanation? {
    try reading { reader in
      try reader.memberText(of: relationship).map { try reader.explanation(ofText: $0, [.integer(1)]) }
    }
  }

  /// How all rows of an entity are read, for some columns.
  public func explanation(ofScan columns: [RowBatch.Column], of entity: Entity) throws -> FetchExplanation {
    try reading { try $0.explanation(ofText: $0.scanText(of: entity, columns: columns), []) }
  }

  /// How an export reads key paths of the objects that a request selects.
  /// - Parameter isInTransaction: whether it does so while a transaction is open.
  /// - Returns: nil where it reads the pages of the table from the first row to the last, without a statement.
  public func explanation(
    ofScan request: FetchSpecification, keyPaths: [FetchPredicate.KeyPath], isInTransaction: Bool
  ) throws -> FetchExplanation? {
    try reading {
      try $0.explanation(ofScan: request, keyPaths: keyPaths, isInTransaction: isInTransaction)
    }
  }
}

extension StoreReader {
  fileprivate func explanation(ofText text: String, _ parameters: [Value]) throws -> FetchExplanation {
    try session.perform {
      let statement = try prepared(text, parameters)
      defer { statement.reset() }
      return try explanation(of: statement)
    }
  }

  fileprivate func explanation(
    ofScan request: FetchSpecification, keyPaths: [FetchPredicate.KeyPath], isInTransaction: Bool
  ) throws -> FetchExplanation? {
    try fetching(request) {
      var sql = FetchSQL(self, request.entity)
      defer { forgetLists(sql.lists) }
      let plan = try ColumnScanPlan(self, request.entity, keyPaths, &sql)
      let text = try sql.statement(request, selecting: plan.selected)
      if !isInTransaction, sql.residual.isEmpty, request.selectsWholeTable, sql.scopes[0].joins.isEmpty,
        try PageExportReader.reads(session, plan, file.layout.table(for: request.entity))
      {
        return nil
      }
      let statement = try prepared(text, sql.parameters)
      defer { statement.reset() }
      return try explanation(of: statement, residual: sql.residual)
    }
  }
}
