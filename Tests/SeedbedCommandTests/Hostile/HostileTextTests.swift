import Foundation
import Testing

/// Names, values and arguments that would take hold of a terminal.
@Suite("Text that a terminal must not see")
struct HostileTextTests {
  /// One of each sort: C0, DEL, C1, marks, embeddings, overrides and isolates of direction, separators.
  private static let hostile =
    "x\u{1B}[31my\u{7}\r\u{8}\u{7F}\u{85}\u{9B}2J\u{61C}\u{200E}\u{200F}\u{2028}\u{2029}\u{202E}z\u{2066}"
  /// What XML and YAML can hold of it.
  private static let inModels = "x\u{7F}\u{85}\u{9B}2J\u{61C}\u{200E}\u{200F}\u{2028}\u{202E}z\u{2066}"

  /// Said here once more, so that the tool's own opinion is not what it is measured by.
  private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
    let code = scalar.value
    if code < 0x20 { return code != 0x0A }
    return (0x7F...0x9F).contains(code) || [0x061C, 0x200E, 0x200F, 0x2028, 0x2029].contains(code)
      || (0x202A...0x202E).contains(code) || (0x2066...0x2069).contains(code)
  }

  /// The characters of an outcome that should have been written out.
  private func harmful(_ outcome: Tool.Outcome) -> [String] {
    (outcome.text + outcome.talk).unicodeScalars.filter(Self.isHarmful).map { String($0.value, radix: 16) }
  }

  private static let h = hostile
  private static let arguments: [[String]] = [
    ["run", h], ["lint", h], ["check", h], ["inspect", h], ["copy", h, "x"], ["export", h, "--entity", h],
    ["dump", h, "x"], ["generate", h, "x"], [h], ["run", "--" + h], ["run", "items.yaml", "--jobs", h],
    ["run", "items.yaml", "--memory", h], ["run", "items.yaml", "--strategy", h],
    ["check", "Shop.sqlite", "--model", h],
    ["inspect", "Shop.sqlite", "--model", "Shop.xcdatamodeld", "--model-version", h],
    ["inspect", "Shop.xcdatamodeld", "--er", h + ".svg"],
    ["inspect", "Shop.sqlite", "--er", h], ["copy", "Shop.sqlite", h], ["copy", "Shop.sqlite", "none/" + h + "/x"],
    ["export", "Shop.sqlite", "--model", "Shop.xcdatamodeld", "--entity", h],
    ["export", "Shop.sqlite", "--model", "Shop.xcdatamodeld", "--entity", "Item", "--columns", h],
    ["export", "Shop.sqlite", "--model", "Shop.xcdatamodeld", "--entity", "Item", "--order", h],
    ["export", "Shop.sqlite", "--model", "Shop.xcdatamodeld", "--entity", "Item", "--output", h],
    ["dump", "--model", "Shop.xcdatamodeld", "Shop.sqlite", h], ["generate", "Shop.xcdatamodeld", h],
    ["help", h], ["check", "Shop.sqlite", "--log-format", h], ["run", h, "--log-format", "json"],
    ["lint", h, "--json"], ["check", h, "--json"], ["inspect", h, "--json"],
  ]

  @Test("arguments of every command", arguments: arguments)
  func argument(words: [String]) async throws {
    let workspace = try await Workspace.withItems()
    let outcome = try await Tool.run(words, in: workspace.folder)
    #expect(harmful(outcome) == [], "\(outcome)")
  }

  @Test("names of files, shown by every command that works on them")
  func files() async throws {
    let workspace = try await Workspace.withItems()
    let h = Self.hostile
    let files = FileManager.default
    try files.moveItem(atPath: workspace.path("Shop.sqlite"), toPath: workspace.path(h + ".sqlite"))
    try files.copyItem(atPath: workspace.path("Shop.xcdatamodeld"), toPath: workspace.path(h + ".xcdatamodeld"))
    let model = ["--model", h + ".xcdatamodeld"]
    for words in [
      ["check"] + model, ["check", "--json"] + model, ["inspect"] + model, ["inspect", "--json"] + model, ["inspect"],
      ["check", "--bundle"],
    ] {
      let outcome = try await Tool.run(words + [h + ".sqlite"], in: workspace.folder)
      #expect(harmful(outcome) == [], "\(words) \(outcome)")
    }
    try workspace.write(h + ".csv", "id,\(h)\na,A\n,\(h)\n")
    try workspace.write(
      h + ".yaml",
      """
      model: Shop.xcdatamodeld
      store: { path: Shop.sqlite }
      import:
        - from: "x*.csv"
          name: "s\\e\\x9b\\u202e"
          entity: Item
          map: { identifier: id, name: name, count: '"\\u202e\\x9b"' }
      """)
    for words in [["run"], ["lint"], ["lint", "--json"], ["run", "--log-format", "json"]] {
      let outcome = try await Tool.run(words + [h + ".yaml"], in: workspace.folder)
      #expect(harmful(outcome) == [], "\(words) \(outcome)")
      #expect(outcome.exitCode != 0)
    }
  }

  @Test("values in rejects, and names of steps and columns in reports")
  func values() async throws {
    let workspace = try Workspace.withModel()
    let h = Self.hostile
    try workspace.write(
      "items.csv", "id,name,count,\(h.replacingOccurrences(of: "\r", with: ""))\na,A,\"\(h)\",1\nb,B,2,3\n")
    try workspace.write(
      "items.yaml",
      """
      model: Shop.xcdatamodeld
      store: { path: "S\\e\\x9b\\u202e.sqlite" }
      import:
        - from: items.csv
          name: "s\\e\\x9b\\u202e"
          entity: Item
          map: { identifier: id, name: name, count: count }
      rejects: { file: "r\\e\\u202e.csv", limit: 5 }
      export: [{ entity: Item, to: "e\\e\\u202e.csv" }]
      """)
    for words in [["run", "--verbose"], ["run", "--json"], ["lint"]] {
      let outcome = try await Tool.run(words + ["items.yaml"], in: workspace.folder)
      #expect(harmful(outcome) == [], "\(words) \(outcome)")
    }
    // The file of rejects is data: it keeps the record as it was.
    #expect(try workspace.text("r\u{1B}\u{202E}.csv").contains(h))
  }

  @Test("control characters in names of models are escaped")
  func models() async throws {
    let workspace = try await Workspace.withItems()
    let h = Self.inModels
    try workspace.write(
      "Bad.xcdatamodeld/Bad.xcdatamodel/contents",
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="\(h)">
        <entity name="\(h)"><attribute name="\(h)" attributeType="\(h)"/></entity>
        <entity name="Item" renamingIdentifier="\(h)" versionHashModifier="\(h)">
          <attribute name="identifier" attributeType="String" defaultValueString="\(h)"/>
        </entity>
      </model>
      """)
    for words in [
      ["inspect", "Bad.xcdatamodeld"], ["inspect", "--json", "Bad.xcdatamodeld"],
      ["check", "--model", "Bad.xcdatamodeld", "Shop.sqlite"], ["generate", "Bad.xcdatamodeld", "out"],
    ] {
      let outcome = try await Tool.run(words, in: workspace.folder)
      #expect(harmful(outcome) == [], "\(words) \(outcome)")
    }
    try workspace.write(
      "Bad.xcdatamodeld/Bad.xcdatamodel/contents",
      workspace.text("Bad.xcdatamodeld/Bad.xcdatamodel/contents").split(separator: "\n")
        .filter { !$0.contains("attributeType=\"\(h)\"") }.joined(separator: "\n"))
    for words in [
      ["inspect", "Bad.xcdatamodeld"], ["inspect", "--json", "Bad.xcdatamodeld"],
      ["inspect", "--er", "-", "Bad.xcdatamodeld"],
    ] {
      let outcome = try await Tool.run(words, in: workspace.folder)
      #expect(outcome.exitCode == 0)
      #expect(harmful(outcome) == [], "\(words) \(outcome)")
    }
  }
}
