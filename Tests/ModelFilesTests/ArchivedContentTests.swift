import Foundation
import ModelFiles
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
    #expect(try read(NSSet(array: ["one" as NSString])) == .list([.string("one")]))
    #expect(try read("alone" as NSString) == .string("alone"))
    guard case .dictionary(let entries)? = try read(["a": "1" as NSString, "b": "2" as NSString] as NSDictionary) else {
      Issue.record("no dictionary")
      return
    }
    #expect(Set(entries.map(\.key)) == ["a", "b"])
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
