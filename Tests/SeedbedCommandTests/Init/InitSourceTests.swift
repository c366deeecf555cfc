import Foundation
import ModelFiles
import ObjectModel
import TestSupport
import Testing

/// Files that are written in other ways than plain CSV: `init` says how, and `run` reads them so.
@Suite("Sources of seedbed init")
struct InitSourceTests {
  private static let table = "id,name,price\n1,Ann,1.5\n2,\"Bob, Jr.\",20.25\n3,Zoë,3.75\n"

  struct Case: CustomTestStringConvertible, Sendable {
    var name: String
    /// The file's name in `data/`.
    var file: String
    var bytes: [UInt8]
    /// What is in the pipeline.
    var words: [String]
    /// What the argument has behind the file's name.
    var member = ""
    /// What the export has.
    var export = table
    var testDescription: String { name }
  }

  private static func text(_ name: String, _ file: String, _ text: String, _ words: String...) -> Case {
    Case(name: name, file: file, bytes: Array(text.utf8), words: words)
  }

  private static var cases: [Case] {
    let semicolons = table.replacing("\"Bob, Jr.\"", with: "|").replacing(",", with: ";")
      .replacing("|", with: "Bob, Jr.")
    return [
      text("a separator line", "a.csv", "sep=;\n" + semicolons, "its first line states the delimiter"),
      text("a separator line behind a mark", "a.csv", "\u{FEFF}sep=;\r\n" + semicolons, "states the delimiter"),
      text(
        "one line above", "a.csv", "Prices of 2024\n" + table, "skip-lines: 1  # what stands above", "Prices of 2024"),
      text(
        "lines with delimiters above, and a blank one", "a.csv", "Prices\nMade, by hand\n\n" + table, "skip-lines: 2"),
      text("lines above, with CRLF", "a.csv", ("Prices\n\n" + table).replacing("\n", with: "\r\n"), "skip-lines: 1"),
      text("padded lines above", "a.csv", "Prices,,\n,,\n" + table, "skip-lines: 2"),
      text("a line above semicolons", "a.csv", "Prices\n" + semicolons, "skip-lines: 1", "delimiter: \";\""),
      text(
        "double bars", "a.csv",
        table.replacing("\"Bob, Jr.\"", with: "#").replacing(",", with: "||")
          .replacing("#", with: "Bob, Jr."), "delimiter: \"||\"  # 4 of the first 4 records have 3 fields with it"),
      Case(
        name: "a line above few records", file: "a.tsv",
        bytes: Array("Prices of 2024\nid\tname\n1\tAnn\n2\tBob\n".utf8),
        words: ["skip-lines: 1"], export: "id,name\n1,Ann\n2,Bob\n"),
      text(
        "tabs, by name", "a.tab",
        table.replacing("\"Bob, Jr.\"", with: "Bob# Jr.").replacing(",", with: "\t")
          .replacing("#", with: ","), "../data/a.tab"),
      Case(
        name: "UTF-16 without a mark", file: "a.csv",
        bytes: table.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }, words: ["encoding: utf-16le"]),
      Case(
        name: "Windows-1252", file: "a.csv",
        bytes: [0x69, 0x64, 0x2C, 0x6E, 0x0A] + (1...3).flatMap { [0x30 + $0, 0x2C, 0x93, 0xE9, 0x94, 0x80, 0x0A] },
        words: ["encoding: windows-1252"], export: "id,n\n1,“é”€\n2,“é”€\n3,“é”€\n"),
      Case(
        name: "a member of an archive", file: "feed.zip",
        bytes: ZipBuilder([.init("read.me", "x"), .init("in/a.txt", table)]).bytes,
        words: ["feed.zip!in/a.txt"], member: "!in/a.txt"),
    ]
  }

  /// Makes a project of one file, runs it and gives the export's text and the pipeline's.
  private func roundTrip(_ workspace: Workspace, _ file: String) async throws -> (export: String, pipeline: String) {
    let made = try await workspace.run("init", file, "--export", "--name", "t")
    try #require(made.exitCode == 0, "\(made.talk)")
    let ran = try await workspace.run("run", "pipelines/t.yaml")
    try #require(ran.exitCode == 0, "\(ran.talk)")
    let name = try #require(try workspace.names(in: "build").first { $0.hasSuffix("csv") || $0.hasSuffix("ndjson") })
    return (try workspace.text("build/" + name), try workspace.text("pipelines/t.yaml"))
  }

  @Test("each comes back whole, and the pipeline says how it is read", arguments: cases)
  func sources(_ example: Case) async throws {
    let workspace = try Workspace()
    try workspace.write("data/" + example.file, example.bytes)
    let (export, pipeline) = try await roundTrip(workspace, "data/" + example.file + example.member)
    #expect(export == example.export, "\(pipeline)")
    for word in example.words { #expect(pipeline.contains(word), "\(word)\n\(pipeline)") }
  }

  @Test(
    "what could be a header or a record is never taken for a title",
    arguments: [
      "name\nDoe, John\nRoe, Jane\nPoe, Ann\nLoe, Bob\n",
      "name\nDoe, John, x\nRoe, Jane, y\nPoe, Ann, z\nLoe, Bob, w\n",
      "a,b,c\nx,1,2,3\ny,4,5,6\nz,7,8,9\nw,1,1,1\n", "id,name\n1,a\n2,b\n3,c\n4,d\n", "x\n1,2\n3,4\n5,6\n7,8\n",
    ])
  func noTitles(text: String) async throws {
    let workspace = try Workspace()
    try workspace.write("a.csv", text)
    let made = try await workspace.run("init", "a.csv", "--name", "t")
    #expect(made.exitCode == 0, "\(made.talk)")
    #expect(try !workspace.text("pipelines/t.yaml").contains("skip-lines"))
  }

  @Test("compressed files are looked at as they are read")
  func compressed() async throws {
    let workspace = try Workspace()
    try workspace.gzip("a.csv.gz", Self.table)
    #expect(try await roundTrip(workspace, "a.csv.gz").export == Self.table)
  }

  private static let zstd = ["/usr/bin/zstd", "/opt/homebrew/bin/zstd", "/usr/local/bin/zstd"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  @Test("so are those that zstd packed", .enabled(if: zstd != nil, "zstd is not installed"))
  func packedWithZstd() async throws {
    let workspace = try Workspace()
    try workspace.write("a.csv", Self.table)
    let packed = try await Tool.run(
      ["-q", "-19", "a.csv"], in: workspace.folder, executable: #require(Self.zstd))
    try #require(packed.exitCode == 0, "\(packed.talk)")
    let (export, pipeline) = try await roundTrip(workspace, "a.csv.zst")
    #expect(export == Self.table)
    #expect(pipeline.contains("- from: ../a.csv.zst\n"), "\(pipeline)")
  }

  @Test("property lists are arrays of dictionaries, in XML and binary", arguments: [true, false])
  func propertyLists(isBinary: Bool) async throws {
    let workspace = try Workspace()
    let records: [[String: Any]] = (1...3).map { number in
      [
        "id": number, "name": "n\(number)", "weight": Double(number) / 4, "isOpen": number > 1,
        "since": Date(timeIntervalSince1970: Double(number) * 86_400), "place": ["x": number],
      ]
    }
    let data = try PropertyListSerialization.data(
      fromPropertyList: ["version": 1, "shops": records], format: isBinary ? .binary : .xml, options: 0)
    // The name need not say so.
    try workspace.write(isBinary ? "shops.data" : "shops.plist", Array(data))
    let (export, pipeline) = try await roundTrip(workspace, isBinary ? "shops.data" : "shops.plist")
    #expect(pipeline.contains("format: plist") == isBinary)
    #expect(pipeline.contains("pointer: \"/shops\""), "\(pipeline)")
    #expect(pipeline.contains("/version"), "\(pipeline)")
    let lines = export.split(separator: "\n")
    #expect(lines.count == 3)
    for text in [#""id":2"#, #""weight":0.5"#, #""isOpen":true"#, #""since":"1970-01-03T00:00:00Z""#, #""place.x":2"#] {
      #expect(lines.last.map { $0.contains(text) || lines[1].contains(text) } == true, "\(text)\n\(export)")
    }
    let model = try ModelReader.read(path: workspace.path("Model.xcdatamodeld").replacing("Model", with: "t"))
    #expect(model["Shop"]?.attribute("since")?.type == .date)
  }

  @Test("prices are numbers, and what an export writes otherwise is told with its count and an example")
  func prices() async throws {
    let workspace = try Workspace()
    try workspace.write("a.csv", "sku,price,size\nA,1.50,007\nB,2.25,010\nC,3.00,011\n")
    let made = try await workspace.run("init", "a.csv")
    let told = "2 of 3 are written otherwise in an export: 1.50 becomes 1.5 (line 2)"
    #expect(made.talk.contains("a.csv: price: " + told), "\(made.talk)")
    #expect(try workspace.text("pipelines/a.yaml").contains("Decimal; " + told))
    let model = try ModelReader.read(path: workspace.path("Model.xcdatamodeld"))
    #expect(model["A"]?.attribute("price")?.type == .decimal)
    #expect(model["A"]?.attribute("size")?.type == .string)
    let kept = try await workspace.run("init", "a.csv", "--keep-text", "--force")
    #expect(kept.talk.contains("1 column stays text"), "\(kept.talk)")
    #expect(try ModelReader.read(path: workspace.path("Model.xcdatamodeld"))["A"]?.attribute("price")?.type == .string)
  }
}
