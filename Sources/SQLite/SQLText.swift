/// Names and texts as they stand in SQL.
package enum SQLText {
  /// The name of a table, a column or an index, in double quotes.
  package static func identifier(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

  /// A text as a literal, in single quotes. It must not contain U+0000.
  package static func literal(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }
}
