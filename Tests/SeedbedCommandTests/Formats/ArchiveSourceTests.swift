import Foundation
import Platform
import TestSupport
import Testing

/// Sources inside zip archives, and those compressed with zstd.
@Suite("Archives as sources")
struct ArchiveSourceTests {
  private static func records(_ names: String...) -> String {
    "id,name\n" + names.map { "\($0.lowercased()),\($0)\n" }.joined()
  }

  private static let archive: [UInt8] = {
    let deflated = try? RawDeflate.deflate(Array(records("Cherry").utf8))
    return ZipBuilder([
      ZipBuilder.Member("read.me", "hello"), ZipBuilder.Member("data/a.csv", records("Apple")),
      ZipBuilder.Member("data/b.csv", records("Banana", "Bread")),
      ZipBuilder.Member("../c.txt", records("Cherry"), deflated: deflated),
    ]).bytes
  }()

  private func workspace(_ source: String) throws -> Workspace {
    let workspace = try Workspace.withModel()
    try workspace.write("feed.zip", Self.archive)
    try ItemPipeline(source: source, map: ["identifier: id", "name: name"]).write(to: workspace)
    return workspace
  }

  @Test(
    "members are read by name and by pattern",
    arguments: [
      ("feed.zip!data/a.csv", ["Apple"]), ("\"feed.zip!data/*.csv\"", ["Apple", "Banana", "Bread"]),
      ("feed.zip!../c.txt", ["Cherry"]), ("\"f??d.zip!data/[!b].csv\"", ["Apple"]),
    ])
  func members(source: String, names: [String]) async throws {
    let workspace = try workspace(source)
    let lint = try await workspace.run("lint", "items.yaml")
    #expect(lint.exitCode == 0, "\(lint)")
    let outcome = try await workspace.run("run", "items.yaml")
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try workspace.query("Shop.sqlite", "SELECT ZNAME FROM ZITEM ORDER BY ZNAME") == names)
    #expect(try workspace.names() == ["Shop.sqlite", "Shop.xcdatamodeld", "feed.zip", "items.yaml"])
  }

  @Test("an archive with one file is that file, and its name tells the format")
  func only() async throws {
    let workspace = try workspace("one.zip")
    try workspace.write(
      "one.zip", ZipBuilder([ZipBuilder.Member("x.ndjson", "{\"id\":\"a\",\"name\":\"Apple\"}\n")]).bytes)
    let outcome = try await workspace.run("run", "items.yaml")
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try workspace.query("Shop.sqlite", "SELECT ZNAME FROM ZITEM") == ["Apple"])
  }

  @Test("a bad record is told with the member and its line")
  func position() async throws {
    let workspace = try workspace("one.zip!bad.csv")
    try workspace.write("one.zip", ZipBuilder([ZipBuilder.Member("bad.csv", "id,name\na,A\nb,B,C\n")]).bytes)
    let outcome = try await workspace.run("run", "items.yaml")
    #expect(outcome.exitCode == 65)
    #expect(try await workspace.run("lint", "items.yaml").exitCode == 0)
    #expect(outcome.talk.contains("one.zip!bad.csv:3"), "\(outcome.talk)")
  }

  @Test(
    "what cannot be read says why",
    arguments: [
      ("feed.zip!data/aa.csv", 66, "did you mean \"data/a.csv\""), ("feed.zip!Stops.csv", 66, "it holds"),
      ("\"feed.zip!*.json\"", 66, "no member of feed.zip matches \"*.json\""),
      ("none.zip!a.csv", 66, "none.zip: there is no such file"),
      ("feed.zip", 78, "the path does not say which one"),
    ] as [(String, Int32, String)])
  func refused(source: String, code: Int32, words: String) async throws {
    let workspace = try workspace(source)
    let outcome = try await workspace.run("run", "items.yaml")
    #expect(outcome.exitCode == code, "\(outcome)")
    #expect(outcome.talk.contains(words), "\(outcome.talk)")
    #expect(!workspace.exists("Shop.sqlite"))
  }

  @Test("a damaged member fails the run and leaves the previous store")
  func damaged() async throws {
    let workspace = try workspace("feed.zip!data/a.csv")
    #expect(try await workspace.run("run", "items.yaml").exitCode == 0)
    let store = try workspace.bytes("Shop.sqlite")
    var member = ZipBuilder.Member("data/a.csv", Self.records("Apricot"))
    member.checksum = 1
    try workspace.write("feed.zip", ZipBuilder([member]).bytes)
    let outcome = try await workspace.run("run", "items.yaml")
    #expect(outcome.exitCode == 74, "\(outcome)")
    #expect(outcome.talk.contains("feed.zip!data/a.csv:byte"), "\(outcome.talk)")
    #expect(outcome.talk.contains("checksum"))
    #expect(try workspace.bytes("Shop.sqlite") == store)
  }

  @Test("a member is part of what decides whether inputs changed")
  func whenChanged() async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("feed.zip", Self.archive)
    try ItemPipeline(
      source: "\"feed.zip!${MEMBER}\"", map: ["identifier: id", "name: name"], replace: "when-changed"
    ).write(to: workspace)
    for (member, names) in [("data/a.csv", ["Apple"]), ("../c.txt", ["Cherry"])] {
      let outcome = try await workspace.run("run", "items.yaml", environment: ["MEMBER": member])
      #expect(outcome.exitCode == 0, "\(outcome)")
      #expect(try workspace.query("Shop.sqlite", "SELECT ZNAME FROM ZITEM") == names)
    }
  }

  @Test("of several members of one archive, any that changes makes the store anew")
  func manyMembers() async throws {
    let workspace = try Workspace.withModel()
    try ItemPipeline(source: "\"feed.zip!*.csv\"", map: ["identifier: id", "name: name"], replace: "when-changed")
      .write(to: workspace)
    func run(_ names: [String]) async throws -> String {
      let members = names.enumerated().map { index, name in
        ZipBuilder.Member("\(index).csv", "id,name\ni\(index),\(name)\n")
      }
      try workspace.write("feed.zip", ZipBuilder(members).bytes)
      let outcome = try await workspace.run("run", "items.yaml", "--json")
      #expect(outcome.exitCode == 0, "\(outcome.talk)")
      #expect(try workspace.query("Shop.sqlite", "SELECT ZNAME FROM ZITEM ORDER BY ZIDENTIFIER") == names)
      return try #require(try outcome.object()["result"] as? String)
    }
    #expect(try await run(["a", "b", "c"]) == "built")
    #expect(try await run(["a", "b", "c"]) == "up-to-date")
    for names in [["a", "b", "d"], ["e", "b", "d"], ["e", "b"]] { #expect(try await run(names) == "built") }
  }

  /// A zstd frame with the text as it is.
  private func zstd(_ text: String) -> [UInt8] {
    let size = UInt32(text.utf8.count) << 3 | 1
    return [0x28, 0xB5, 0x2F, 0xFD, 0, 0x58]
      + (0..<3).map { UInt8(truncatingIfNeeded: size >> (8 * UInt32($0))) } + Array(text.utf8)
  }

  @Test("zstd is read where its library is, and the message says what to install where it is not")
  func zstd() async throws {
    let workspace = try workspace("items.csv.zst")
    try workspace.write("items.csv.zst", zstd(Self.records("Apple")))
    let outcome = try await workspace.run("run", "items.yaml")
    if outcome.exitCode == 0 {
      #expect(try workspace.query("Shop.sqlite", "SELECT ZNAME FROM ZITEM") == ["Apple"])
      try workspace.write("items.csv.zst", Array(zstd(Self.records("Apple")).dropLast(3)))
      let truncated = try await workspace.run("run", "items.yaml")
      #expect(truncated.exitCode == 74)
      #expect(truncated.talk.contains("the zstd data ends too early"))
    } else {
      #expect(outcome.exitCode == 66)
      #expect(outcome.talk.contains("install it"))
    }
    #if os(Linux)
      // The loader takes what it finds first, and that is no library.
      try workspace.write("empty/libzstd.so.1", "")
      try workspace.write("items.csv.zst", zstd(Self.records("Apple")))
      let without = try await workspace.run(
        "run", "items.yaml", environment: ["LD_LIBRARY_PATH": workspace.path("empty")])
      #expect(without.exitCode == 66, "\(without)")
      #expect(without.talk.contains("libzstd.so.1"))
      #expect(without.talk.contains("apt install libzstd1"))
    #endif
  }
}
