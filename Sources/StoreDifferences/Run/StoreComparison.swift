import CoreDataLayout
import Foundation
public import ObjectModel
import SQLite
import StoreInterface

/// Compares two stores object by object, whatever primary keys the objects have in them.
///
/// Objects are identified by key (`ComparisonOptions.keys`), and relationships by the key of where they lead. Memory
/// does not grow with the stores: what may differ is listed in temporary tables on disk, and objects are read page by
/// page.
public struct StoreComparison {
  private let leftPath: String
  private let rightPath: String
  private let leftModel: ManagedObjectModel
  private let rightModel: ManagedObjectModel
  private let options: ComparisonOptions

  /// A comparison of the store at `leftPath` with what it became at `rightPath`. Each is read with a model of its own.
  public init(
    leftPath: String, _ leftModel: ManagedObjectModel, rightPath: String, _ rightModel: ManagedObjectModel,
    options: ComparisonOptions = ComparisonOptions()
  ) {
    self.leftPath = leftPath
    self.leftModel = leftModel
    self.rightPath = rightPath
    self.rightModel = rightModel
    self.options = options
  }

  /// Compares, and tells each difference: entity by entity in the order of their names.
  /// - Throws: `RunError` for options that do not fit the models or for keys that several objects have, `StoreError`
  ///   when a store cannot be read, and what the body throws.
  public func run(_ body: (ObjectDifference) throws -> Void) throws -> ComparisonSummary {
    let plan = try ComparisonPlan(leftModel, rightModel, options)
    let left = try ComparedFile(leftPath, model: leftModel)
    let right = try ComparedFile(rightPath, model: rightModel)
    let summary = Result { try compare(left, right, plan, body) }
    // What went wrong may be another program's doing.
    try left.requireUnchanged()
    try right.requireUnchanged()
    return try summary.get()
  }

  private func compare(
    _ left: ComparedFile, _ right: ComparedFile, _ plan: ComparisonPlan, _ body: (ObjectDifference) throws -> Void
  ) throws -> ComparisonSummary {
    var summary = ComparisonSummary()
    summary.modelDifferences = plan.notes
    summary.entities = plan.entities.filter { $0.isReported && !$0.left.isAbstract }.map {
      .init(entity: $0.name, key: $0.key)
    }
    if plan.notes.isEmpty, try ComparedFile.areSame(leftPath, rightPath) {
      summary.isSameFile = true
      return summary
    }
    do {
      let tables = MatchTables(try Self.connect(left.tablesPath, right.tablesPath))
      let entities = plan.entities.filter { !$0.left.isAbstract && !$0.right.isAbstract }
      let leftLayout = ComparedLayout(layout: left.store.layout, schema: "main")
      let rightLayout = ComparedLayout(layout: right.store.layout, schema: "other")
      try RowMatcher(
        tables: tables, left: leftLayout, right: rightLayout, entities: entities,
        differentRows: DifferentRows(
          tables, left: leftLayout, leftPath: left.tablesPath, right: rightLayout, rightPath: right.tablesPath)
      ).match()
      let reader = DifferenceReader(
        tables, left.store, right.store, layouts: (leftLayout, rightLayout), plan.entities)
      for entity in entities where entity.isReported {
        guard let place = summary.entities.firstIndex(where: { $0.entity == entity.name }) else { continue }
        try reader.read(entity) { difference in
          switch difference.change {
          case .inserted: summary.entities[place].inserted += 1
          case .updated: summary.entities[place].updated += 1
          case .deleted: summary.entities[place].deleted += 1
          }
          try body(difference)
        }
      }
    } catch let error as SQLiteError {
      let paths = Self.damaged([(leftPath, left.tablesPath), (rightPath, right.tablesPath)]).joined(separator: ", ")
      let message = "the stores cannot be compared: \(error.message)"
      // A text in a foreign key is no primary key.
      let isOfData = [.corrupt, .notADatabase].contains(error.code) || error.message == "datatype mismatch"
      if isOfData { throw StoreError.notAStore(path: paths, message: message) }
      throw StoreError.inputOutput(path: paths, message: message, code: error.extendedCode)
    }
    return summary
  }

  /// Those of the files that are damaged; all where none is found to be.
  private static func damaged(_ files: [(name: String, tablesPath: String)]) -> [String] {
    let found = files.filter { file in
      let answer = Result {
        // As in the comparison, so that no log comes to lie beside the file.
        let connection = try Connection(path: file.tablesPath, options: .init(isReadOnly: true, isImmutable: true))
        return try connection.string("PRAGMA quick_check(1)")
      }
      return (try? answer.get()) != "ok"
    }
    return (found.isEmpty ? files : found).map(\.name)
  }

  /// One connection to both files, the second as `other`, for reading. What it writes is in temporary files.
  private static func connect(_ path: String, _ other: String) throws -> Connection {
    let connection = try Connection(path: path, options: .init(isReadOnly: true, isImmutable: true))
    try connection.logStatements()
    let cache = "cache_size = -\(ComparedFile.cacheKibibytes)"
    try connection.execute("PRAGMA temp_store = FILE; PRAGMA \(cache)")
    let statement = try Statement(connection, "ATTACH ?1 AS other")
    let allowed = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/.-_")
    let encoded = other.addingPercentEncoding(withAllowedCharacters: allowed) ?? other
    try statement.bind(1, "file:\(encoded)?immutable=1")
    try statement.run()
    try connection.execute("PRAGMA other.\(cache)")
    return connection
  }
}
