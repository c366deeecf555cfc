import Foundation
import TestSupport
import Testing

/// `inspect` on stores and models, with the real tool.
@Suite("Inspecting a store or a model")
struct InspectCommandTests {
  private typealias Object = [String: Any]

  private static func objects(_ value: Any?) throws -> [[String: Any]] { try #require(value as? [[String: Any]]) }

  private static func named(_ name: String, in list: [[String: Any]]) throws -> [String: Any] {
    try #require(list.first { $0["name"] as? String == name })
  }

  /// A workspace with `Shop.sqlite`, which carries no model.
  private func shop() async throws -> Workspace {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", "id,name,parent\na,A,\nb,B,a\n")
    let map = ["identifier: id", "name: name", "parent: { match: identifier, from: parent }"]
    try ItemPipeline(map: map).write(to: workspace)
    #expect(try await workspace.run("run", "--quiet", "items.yaml").exitCode == 0)
    try workspace.removeCachedModel(of: "Shop.sqlite")
    return workspace
  }

  @Test(
    "an Apple-made store shows its numbers, rows, hashes, digest and release, and stays as it is",
    .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"),
    arguments: FixtureFolder.expected.storePaths)
  func fixtures(path: String) async throws {
    let workspace = try Workspace()
    let name = try workspace.copyStore(path)
    let files = try workspace.names()
    let before = try files.map { try workspace.bytes($0) }
    let outcome = try await workspace.run("inspect", "--json", name)
    #expect(outcome.exitCode == 0 && outcome.talk.isEmpty, "\(outcome.talk)")
    #expect(try workspace.names() == files)
    #expect(try files.map { try workspace.bytes($0) } == before)

    let found = try outcome.object()
    let expected = try #require(FixtureFolder.expected.stores[path])
    #expect(found["versionHashes"] as? [String: String] == expected.hashes)
    #expect(found["frameworkVersion"] as? Int == expected.frameworkVersion)
    #expect((found["frameworkRelease"] as? String)?.isEmpty == false)
    #expect(found["versionHashesDigest"] as? String == expected.digest)
    #expect(found["versionChecksum"] as? String == expected.checksum)
    let tables = try Self.objects(found["tables"])
    for (table, rows) in expected.rows {
      #expect(try Self.named(table, in: tables)["rows"] as? Int == rows, "\(table)")
    }
    let entities = try Self.objects(found["entities"])
    // Every row is one of some entity.
    let counted = Dictionary(grouping: entities) { $0["table"] as? String ?? "" }
    for (table, members) in counted {
      let sum = members.reduce(0) { $0 + ($1["rows"] as? Int ?? 0) }
      #expect(try Self.named(table, in: tables)["rows"] as? Int == sum, "\(table)")
    }
    let hasModel = name != "SurfJournalModel.sqlite"
    #expect((found["model"] != nil) == hasModel)
    for entity in entities where hasModel && (entity["number"] as? Int ?? 0) < 16_000 {
      #expect(entity["versionHash"] as? String == expected.hashes[entity["name"] as? String ?? ""])
      #expect(entity["attributes"] is [Any] && entity["relationships"] is [Any])
    }
    #expect(try await workspace.run("inspect", name).exitCode == 0)
  }

  @Test(
    "properties, history and metadata of a store that carries its model",
    .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"))
  func sample() async throws {
    let workspace = try Workspace()
    let name = try workspace.copyStore("stores/coredataplus/SampleModel2_V1.sqlite")
    let found = try await workspace.run("inspect", "--json", name).object()
    let book = try Self.named("Book", in: try Self.objects(found["entities"]))
    let attributes = try Self.objects(book["attributes"])
    #expect(try Self.named("pagesCount", in: attributes)["derivation"] as? String == "count:(pages)")
    #expect(try Self.named("title", in: attributes)["minimum"] as? Int == 3)
    let pages = try Self.named("pages", in: try Self.objects(book["relationships"]))
    #expect(pages["destination"] as? String == "Page" && pages["deleteRule"] as? String == "cascade")
    #expect(book["uniquenessConstraints"] as? [[String]] == [["uniqueID"]])
    let history = try #require(found["history"] as? Object)
    #expect(history["transactions"] as? Int == 1 && history["inserts"] as? Int == 5_468)
    #expect(history["updates"] as? Int == 0 && history["deletes"] as? Int == 0)
    let first = try #require(history["first"] as? Object)
    #expect(first["number"] as? Int == 1 && first["date"] as? String == "2024-05-10T18:14:07.288022Z")
    #expect(history["processes"] as? [String] == ["xctest"])
    #expect(found["frameworkRelease"] as? String == "iOS 17, macOS 14")

    let text = try await workspace.run("inspect", name).text
    for line in [
      "Author · number 6 · table ZWRITER · 2 rows · inherits from Writer · class Author",
      "  pagesCount    Integer 64     derived by count:(pages)",
      "  pages         → Page         to-many, required, inverse book, on deletion cascade, at least 1, at most 10000",
      "  framework version  1344, iOS 17, macOS 14", "  first         1, 2024-05-10T18:14:07.288022Z",
      "  changes       5,468 inserted",
      "  version hash                 01e4ee17f1b2903db05607419b4a713d72df80c90b4510b83a60b9135323f5e7",
    ] {
      #expect(text.contains(line + "\n"), "\(line)")
    }
  }

  @Test(
    "an entity that was renamed in place has its present name, and a note tells the earlier one",
    .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"))
  func renamed() async throws {
    let workspace = try Workspace()
    let name = try workspace.copyStore("stores/coredataplus/SampleModel_V2.sqlite")
    let found = try await workspace.run("inspect", "--json", name).object()
    let luxury = try Self.named("LuxuryCar", in: try Self.objects(found["entities"]))
    #expect(luxury["number"] as? Int == 3 && luxury["rows"] as? Int == 5)
    #expect(
      found["notes"] as? [String] == ["entity 3 is LuxuryCar; Z_PRIMARYKEY has an earlier name, ExpensiveSportCar"])
  }

  @Test("without a model the tables speak; with --model the model does")
  func tables() async throws {
    let workspace = try await shop()
    var text = try await workspace.run("inspect", "Shop.sqlite").text
    #expect(text.contains("Item · table ZITEM\n") && text.contains("  ZIDENTIFIER  VARCHAR\n"))
    #expect(text.contains("note: the store carries no model") && !text.contains("attributes"))
    #expect(text.contains("  index Z_Item_UNIQUE_identifier  CREATE UNIQUE INDEX"))
    #expect(text.contains("Other tables\n") && text.contains("Z_2TAGS"))
    text = try await workspace.run("inspect", "Shop.sqlite", "--model", "Shop.xcdatamodeld").text
    #expect(text.contains("  rank          Integer 16  required, default 5, at least 1, at most 10\n"))
    #expect(text.contains("  parent        → Item      to-one, inverse children, on deletion nullify\n"))
    #expect(!text.contains("note:"))

    try workspace.write(
      "Other.xcdatamodel/contents", ShopModel.xml.replacingOccurrences(of: "name=\"ratio\"", with: "name=\"rate\""))
    text = try await workspace.run("inspect", "Shop.sqlite", "--model", "Other.xcdatamodel").text
    #expect(text.contains("note: Item: the model's version hash differs from the store's"))
  }

  @Test("metadata that others put there is shown, and what would move the cursor is written out")
  func metadata() async throws {
    let workspace = try await shop()
    let copied = try await workspace.run("copy", "Shop.sqlite", "copy.sqlite", "--seed-version", "7")
    #expect(copied.exitCode == 0)
    try workspace.execute(
      "copy.sqlite",
      "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Tag' || char(27) || '[2J' WHERE Z_NAME = 'Tag'; CREATE TABLE \"odd \"\" one\" (A)"
    )
    let outcome = try await workspace.run("inspect", "copy.sqlite")
    #expect(outcome.exitCode == 0)
    #expect(outcome.text.contains(/SeedbedSeedVersion +7\n/), "\(outcome.text)")
    #expect(outcome.text.contains("Tag\\u{1b}[2J") && !outcome.text.contains("\u{1B}"))
    #expect(outcome.text.contains("odd \" one"))
    let found = try await workspace.run("inspect", "--json", "copy.sqlite").object()
    #expect((found["metadata"] as? Object)?["SeedbedSeedVersion"] as? Int == 7)
  }

  @Test("a damaged cached model is a note, not a failure")
  func damagedCache() async throws {
    let workspace = try await shop()
    try workspace.execute("Shop.sqlite", "INSERT INTO Z_MODELCACHE VALUES (x'00112233')")
    let outcome = try await workspace.run("inspect", "Shop.sqlite")
    #expect(outcome.exitCode == 0)
    #expect(outcome.text.contains("note: the cached model cannot be read: "))
    #expect(outcome.text.contains("Item · table ZITEM\n"))
  }

  @Test("a model can be inspected as well, in each of its versions")
  func model() async throws {
    let workspace = try Workspace.withModel()
    try workspace.write(
      "Shop.xcdatamodeld/Shop 2.xcdatamodel/contents",
      ShopModel.xml.replacingOccurrences(of: "name=\"ratio\"", with: "name=\"rate\""))
    try workspace.writeCurrentVersion("Shop 2", of: "Shop")
    let text = try await workspace.run("inspect", "Shop.xcdatamodeld/").text
    #expect(text.hasPrefix("Shop.xcdatamodeld/ · version Shop 2 of Shop, Shop 2 (current) · 4 entities\n"))
    #expect(text.contains("  rate          Double\n"))
    let older = try await workspace.run("inspect", "--json", "Shop.xcdatamodeld", "--model-version", "Shop").object()
    let item = try Self.named("Item", in: try Self.objects(older["entities"]))
    #expect(try Self.objects(item["attributes"]).contains { $0["name"] as? String == "ratio" })
    let model = try #require(older["model"] as? Object)
    #expect(model["versions"] as? [String] == ["Shop", "Shop 2"] && model["currentVersion"] as? String == "Shop 2")
  }

  @Test(
    "what cannot be inspected",
    arguments: [
      (["none.sqlite"], 66), (["items.csv"], 65), (["none.xcdatamodeld"], 78),
      (["Shop.xcdatamodeld", "--model", "Shop.xcdatamodeld"], 64), (["Shop.sqlite", "--model-version", "Shop"], 64),
      (["Shop.sqlite", "--model", "none.momd"], 78), (["Shop.sqlite", "--er", "-"], 78),
      (["Shop.sqlite", "--er", "picture.png"], 64), (["Shop.sqlite", "--er", "a.svg", "--json"], 64),
      (["Shop.xcdatamodeld", "--er", "items.csv/a.svg"], 73), (["Shop.xcdatamodeld", "--er", "store.svg"], 73),
    ] as [([String], Int32)])
  func impossible(arguments: [String], exitCode: Int32) async throws {
    let workspace = try await shop()
    try workspace.write("store.svg", workspace.bytes("Shop.sqlite"))
    let names = try workspace.names()
    let outcome = try await Tool.run(["inspect"] + arguments, in: workspace.folder)
    #expect(outcome.exitCode == exitCode, "\(outcome.talk)")
    #expect(outcome.text.isEmpty && !outcome.talk.isEmpty)
    #expect(try workspace.names() == names)
    #expect(try workspace.bytes("store.svg") == workspace.bytes("Shop.sqlite"))
  }

  @Test("a diagram is written as a picture and as text, the same each time")
  func diagrams() async throws {
    let workspace = try await shop()
    for _ in 0..<2 {
      let outcome = try await workspace.run(
        "inspect", "Shop.sqlite", "--model", "Shop.xcdatamodeld", "--er", "shop.svg")
      #expect(outcome.exitCode == 0 && outcome.text.isEmpty)
      #expect(outcome.talk == "wrote shop.svg: 4 entities, 3 lines\n")
      let again = try await workspace.run("inspect", "Shop.xcdatamodeld", "--er", "model.svg")
      #expect(again.exitCode == 0)
      try workspace.write("\(workspace.exists("first.svg") ? "second" : "first").svg", workspace.bytes("shop.svg"))
    }
    #expect(try workspace.bytes("first.svg") == workspace.bytes("second.svg"))
    let svg = try workspace.text("shop.svg")
    #expect(svg.contains("<svg ") && svg.hasSuffix("</svg>\n") && svg.contains(">Item</text>"))
    // The store's diagram has the numbers of rows.
    #expect(svg.contains("text-anchor=\"end\">2</text>"))
    #expect(try !workspace.text("model.svg").contains("class=\"count\""))
    let text = try await workspace.run("inspect", "Shop.xcdatamodeld", "--er", "-")
    #expect(text.text.contains("    \"Item\" ||--o{ \"Part\" : \"parts / item\"\n"))
    #expect(try await workspace.run("inspect", "Shop.xcdatamodeld", "--er", "shop.mmd").exitCode == 0)
    #expect(try workspace.text("shop.mmd") == text.text)
  }
}
