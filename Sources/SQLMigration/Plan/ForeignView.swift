import SQLite

/// A view, or a trigger on a table that does not belong to the layout, that no model explains.
struct ForeignView: Sendable, Hashable {
  /// `view` or `trigger`.
  let type: String
  let name: String
  /// The table whose changes run a trigger.
  let table: String
  let statement: String

  var text: String { "\(type) \(name)" }

  /// Makes it in a file that it was taken out of. A forged file may have anything in the place of its statement, or
  /// behind it.
  func make(in connection: Connection) throws {
    let words = statement.split(maxSplits: 2) { $0.isWhitespace }.prefix(2).map { $0.uppercased() }
    guard words == ["CREATE", type.uppercased()] else { return }
    try Statement(connection, statement).run()
  }
}
