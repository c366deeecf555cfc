import FileStores
import Foundation
import ObjectModel
import PropertyLists
import StoreInterface
import TestStores
import TestSupport
import Testing

@Suite("XML stores")
struct XMLStoreTests {
  private let folder: TemporaryFolder
  private let model: ManagedObjectModel
  private var url: URL { folder.file("library.xml") }

  init() throws {
    folder = try TemporaryFolder()
    model = try Library.model()
  }

  private func open() throws -> any PersistentStore {
    try AtomicStore(url: url, model: model, format: XMLStoreFormat())
  }

  private func text() throws -> String { try String(contentsOf: url, encoding: .utf8) }

  @Test("objects stand in the file as Core Data writes them")
  func form() throws {
    let store = try open()
    try Library.fill(store)
    let text = try text()
    #expect(text.hasPrefix("<?xml version=\"1.0\"?>\n<!DOCTYPE database SYSTEM"))
    #expect(text.contains("<UUID>\(store.identifier)</UUID>\n        <nextObjectID>5</nextObjectID>"))
    #expect(text.contains("<key>NSStoreModelVersionHashes</key>"))
    let objects = try #require(text.range(of: "    <object")).lowerBound
    #expect(
      text[objects...] == """
            <object type="BOOK" id="z2">
                <attribute name="added" type="date">86400.0</attribute>
                <attribute name="cover" type="binary">AP8=</attribute>
                <attribute name="title" type="string">Dune &lt;1&gt;</attribute>
                <attribute name="year" type="int32">1965</attribute>
                <relationship name="shelf" type="0/1" destination="SHELF" idrefs="z1"></relationship>
                <relationship name="subjects" type="0/0" destination="SUBJECT" idrefs="z4"></relationship>
            </object>
            <object type="BOOK" id="z3">
                <attribute name="title" type="string">Emma</attribute>
                <relationship name="shelf" type="0/1" destination="SHELF"></relationship>
                <relationship name="subjects" type="0/0" destination="SUBJECT"></relationship>
            </object>
            <object type="SHELF" id="z1">
                <attribute name="label" type="string">A</attribute>
                <relationship name="books" type="0/0" destination="BOOK" idrefs="z2"></relationship>
            </object>
            <object type="SUBJECT" id="z4">
                <attribute name="name" type="string">sand</attribute>
                <relationship name="books" type="0/0" destination="BOOK" idrefs="z2"></relationship>
            </object>
        </database>

        """)
  }

  @Test("other metadata of the file are kept")
  func metadata() throws {
    try Library.fill(try open())
    let kept = "<key>author</key><array><string>a&amp;b</string><real>1.5</real><true/></array>"
    let range = try #require(try text().range(of: "<dict>"))
    try text().replacingCharacters(in: range, with: "<dict>" + kept).write(to: url, atomically: true, encoding: .utf8)
    let store = try AtomicStore(url: url, model: model, format: XMLStoreFormat())
    #expect(store.metadata["author"] == .array([.string("a&b"), .real(1.5), .boolean(true)]))
    var request = SaveRequest()
    request.deleted = [(objectID: try Library.id("Book", 3, in: store), version: 1)]
    try store.save(request)
    let again = try AtomicStore(url: url, model: model, format: XMLStoreFormat())
    #expect(again.metadata == store.metadata)
    #expect(try again.count(FetchSpecification(try model.required("Book"))) == 1)
  }

  @Test(
    "what is no whole store is refused, with the place",
    arguments: [
      ("<UUID>", "<UUID>x", "UUID"), ("z2\"", "z3\"", "stands twice"), ("id=\"z2\"", "id=\"2\"", "no id"),
      ("id=\"z2\"", "id=\"z02\"", "no id"), ("BOOK\" id", "BOOKS\" id", "no entity BOOKS"),
      ("idrefs=\"z1\"", "idrefs=\"z99\"", "does not exist"), ("idrefs=\"z1\"", "idrefs=\"z4\"", "cannot lead to"),
      ("idrefs=\"z1\"", "idrefs=\"z1 z1\"", "to-one"), (" idrefs=\"z1\"", "", "does not have the members"),
      (" idrefs=\"z4\"", "", "does not say so"), ("idrefs=\"z4\"", "idrefs=\"z4 z4\"", "twice"),
      ("1965", "year", "is no Integer 32"), ("1965", "99999999999", "is no Integer 32"),
      ("type=\"int32\"", "type=\"string\"", "is no Integer 32"), ("AP8=", "A", "is no Binary"),
      ("86400.0", "tomorrow", "is no Date"), ("name=\"year\"", "name=\"weight\"", "no attribute"),
      ("name=\"year\"", "name=\"title\"", "stands twice"), ("name=\"shelf\"", "name=\"box\"", "no relationship"),
      ("<nextObjectID>5", "<nextObjectID>-5", "nextObjectID"), ("Emma", "Dune &lt;1&gt;", "same title"),
      ("Emma", "Em&unknown;ma", "well-formed"), ("</database>", "", "too early"),
      ("</object>", "</objekt>", "well-formed"),
      ("<object", "<script/><object", "no <script>"), ("<object", "stray<object", "no text"),
      ("<dict>", "<dict><key>a</key>", "without"),
      ("CoreData.dtd\">", "CoreData.dtd\" [<!ENTITY a \"b\">]>", "declares"),
      ("<?xml version=\"1.0\"?>", "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>", "encoding"),
    ])
  func hostile(old: String, new: String, message: String) throws {
    try Library.fill(try open())
    let damaged = try text().replacing(old, with: new, maxReplacements: 1)
    #expect(try damaged != text())
    try damaged.write(to: url, atomically: true, encoding: .utf8)
    #expect {
      try open()
    } throws: {
      guard case StoreError.notAStore(let path, let found) = $0 else { return false }
      return path == url.path && found.contains(message)
    }
    #expect(try text() == damaged)
  }

  @Test("a file cut anywhere, empty, or of other bytes is refused")
  func truncated() throws {
    try Library.fill(try open())
    let whole = try Data(contentsOf: url)
    var cuts = stride(from: 0, to: whole.count - 12, by: 37).map { whole.prefix($0) }
    cuts += [Data([0xFF, 0xFE, 0x00]), Data("SQLite format 3\0".utf8), Data(repeating: 0x3C, count: 5_000)]
    cuts.append(Data((String(repeating: "<a>", count: 100_000)).utf8))
    cuts.append(Data("<database><databaseInfo>\(String(repeating: "<a>", count: 100_000))".utf8))
    var bad = whole
    bad[bad.count / 2] = 0xFF
    cuts.append(bad)
    for cut in cuts {
      try cut.write(to: url)
      #expect { try open() } throws: { if case StoreError.notAStore = $0 { true } else { false } }
    }
  }

  @Test("a text that XML cannot hold is refused and the file stays")
  func controlCharacters() throws {
    let store = try open()
    try Library.fill(store)
    let before = try text()
    for bad in ["a\u{1}", "\0", "\u{FFFF}"] {
      let id = try Library.id(
        "Book", try store.reservePrimaryKeys(1, for: try model.required("Book")), in: store)
      var request = SaveRequest()
      request.inserted = [
        Snapshot(objectID: id, version: 1, attributes: [.null, .null, .string(bad), .null], toOne: [nil, nil])
      ]
      let insertion = request
      #expect { try store.save(insertion) } throws: { "\($0)".contains("Book.title") }
    }
    #expect(try text() == before)
  }

  @Test("values larger than a parser's usual limits are read back")
  func large() throws {
    let store = try open()
    try Library.fill(store)
    var book = try #require(try store.snapshots(FetchSpecification(try model.required("Book"))).first)
    book.attributes[1] = .data(Data(repeating: 7, count: 12_000_000))
    var request = SaveRequest()
    request.updated = [book]
    try store.save(request)
    #expect(
      try open().snapshots(FetchSpecification(try model.required("Book"))).first?.attributes
        == book.attributes)
  }
}
