import Foundation
import TestSupport
import Testing

/// `generate`, with the real tool. That what it writes compiles and works is tested with the generator.
@Suite("Generating accessors")
struct GenerateCommandTests {
  private static let classes = ["Account.swift", "Item.swift", "Part.swift", "Tag.swift"]
  private static let names =
    (classes + classes.map { $0.replacing(".swift", with: "+Properties.swift") } + ["ShopClasses.swift"]).sorted()

  @Test("two files per entity and one with the list; files that would not change are not touched")
  func write() async throws {
    let workspace = try Workspace.withModel()
    var outcome = try await workspace.run("generate", "Shop.xcdatamodeld", "Sources/Shop")
    #expect(outcome.exitCode == 0)
    #expect(try workspace.names(in: "Sources/Shop") == Self.names)
    #expect(outcome.text.split(separator: "\n").sorted() == Self.names.map { "Sources/Shop/\($0)"[...] })
    #expect(outcome.talk == "9 written, 0 unchanged\n")
    let item = try workspace.text("Sources/Shop/Item.swift")
    #expect(item.contains("\nclass Item: ManagedObject {") && !item.contains("public"))

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
    #expect(outcome.text == "Sources/Shop/Item+Properties.swift\n")
    #expect(outcome.talk == "1 written, 4 unchanged, 4 classes left as they are\n")
    let dates = try Self.names.map {
      try FileManager.default.attributesOfItem(atPath: workspace.path("Sources/Shop/" + $0))[.modificationDate] as? Date
    }
    #expect(dates.filter { $0 == past }.count == 8)

    outcome = try await workspace.run("generate", "--public", "--quiet", "Shop.xcdatamodeld", "Sources/Shop")
    #expect(outcome.text.isEmpty && outcome.talk.isEmpty)
    #expect(try workspace.text("Sources/Shop/Item+Properties.swift").contains("public var name: String"))
    #expect(try workspace.text("Sources/Shop/Item.swift") == item)
  }

  @Test("a class that is there stays byte for byte, whatever is in it; what the model wants of it now is told")
  func classes() async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("Out/Item.swift", "public final class Item : Thing, Codable {}\r\n")
    try workspace.write("Out/Tag.swift", "import Seedbed\n\nopen class Tag:ManagedObject{}")
    for more in [[], ["--force"], ["--codegen", "class"]] {
      let outcome = try await Tool.run(["generate", "Shop.xcdatamodeld", "Out"] + more, in: workspace.folder)
      #expect(outcome.exitCode == 0 && !outcome.text.contains("Item.swift"), "\(outcome.talk)")
      #expect(outcome.talk.contains("note: Out/Item.swift is kept, but has no `class Item: ManagedObject`"))
      #expect(!outcome.talk.contains("Tag.swift"))
      #expect(try workspace.text("Out/Item.swift") == "public final class Item : Thing, Codable {}\r\n")
      #expect(try workspace.text("Out/Tag.swift") == "import Seedbed\n\nopen class Tag:ManagedObject{}")
    }
    // Earlier versions wrote all of an entity into one file, and said in it that it was made again.
    let earlier = "// Made by Seedbed from a data model. Make it again instead of changing it.\nfinal class Part {}\n"
    try workspace.write("Out/Part.swift", earlier)
    #expect(try await workspace.run("generate", "Shop.xcdatamodeld", "Out").text == "Out/Part.swift\n")
    #expect(try workspace.text("Out/Part.swift").contains("\nclass Part: ManagedObject {"))
  }

  @Test("an entity of the category kind gets no class, and files that would not be made now are told")
  func category() async throws {
    let workspace = try Workspace.withModel()
    var outcome = try await workspace.run("generate", "--codegen", "category", "Shop.xcdatamodeld", "Out")
    #expect(outcome.exitCode == 0 && outcome.talk == "5 written, 0 unchanged\n")
    #expect(try workspace.names(in: "Out") == Self.names.filter { !Self.classes.contains($0) })
    outcome = try await workspace.run("generate", "Shop.xcdatamodeld", "Out")
    #expect(outcome.talk == "4 written, 5 unchanged\n")
    try workspace.write(
      "Shop.xcdatamodeld/Shop.xcdatamodel/contents",
      ShopModel.xml.replacingOccurrences(of: "codeGenerationType=\"class\"", with: "codeGenerationType=\"category\""))
    outcome = try await workspace.run("generate", "Shop.xcdatamodeld", "Out")
    #expect(outcome.exitCode == 0 && outcome.text.isEmpty)
    #expect(outcome.talk.contains("0 written, 5 unchanged\n"))
    #expect(outcome.talk.contains("note: Out/Item.swift was made before, and would not be made now"))
    #expect(try workspace.names(in: "Out") == Self.names)
  }

  @Test("classes for Core Data are Xcode's two files per entity")
  func coreData() async throws {
    let workspace = try Workspace.withModel()
    var outcome = try await workspace.run("generate", "--flavor", "core-data", "Shop.xcdatamodeld", "Out")
    #expect(outcome.exitCode == 0 && outcome.talk == "8 written, 0 unchanged\n")
    #expect(
      try workspace.names(in: "Out").prefix(2) == ["Account+CoreDataClass.swift", "Account+CoreDataProperties.swift"])
    #expect(
      try workspace.text("Out/Item+CoreDataProperties.swift").contains("    @NSManaged public var large: Int64\n"))
    outcome = try await workspace.run("generate", "--flavor", "core-data", "Shop.xcdatamodeld", "Out")
    #expect(outcome.text.isEmpty && outcome.talk == "0 written, 4 unchanged, 4 classes left as they are\n")
    outcome = try await workspace.run("generate", "--flavor", "core-data", "--public", "Shop.xcdatamodeld", "Out")
    #expect(outcome.exitCode == 64 && outcome.talk.contains("--public is for --flavor seedbed"))
  }

  @Test("a file that was written by hand is kept, and then nothing is written; --force replaces it")
  func foreign() async throws {
    let workspace = try Workspace.withModel()
    let name = "Item+Properties.swift"
    try workspace.write("Out/" + name, "extension Item {}\n")
    var outcome = try await workspace.run("generate", "Shop.xcdatamodeld", "Out")
    #expect(outcome.exitCode == 73 && outcome.text.isEmpty)
    #expect(outcome.talk.hasPrefix("error: Out/\(name) is there and was not made by this command\n  hint: "))
    #expect(try workspace.names(in: "Out") == [name])
    #expect(try workspace.text("Out/" + name) == "extension Item {}\n")
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
    #expect(outcome.talk.contains("note: Out/Part.swift was made before"))
    #expect(outcome.talk.contains("note: Out/Part+Properties.swift was made before"))
    #expect(try workspace.names(in: "Out").contains("Part.swift"))
  }

  @Test("a symbolic link is followed to what was generated, never to anything else")
  func links() async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("letter.txt", "mine\n")
    try workspace.write("Out/Tag+Properties.swift", "extension Tag {}\n")
    try FileManager.default.createSymbolicLink(
      atPath: workspace.path("Out/Item+Properties.swift"), withDestinationPath: "../letter.txt")
    for more in [[], ["--force"]] {
      let outcome = try await Tool.run(["generate", "Shop.xcdatamodeld", "Out"] + more, in: workspace.folder)
      #expect(outcome.exitCode == 73 && outcome.talk.contains("Out/Item+Properties.swift"), "\(outcome.talk)")
      #expect(try workspace.text("letter.txt") == "mine\n")
      #expect(try workspace.names(in: "Out") == ["Item+Properties.swift", "Tag+Properties.swift"])
      #expect(try workspace.text("Out/Tag+Properties.swift") == "extension Tag {}\n")
    }
    try FileManager.default.removeItem(at: workspace.url("Out/Tag+Properties.swift"))
    try workspace.write("letter.txt", "// Made by")
    try FileManager.default.removeItem(at: workspace.url("Out/Item+Properties.swift"))
    #expect(try await workspace.run("generate", "Shop.xcdatamodeld", "Out").exitCode == 0)
    try FileManager.default.moveItem(
      at: workspace.url("Out/Item+Properties.swift"), to: workspace.url("Elsewhere.swift"))
    try FileManager.default.createSymbolicLink(
      atPath: workspace.path("Out/Item+Properties.swift"), withDestinationPath: "../Elsewhere.swift")
    #expect(try await workspace.run("generate", "--public", "Shop.xcdatamodeld", "Out").exitCode == 0)
    #expect(try workspace.text("Elsewhere.swift").contains("public var name"))
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: workspace.path("Out/Item+Properties.swift"))
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
    try FileManager.default.linkItem(
      atPath: workspace.path(contents), toPath: workspace.path("Out/Item+Properties.swift"))
    let outcome = try await workspace.run("generate", "--force", "Shop.xcdatamodeld", "Out")
    #expect(outcome.exitCode == 73 && outcome.talk.contains("Out/Item+Properties.swift"), "\(outcome.talk)")
    #expect(try workspace.bytes(contents) == model)
    #expect(try workspace.names(in: "Out") == ["Item+Properties.swift"])
    #expect(try workspace.names(in: "Shop.xcdatamodeld").contains("Sources") == false)
  }

  @Test("a failure half way leaves all files as they were")
  func failure() async throws {
    let workspace = try Workspace.withModel()
    #expect(try await workspace.run("generate", "Shop.xcdatamodeld", "Out").exitCode == 0)
    let before = try Self.names.map { try workspace.bytes("Out/" + $0) }
    // The first file's folder for work has a name that another file has.
    try workspace.write("Out/Account+Properties.swift.partial/mine.txt", "mine")
    var outcome = try await workspace.run("generate", "--public", "Shop.xcdatamodeld", "Out")
    #expect(outcome.exitCode == 73 && outcome.talk.contains("move it away"), "\(outcome.talk)")
    try FileManager.default.removeItem(at: workspace.url("Out/Account+Properties.swift.partial"))
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
    try workspace.removeCachedModel(of: "Shop.sqlite")
    let outcome = try await workspace.run("generate", "Shop.sqlite", "Out")
    #expect(outcome.exitCode == 78)
    #expect(outcome.talk.contains("hint: name the app's model instead"))
  }

  @Test(
    "a store that carries its model will do",
    .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"))
  func store() async throws {
    let workspace = try Workspace()
    let name = try workspace.copyStore("stores/cartkit/CartStorage_v1.sqlite")
    let outcome = try await workspace.run("generate", name, "Out")
    #expect(outcome.exitCode == 0, "\(outcome.talk)")
    #expect(try workspace.names(in: "Out").contains("CDCart+Properties.swift"))
    #expect(try workspace.names(in: "Out").contains("CartStoragev1Classes.swift"))
  }
}
