package import SQLite
package import SQLitePages
import StoreInterface

extension IndexShape {
  /// The indexes that a table has in a file.
  /// - Throws: `StoreError.failure` for one whose keys are no plain columns.
  package static func all(of table: String, in connection: Connection) throws -> [IndexShape] {
    var shapes: [IndexShape] = []
    let list = try Statement(
      connection,
      """
      SELECT l.name, l."unique", s.rootpage FROM pragma_index_list(?1) AS l
      JOIN sqlite_schema AS s ON s.type = 'index' AND s.name = l.name ORDER BY s.rootpage
      """)
    try list.bind(1, table)
    let columns = try Statement(
      connection, "SELECT cid, \"desc\", coll, name FROM pragma_index_xinfo(?1) WHERE key = 1 ORDER BY seqno")
    while try list.step() {
      let name = list.string(at: 0) ?? ""
      var shape = IndexShape(
        name: name, root: UInt32(list.int64(at: 2)), columns: [], isUnique: list.int64(at: 1) == 1)
      try columns.bind(1, name)
      while try columns.step() {
        let position = Int(columns.int64(at: 0))
        guard position >= -1, columns.string(at: 2) == "BINARY" else {
          throw StoreError.failure("the index \(name) has a key that is no plain column")
        }
        // The primary key is the row id: the record has null in its place.
        let isRowID = position < 0 || columns.string(at: 3) == "Z_PK"
        shape.columns.append(
          IndexShape.Column(field: isRowID ? nil : position, isDescending: columns.int64(at: 1) == 1))
      }
      columns.reset()
      shapes.append(shape)
    }
    return shapes
  }
}
