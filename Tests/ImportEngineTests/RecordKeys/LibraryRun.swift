import Foundation
import SQLite
import TestQueries
import TestSupport

@testable import ImportEngine
@testable import Pipelines
@testable import Reports

/// A folder with a library's model, in which pipelines run in this process.
struct LibraryRun {
  let folder: TemporaryFolder

  /// People, their books (paper and electronic ones), and shelves; no attribute holds an identifier.
  private static let xml = """
    <model type="com.apple.IDECoreDataModeler.DataModel">
      <entity name="Person">
        <attribute name="name" attributeType="String"/>
        <relationship name="books" optional="YES" toMany="YES" destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
        <relationship name="desk" optional="YES" maxCount="1" destinationEntity="Desk" inverseName="person" inverseEntity="Desk"/>
      </entity>
      <entity name="Desk">
        <attribute name="place" optional="YES" attributeType="String"/>
        <relationship name="person" optional="YES" maxCount="1" destinationEntity="Person" inverseName="desk" inverseEntity="Person"/>
      </entity>
      <entity name="Book">
        <attribute name="title" attributeType="String"/>
        <attribute name="pages" optional="YES" attributeType="Integer 16" minValueString="1"/>
        <relationship name="author" optional="YES" maxCount="1" destinationEntity="Person" inverseName="books" inverseEntity="Person"/>
        <relationship name="shelves" optional="YES" toMany="YES" ordered="YES" destinationEntity="Shelf" inverseName="books" inverseEntity="Shelf"/>
      </entity>
      <entity name="Ebook" parentEntity="Book">
        <attribute name="format" optional="YES" attributeType="String"/>
      </entity>
      <entity name="Shelf">
        <attribute name="name" optional="YES" attributeType="String"/>
        <relationship name="books" optional="YES" toMany="YES" ordered="YES" destinationEntity="Book" inverseName="shelves" inverseEntity="Book"/>
        <relationship name="best" optional="YES" maxCount="1" destinationEntity="Book"/>
      </entity>
    </model>
    """

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(Self.xml, to: "Library.xcdatamodel/contents")
  }

  func write(_ name: String, _ lines: String...) throws {
    try folder.write(lines.map { $0 + "\n" }.joined(), to: name)
  }

  func read(_ steps: String, isNew: Bool = true, rejects: Int = 0) throws -> PipelineFile {
    let yaml = """
      model: Library.xcdatamodel
      store: { path: Library.sqlite, replace: \(isNew ? "always" : "never") }
      import:
      \(steps)
      rejects: { limit: \(rejects) }
      """
    try folder.write(yaml, to: "p.yaml")
    return try PipelineReader.read(path: folder.path("p.yaml"), environment: [:])
  }

  /// Runs steps into `Library.sqlite`.
  @discardableResult
  func run(
    _ steps: String, isNew: Bool = true, rejects: Int = 0, recordsPerBatch: Int = 8192
  ) throws -> RunReport {
    var options = PipelineRun.Options.ofTests
    options.recordsPerBatch = recordsPerBatch
    return try PipelineRun(try read(steps, isNew: isNew, rejects: rejects), options: options).run()
  }

  /// The rows of a query, each as its columns' texts joined by `|`; null is `∅`.
  func query(_ sql: String) throws -> [String] { try Connection.rows(at: folder.path("Library.sqlite"), sql) }

  /// Titles of books with their authors' names.
  func authors() throws -> [String] {
    try query(
      "SELECT b.ZTITLE, p.ZNAME FROM ZBOOK b LEFT JOIN ZPERSON p ON p.Z_PK = b.ZAUTHOR ORDER BY b.ZTITLE")
  }

  /// Names of shelves with the titles of their books in order, or the other way round.
  func shelves(ofBooks: Bool = false) throws -> [String] {
    let join = try query(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%Z_FOK%' AND name LIKE 'Z\\_%' ESCAPE '\\'")[0]
    let columns = try query("SELECT name FROM pragma_table_info('\(join)')")
    func column(_ isOrder: Bool, _ word: String) -> String {
      columns.first { $0.hasPrefix("Z_FOK") == isOrder && $0.contains(word) } ?? ""
    }
    let (book, shelf) = (column(false, "BOOKS"), column(false, "SHELVES"))
    // The order of the books in a shelf is called after the books' column.
    let order = ofBooks ? column(true, "SHELVES") : column(true, "BOOKS")
    let (owner, member) = ofBooks ? ("b.ZTITLE", "s.ZNAME") : ("s.ZNAME", "b.ZTITLE")
    return try query(
      """
      SELECT owner, group_concat(member, '') FROM (
        SELECT \(owner) AS owner, \(member) AS member FROM \(join) j JOIN ZBOOK b ON b.Z_PK = j.\(book)
        JOIN ZSHELF s ON s.Z_PK = j.\(shelf) ORDER BY owner, j.\(order)) GROUP BY owner ORDER BY owner
      """)
  }
}
