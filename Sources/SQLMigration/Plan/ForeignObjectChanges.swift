/// The effects of a migration on objects that do not follow from a model.
package struct ForeignObjectChanges: Sendable, Hashable {
  /// Triggers on the store's tables, such as `audit on ZNOTE`.
  package var droppedTriggers: [String] = []
  /// Indexes, such as `recent on ZNOTE`, some of whose columns changed.
  package var droppedIndexes: [String] = []
  /// Columns of tables that are written anew, such as `ZNOTE.MINE`.
  package var droppedColumns: [String] = []
  /// Rows of no entity in tables that are written anew or go, such as `2 rows of ZNOTE`.
  package var droppedRows: [String] = []
  /// Views and triggers that stay and do not work any more, each with SQLite's reason, such as
  /// `view recent, which stays and does not work any more: no such column: ZTEXT`.
  package var brokenViews: [String] = []
  /// Indexes that stay, or are made again.
  var keptIndexes: [ForeignIndex] = []
  /// Views and triggers on other tables, in the order in which they were made.
  var views: [ForeignView] = []

  package init() {}

  /// A line for each, as a plan tells it.
  package var lostTexts: [String] {
    func lost(_ kind: String, _ list: [String]) -> [String] {
      list.map { "the \(kind) \($0), which does not belong to the model" }
    }
    return lost("trigger", droppedTriggers) + lost("index", droppedIndexes) + lost("column", droppedColumns) + rowTexts
      + brokenViews.map { "the \($0)" }
  }

  /// The lines of `lostTexts` that are about rows.
  var rowTexts: [String] { droppedRows.map { "\($0) without an entity of that table" } }

  /// Notes rows that go, by table.
  mutating func drop(_ rows: [String: Int]) {
    droppedRows = rows.sorted { $0.key < $1.key }.map { "\($1) \($1 == 1 ? "row" : "rows") of \($0)" }
  }
}
