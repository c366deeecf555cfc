import Foundation
import SQLite
import Testing

/// `replace: when-changed` builds anew what is not as the run left it, and an import of nothing new says nothing new.
@Suite("Results that are still what was made")
struct ResultProofTests {
  private func workspace(_ store: String) async throws -> Workspace {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", "id,name\n" + (0..<300).map { "i\($0),Name \($0)\n" }.joined())
    let yaml = ItemPipeline(map: ["identifier: id", "name: name"]).yaml
    try workspace.write("items.yaml", yaml.replacingOccurrences(of: "replace: always", with: store))
    #expect(try await workspace.report("items.yaml").result == "built")
    return workspace
  }

  @Test(
    "a store that was changed, cut short or taken away is built anew",
    arguments: ["UPDATE ZITEM SET ZNAME = 'X' WHERE Z_PK = 7", "byte", "shorter", "longer", "other", "gone", "log"])
  func changed(way: String) async throws {
    for journal in ["delete", "wal"] {
      let workspace = try await workspace("journal: \(journal), replace: when-changed")
      #expect(try await workspace.report("items.yaml").result == "up-to-date")
      let made = try workspace.bytes("Shop.sqlite")
      switch way {
      case "byte":
        var bytes = made
        let place = try #require(Data(bytes).range(of: Data("Name 77".utf8))?.lowerBound)
        bytes[place] = UInt8(ascii: "G")
        try workspace.write("Shop.sqlite", bytes)
      case "shorter": try workspace.write("Shop.sqlite", Array(made.dropLast(4096)))
      case "longer": try workspace.write("Shop.sqlite", made + [UInt8](repeating: 0, count: 4096))
      case "other":
        try workspace.write(
          "other.yaml",
          workspace.text("items.yaml").replacingOccurrences(of: "Shop.sqlite", with: "Other.sqlite")
            .replacingOccurrences(of: "when-changed", with: "always"))
        #expect(try await workspace.run("run", "other.yaml").exitCode == 0)
        try workspace.write("Shop.sqlite", workspace.bytes("Other.sqlite"))
      case "gone": try FileManager.default.removeItem(at: workspace.url("Shop.sqlite"))
      case "log":
        let connection = try Connection(path: workspace.path("Shop.sqlite"))
        _ = try connection.string("PRAGMA journal_mode = wal")
        try connection.set(.noCheckpointOnClose, true)
        try connection.setKeepsWriteAheadLog(true)
        try connection.execute("UPDATE ZITEM SET ZNAME = 'X'")
        try connection.close()
      default:
        try workspace.execute("Shop.sqlite", way)
      }
      let outcome = try await workspace.run("run", "items.yaml")
      #expect(outcome.exitCode == 0, "\(outcome.talk)")
      #expect(outcome.text.contains("not as the last run left it") == (way != "gone"), "\(way): \(outcome.text)")
      #expect(try workspace.bytes("Shop.sqlite") == made, "\(way)")
      #expect(try await workspace.report("items.yaml").result == "up-to-date")
    }
  }

  @Test(
    "an export that was changed, cut short or taken away is written anew, and the store stays",
    arguments: ["Items.csv", "Items.csv.gz", "Items.ndjson"])
  func exports(name: String) async throws {
    let workspace = try await workspace("replace: when-changed")
    let yaml = try workspace.text("items.yaml")
    try workspace.write(
      "items.yaml",
      yaml + "\nexport:\n  - { entity: Item, to: \(name), columns: [identifier, name] }\n"
        + "  - { entity: Item, to: Other.csv, columns: [name] }\n")
    let first = try await workspace.run("run", "items.yaml")
    #expect(first.exitCode == 0, "\(first.talk)")
    let store = try workspace.bytes("Shop.sqlite")
    let made = try workspace.bytes(name)
    let names = try workspace.names()
    for way in ["byte", "short", "shorter", "empty", "longer", "gone", "none"] {
      switch way {
      case "byte":
        var bytes = made
        bytes[bytes.count - 9] ^= 1
        try workspace.write(name, bytes)
      case "short": try workspace.write(name, Array(made.dropLast(5)))
      case "shorter": try workspace.write(name, Array(made.prefix(name.hasSuffix("ndjson") ? 40 : 15)))
      case "empty": try workspace.write(name, "")
      case "longer": try workspace.write(name, made + made.suffix(1))
      case "gone": try FileManager.default.removeItem(at: workspace.url(name))
      default: break
      }
      let before = workspace.exists(name) ? try workspace.bytes(name) : nil
      let dry = try await workspace.run("run", "--dry-run", "items.yaml")
      #expect(dry.exitCode == 0 && dry.text.contains("would be written anew") == (way != "none"), "\(way): \(dry.talk)")
      #expect((workspace.exists(name) ? try workspace.bytes(name) : nil) == before)
      let outcome = try await workspace.run("run", "items.yaml")
      #expect(outcome.exitCode == 0, "\(way): \(outcome.talk)")
      #expect(outcome.text.contains("is up to date"), "\(way): \(outcome.text)")
      #expect(outcome.text.contains("\(name) is") == (way != "none"), "\(way): \(outcome.text)")
      #expect(outcome.text.contains("exported 300 Item to \(name)") == (way != "none"), "\(way): \(outcome.text)")
      #expect(!outcome.text.contains("Other.csv"))
      #expect(try workspace.bytes(name) == made, "\(way)")
      #expect(try workspace.bytes("Shop.sqlite") == store)
      #expect(try workspace.names() == names)
    }
  }

  @Test(
    "an import that finds nothing new leaves the store to the byte, whatever its source looks like",
    arguments: ["delete", "wal"])
  func nothingNew(journal: String) async throws {
    let workspace = try await workspace("journal: \(journal), replace: never")
    let before = try workspace.bytes("Shop.sqlite")
    // The same records in other words, and another pipeline.
    try workspace.write(
      "items.csv", workspace.text("items.csv").replacingOccurrences(of: "i7,Name 7", with: "\"i7\",Name 7"))
    try workspace.write("items.yaml", workspace.text("items.yaml") + "# another\n")
    let report = try await workspace.report("items.yaml")
    #expect(report.total == Report.Counts(read: 300, unchanged: 300))
    #expect(try workspace.bytes("Shop.sqlite") == before)
  }
}
