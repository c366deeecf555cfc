import Foundation
import Testing

/// Texts in Windows-1252, and what Latin-1 makes of them.
@Suite("Texts in Windows-1252")
struct WindowsTextTests {
  private static let names = "SELECT ZNAME FROM ZITEM ORDER BY ZIDENTIFIER"

  private func workspace(_ encoding: String, format: String = "csv", _ bytes: [UInt8]) throws -> Workspace {
    let workspace = try Workspace.withModel()
    try workspace.write("items.\(format)", bytes)
    try ItemPipeline(
      source: "{ path: items.\(format), encoding: \(encoding) }", map: ["identifier: id", "name: name"],
      rejects: "file: bad.csv, limit: 9"
    ).write(to: workspace)
    return workspace
  }

  /// `id,name` and a line with the byte for each of them.
  private static func table(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    Array("id,name\n".utf8)
      + bytes.flatMap { Array("\(UInt32($0) + 1000),<".utf8) + [$0] + Array(">\n".utf8) }
  }

  @Test("every byte from 0x80 is the character of the code page", arguments: ["windows-1252", "cp1252", "CP1252"])
  func everyByte(encoding: String) async throws {
    let workspace = try workspace(encoding, Self.table(0x80...0xFF))
    let run = try await workspace.run("run", "items.yaml")
    #expect(run.exitCode == 0 && !run.text.contains("control characters"), "\(run.text)\(run.talk)")
    let high = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ"
    let expected = high.unicodeScalars.map { "<\(String($0))>" } + (0xA0...0xFF).map { "<\(UnicodeScalar(UInt8($0)))>" }
    #expect(try workspace.query("Shop.sqlite", Self.names) == expected)
  }

  @Test("JSON is read in it too, and rejects are written in it")
  func json() async throws {
    let line = Array(#"{"id":"a","name":""#.utf8) + [0x93, 0x80, 0x94] + Array("\"}\n".utf8)
    let workspace = try workspace("windows-1252", format: "ndjson", line)
    #expect(try await workspace.run("run", "items.yaml").exitCode == 0)
    #expect(try workspace.query("Shop.sqlite", Self.names) == ["“€”"])
    let bad = try self.workspace("windows-1252", Array("id,name\na,A\n,".utf8) + [0x80] + Array("\n".utf8))
    #expect(try await bad.run("run", "items.yaml").exitCode == 1)
    #expect(try bad.bytes("bad.csv").contains(0x80))
  }

  @Test("a run tells of bytes that latin-1 makes control characters, once for each file, and lets it be")
  func controls() async throws {
    let workspace = try workspace("latin-1", Self.table([0x93, 0xE4, 0x94]))
    let run = try await workspace.run("run", "items.yaml")
    #expect(run.exitCode == 0)
    let note =
      "Item: items.csv: it has bytes from 0x80 to 0x9F, which latin-1 makes control characters: is it encoding: windows-1252?"
    #expect(run.text.components(separatedBy: note).count == 2, "\(run.text)")
    let json = try await workspace.run("run", "items.yaml", "--json")
    #expect(json.text.contains(#""reason": "control characters""#), "\(json.text)")
    #expect(try workspace.query("Shop.sqlite", Self.names) == ["<\u{93}>", "<\u{94}>", "<ä>"])
    try workspace.write("items.csv", Self.table(0xA0...0xFF))
    #expect(!(try await workspace.run("run", "items.yaml").text.contains("control characters")))
  }

  @Test("text that is no UTF-8 is told with both encodings in the hint")
  func hint() async throws {
    let workspace = try workspace("utf-8", Self.table([0x80]))
    let run = try await workspace.run("run", "items.yaml")
    #expect(run.exitCode == 1 && run.text.contains("such as encoding: windows-1252 or latin-1"), "\(run.text)")
  }

  @Test("init chooses windows-1252 where such bytes occur, and latin-1 elsewhere")
  func inference() async throws {
    for (byte, encoding) in [(UInt8(0x80), "windows-1252"), (0xE4, "latin-1")] {
      let workspace = try Workspace()
      var bytes = Array("id,name\n".utf8)
      for number in 0..<20 { bytes += Array("\(number),n\(number)".utf8) + (number == 19 ? [byte] : []) + [10] }
      try workspace.write("items.csv", bytes)
      let outcome = try await workspace.run("init", "items.csv")
      #expect(outcome.exitCode == 0, "\(outcome.talk)")
      let names = try workspace.names(in: "pipelines")
      let pipeline = try workspace.text("pipelines/" + (names.first ?? ""))
      #expect(pipeline.contains("encoding: \(encoding)"), "\(pipeline)")
    }
  }
}
