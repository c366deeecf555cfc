import Foundation
import Testing

/// `generate`, with the real tool. That what it writes compiles and works is tested with the generator.
@Suite("Generating accessors")
struct GenerateCommandTests {
  private static let names = ["Account.swift", "Item.swift", "Part.swift", "ShopClasses.swift", "Tag.swift"]

  @Test("a file per entity and one with the list; files that would not change are not touched")
  func write() async throws {
    let workspace = try Workspace.withModel()
    var outcome = try await workspace.run("generate", "Shop.xcdatamodeld", "Sources/Shop")
    #expect(outcome.exitCode == 0)
    #expect(try workspace.names(in: "Sources/Shop") == Self.names)
    #expect(outcome.text.split(separator: "\n").sorted() == Self.names.map { "Sources/Shop/\($0)"[...] })
    #expect(outcome.talk == "5 written, 0 unchanged\n")
    let item = try workspace.text("Sources/Shop/Item.swift")
    #expect(item.contains("final class Item: ManagedObject, PropertyNaming {") && !item.contains("public"))

    // A time in the past tells whether a file is written again.
    let past = Date(timeIntervalSince1970: 1_000_000_000)
    for name in Self.names {
      try FileManager.default.setAttributes(
        [.modificationDate: past], ofItemAtPath: workspace.path("Sources/Shop/" + name))
    }
    try workspace.write(
      "Shop.xcdatamodeld/Shop.xcdatamodel/contents",
      ShopModel.xml.replacingOccurrences(of: "name=\"ratio\"", with: "name=\"rate\""))
    outcome = try await workspace.run("generate", "Shop.xcdatamodeld", "Sources/Shop/")
    #expect(outcome.text == "Sources/Shop/Item.swift\n" && outcome.talk == "1 written, 4 unchanged\n")
    let dates = try Self.names.map {
      try FileManager.default.attributesOfItem(atPath: workspace.path("Sources/Shop/" + $0))[.modificationDate] as? Date
    }
    #expect(dates.filter { $0 == past }.count == 4)

    outcome = try await workspace.run("generate", "--public", "--quiet", "Shop.xcdatamodeld", "Sources/Shop")
    #expect(outcome.text.isEmpty && outcome.talk.isEmpty)
    let regenerated = try workspace.text("Sources/Shop/Item.swift")
    #expect(regenerated.contains("public final class Item: ManagedObject, PropertyNaming {"))
  }

  @Test("a file that somebody wrote is kept, and then nothing is written; --force replaces it")
  func foreign() async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("Out/Item.swift", "class Item {}\n")
    var outcome = try await workspace.run("generate", "Shop.xcdatamodeld", "Out")
    #expect(outcome.exitCode == 73 && outcome.text.isEmpty)
    #expect(outcome.talk.hasPrefix("error: Out/Item.swift is there and was not made by this command\n  hint: "))
    #expect(try workspace.names(in: "Out") == ["Item.swift"])
    #expect(try workspace.text("Out/Item.swift") == "class Item {}\n")
    outcome = try await workspace.run("generate", "--force", "Shop.xcdatamodeld", "Out")
    #expect(outcome.exitCode == 0)
    #expect(try workspace.names(in: "Out") == Self.names)

    // An entity that is gone leaves its file, and a word about it.
    try workspace.write(
      "Small.xcdatamodel/contents",
      """
      <model documentVersion="1.0"><entity name="Tag"><attribute name="name" attributeType="String"/></entity></model>
      """)
    outcome = try await workspace.run("generate", "Small.xcdatamodel", "Out")
    #expect(outcome.exitCode == 0)
    #expect(outcome.talk.contains("note: Out/Part.swift was made from a model before"))
    #expect(try workspace.names(in: "Out").contains("Part.swift"))
  }

  @Test("a symbolic link is followed to what was generated, never to anything else")
  func links() async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("letter.txt", "mine\n")
    try workspace.write("Out/Tag.swift", "class Tag {}\n")
    try FileManager.default.createSymbolicLink(
      atPath: workspace.path("Out/Item.swift"), withDestinationPath: "../letter.txt")
    for more in [[], ["--force"]] {
      let outcome = try await Tool.run(["generate", "Shop.xcdatamodeld", "Out"] + more, in: workspace.folder)
      #expect(outcome.exitCode == 73 && outcome.talk.contains("Out/Item.swift"), "\(outcome.talk)")
      #expect(try workspace.text("letter.txt") == "mine\n")
      #expect(try workspace.names(in: "Out") == ["Item.swift", "Tag.swift"])
      #expect(try workspace.text("Out/Tag.swift") == "class Tag {}\n")
    }
    try FileManager.default.removeItem(at: workspace.url("Out/Tag.swift"))
    try workspace.write("letter.txt", "// Made by")
    try FileManager.default.removeItem(at: workspace.url("Out/Item.swift"))
    #expect(try await workspace.run("generate", "Shop.xcdatamodeld", "Out").exitCode == 0)
    try FileManager.default.moveItem(at: workspace.url("Out/Item.swift"), to: workspace.url("Elsewhere.swift"))
    try FileManager.default.createSymbolicLink(
      atPath: workspace.path("Out/Item.swift"), withDestinationPath: "../Elsewhere.swift")
    #expect(try await workspace.run("generate", "--public", "Shop.xcdatamodeld", "Out").exitCode == 0)
    #expect(try workspace.text("Elsewhere.swift").contains("public final class Item"))
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: workspace.path("Out/Item.swift"))
        == "../Elsewhere.swift")
    #expect(try workspace.names(in: "Out") == Self.names)
  }

  @Test("nothing is written into the model, or over a part of it")
  func insideModel() async throws {
    let workspace = try Workspace.withModel()
    let contents = "Shop.xcdatamodeld/Shop.xcdatamodel/contents"
    let model = try workspace.bytes(contents)
    for folder in ["Shop.xcdatamodeld", "Shop.xcdatamodeld/Sources", "Shop.xcdatamodeld/Shop.xcdatamodel"] {
      let outcome = try await workspace.run("generate", "--force", "Shop.xcdatamodeld", folder)
      #expect(outcome.exitCode == 73 && outcome.talk.contains(folder), "\(outcome.talk)")
    }
    let version = try await workspace.run("generate", "Shop.xcdatamodeld/Shop.xcdatamodel", "Shop.xcdatamodeld/Sources")
    #expect(version.exitCode == 73, "\(version.talk)")
    try FileManager.default.createDirectory(at: workspace.url("Out"), withIntermediateDirectories: true)
    try FileManager.default.linkItem(atPath: workspace.path(contents), toPath: workspace.path("Out/Item.swift"))
    let outcome = try await workspace.run("generate", "--force", "Shop.xcdatamodeld", "Out")
    #expect(outcome.exitCode == 73 && outcome.talk.contains("Out/Item.swift"), "\(outcome.talk)")
    #expect(try workspace.bytes(contents) == model)
    #expect(try workspace.names(in: "Out") == ["Item.swift"])
    #expect(try workspace.names(in: "Shop.xcdatamodeld").contains("Sources") == false)
  }

  @Test("a failure half way leaves all files as they were")
  func failure() async throws {
    let workspace = try Workspace.withModel()
    #expect(try await workspace.run("generate", "Shop.xcdatamodeld", "Out").exitCode == 0)
    let before = try Self.names.map { try workspace.bytes("Out/" + $0) }
    // The first file's folder for work has a name that another file has.
    try workspace.write("Out/Account.swift.partial/mine.txt", "mine")
    var outcome = try await workspace.run("generate", "--public", "Shop.xcdatamodeld", "Out")
    #expect(outcome.exitCode == 73 && outcome.talk.contains("move it away"), "\(outcome.talk)")
    try FileManager.default.removeItem(at: workspace.url("Out/Account.swift.partial"))
    // A limit on file sizes that the last and largest file breaks.
    outcome = try await Tool.run(
      ["-c", "ulimit -f 4; \"$0\" generate --public Shop.xcdatamodeld Out", Tool.path], in: workspace.folder,
      executable: "/bin/sh")
    #expect(outcome.exitCode == 74, "\(outcome.talk)")
    #expect(try Self.names.map { try workspace.bytes("Out/" + $0) } == before)
    #expect(try workspace.names(in: "Out") == Self.names)
  }

  @Test(
    "what cannot be generated",
    arguments: [
      (["none.xcdatamodeld", "Out"], 78), (["Shop.xcdatamodeld", "Shop.xcdatamodeld/Shop.xcdatamodel/contents"], 73),
      (["Shop.xcdatamodeld", "Out", "--model-version", "Shop 9"], 78), (["Shop.xcdatamodeld"], 64),
    ] as [([String], Int32)])
  func impossible(arguments: [String], exitCode: Int32) async throws {
    let workspace = try Workspace.withModel()
    let outcome = try await Tool.run(["generate"] + arguments, in: workspace.folder)
    #expect(outcome.exitCode == exitCode, "\(outcome.talk)")
    #expect(outcome.text.isEmpty)
    #expect(try workspace.names() == ["Shop.xcdatamodeld"])
  }

  @Test("a store without a model says what to name instead")
  func storeWithoutModel() async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", "id,name,parent\na,A,\n")
    try ItemPipeline(map: ["identifier: id", "name: name"]).write(to: workspace)
    #expect(try await workspace.run("run", "--quiet", "items.yaml").exitCode == 0)
    let outcome = try await workspace.run("generate", "Shop.sqlite", "Out")
    #expect(outcome.exitCode == 78)
    #expect(outcome.talk.contains("hint: name the app's model instead"))
  }

  @Test(
    "a store that carries its model will do",
    .enabled(if: SharedFixtures.areAvailable, "\(SharedFixtures.reason)"))
  func store() async throws {
    let workspace = try Workspace()
    let name = try workspace.copyStore("stores/cartkit/CartStorage_v1.sqlite")
    let outcome = try await workspace.run("generate", name, "Out")
    #expect(outcome.exitCode == 0, "\(outcome.talk)")
    #expect(try workspace.names(in: "Out").contains("CDCart.swift"))
    #expect(try workspace.names(in: "Out").contains("CartStoragev1Classes.swift"))
  }
}
