import Foundation
import PropertyLists
import Testing

@Suite("Contents of archived values")
struct ArchivedContentTests {
  private func read(_ object: Any) throws -> ArchivedContent? {
    ArchivedContent(
      archive: Array(try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: false)))
  }

  @Test("what Foundation's archiver writes of plain classes is read")
  func plainClasses() throws {
    let date = Date(timeIntervalSinceReferenceDate: 12.5)
    let uuid = UUID()
    let list: NSArray = [
      "text" as NSString, NSMutableString(string: "more"), NSNumber(value: 12), NSNumber(value: 1.5), NSNull(),
      date as NSDate, Data([1, 2]) as NSData, uuid as NSUUID, NSArray(array: ["in" as NSString]),
    ]
    #expect(
      try read(list)
        == .list([
          .string("text"), .string("more"), .integer(12), .real(1.5), .null, .date(date), .data(Data([1, 2])),
          .uuid(uuid), .list([.string("in")]),
        ]))
    #expect(try read(NSSet(array: ["one" as NSString])) == .set([.string("one")]))
    #expect(try read("alone" as NSString) == .string("alone"))
    guard case .dictionary(let entries)? = try read(["a": "1" as NSString, "b": "2" as NSString] as NSDictionary) else {
      Issue.record("no dictionary")
      return
    }
    #expect(Set(entries.map(\.key)) == ["a", "b"])
  }

  private static let contents: [ArchivedContent] = [
    .string("text"), .string("naïve 🌊"), .integer(-7), .integer(.max), .real(0.1), .boolean(true), .null,
    .date(Date(timeIntervalSinceReferenceDate: -0.25)), .data(Data([0, 255])), .uuid(UUID()),
    .url("https://example.org/a?b=c"), .list([]), .list([.string("a"), .string("a"), .list([.integer(1), .null])]),
    .set([.integer(1), .integer(2)]),
    .dictionary([.init(key: "a", value: .list([.boolean(false)])), .init(key: "b", value: .string("a"))]),
    .decimal(0), .decimal(Decimal(string: "-12345678901234567890123456789.0125") ?? 0),
    .decimal(Decimal(string: "1e100") ?? 0), .list((0..<400).map { .integer($0 * 1000) }),
    .list((0..<700).map { .string("text \($0)") }),
  ]

  @Test("what is written reads back as it was, in the same bytes each time", arguments: contents)
  func writing(content: ArchivedContent) throws {
    let archive = try content.archived()
    #expect(ArchivedContent(archive: Array(archive)) == content)
    #expect(try content.archived() == archive)
    #expect(try ArchivedContent(content.anyValue) == content)
  }

  @Test("Foundation's unarchiver reads what is written")
  func foundation() throws {
    for content in Self.contents {
      // Its decimals, and null by itself, are another matter: Foundation on Linux cannot read them from any archive.
      switch content {
      case .decimal, .null: continue
      default: break
      }
      let object = try NSKeyedUnarchiver.unarchivedObject(
        ofClasses: [
          NSArray.self, NSDictionary.self, NSString.self, NSNumber.self, NSDate.self, NSData.self, NSURL.self,
          NSUUID.self, NSSet.self, NSNull.self,
        ], from: try content.archived())
      #expect(try ArchivedContent(#require(object)) == content, "\(content)")
    }
  }

  @Test(
    "what no archive holds is refused",
    arguments: [
      { [1: "a"] as [Int: String] as Any }, { UInt64.max as Any }, { [Data.self] as [Any] },
      { Optional<Int>.none as Any },
    ] as [@Sendable () -> Any])
  func refused(value: @Sendable () -> Any) {
    #expect(throws: ArchiveContentError.self) { try ArchivedContent(value()) }
  }

  @Test("contents that could not be read back are not written")
  func unreadable() {
    let deep = (0..<80).reduce(ArchivedContent.null) { content, _ in .list([content]) }
    for content in [
      deep, .url(""), .decimal(.nan),
      .dictionary([.init(key: "a", value: .null), .init(key: "a", value: .null)]),
    ] {
      #expect(throws: ArchiveContentError.self) { try content.archived() }
    }
  }

  @Test("other classes, and what is no archive, are not read")
  func others() {
    var builder = ArchiveBuilder()
    let colour = builder.archive(.object("UIColor", ["UIRed": .integer(1)]))
    #expect(ArchivedContent(archive: builder.finish(root: colour)) == nil)
    builder = ArchiveBuilder()
    let list = builder.archive(.array([.text("a"), .object("UIColor", [:])]))
    #expect(ArchivedContent(archive: builder.finish(root: list)) == nil)
    for bytes in [[], Array("bplist00".utf8), Array("hello, world".utf8), [UInt8](repeating: 0, count: 4096)] {
      #expect(ArchivedContent(archive: bytes) == nil)
    }
  }

  @Test("URLs are read whole, and decimal numbers")
  func urls() {
    var builder = ArchiveBuilder()
    let url = builder.archive(.object("NSURL", ["NS.relative": .text("https://example.org/a")]))
    #expect(ArchivedContent(archive: builder.finish(root: url)) == .url("https://example.org/a"))
    builder = ArchiveBuilder()
    let number = builder.archive(
      .object(
        "NSDecimalNumber",
        [
          "NS.mantissa": .data([15] + [UInt8](repeating: 0, count: 15)), "NS.length": .integer(1),
          "NS.exponent": .integer(-1), "NS.mantissa.bo": .integer(1), "NS.negative": .flag(false),
          "NS.compact": .flag(true),
        ]))
    #expect(ArchivedContent(archive: builder.finish(root: number)) == .decimal(Decimal(string: "1.5") ?? 0))
  }

  @Test("an object that holds itself, or one that is shared without end, is not read")
  func hostile() {
    var builder = ArchiveBuilder()
    let circle = builder.reserve()
    builder.archive(.array([.reference(circle)]), as: circle)
    #expect(ArchivedContent(archive: builder.finish(root: circle)) == nil)

    // Forty levels of two references each to the level below.
    builder = ArchiveBuilder()
    var level = builder.archive(.text("a"))
    for _ in 0..<40 { level = builder.archive(.array([.reference(level), .reference(level)])) }
    #expect(ArchivedContent(archive: builder.finish(root: level)) == nil)

    builder = ArchiveBuilder()
    let long = builder.archive(.text(String(repeating: "x", count: 1 << 20)))
    let many = builder.archive(.array((0..<60).map { _ in .reference(long) }))
    #expect(ArchivedContent(archive: builder.finish(root: many)) == nil)
  }
}
