import Foundation
import TestSupport
import Testing

@Suite("Examples")
struct ExampleTests {
  @Test("the surf journal adds, fetches in sections, edits on a scratch pad and exports")
  func surfJournal() async throws {
    let folder = try TemporaryFolder()
    let example = URL(filePath: Tool.path).deletingLastPathComponent().appending(path: "surf-journal-example").path
    let model = Tool.packageRoot.appending(path: "seeds/surf-journal/SurfJournal.xcdatamodeld").path
    let outcome = try await Tool.run([model, folder.path], in: folder.url, executable: example)
    #expect(
      outcome.text == """
        Bells Beach: 1
        Noosa: 2
        Winki Pop: 1
        worst: 3 entries are rated 2 or better
        exported 4 entries

        """)
    #expect(outcome.exitCode == 0, "\(outcome.talk)")
    let lines = try String(contentsOf: folder.file("journal.csv"), encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 5)
    #expect(lines.first == "date,location,rating")
    // The section that was edited is the second: Noosa, whose newest entry comes first.
    #expect(lines.contains("2001-01-04T00:00:00Z,Noosa,1"))
    let source = try String(
      contentsOf: Tool.packageRoot.appending(path: "examples/SurfJournal/main.swift"), encoding: .utf8)
    #expect(source.split(separator: "\n", omittingEmptySubsequences: false).count <= 60)
  }

  @Test("the classes of the surf journal are what generate makes of its model")
  func generated() async throws {
    let folder = try TemporaryFolder()
    let model = Tool.packageRoot.appending(path: "seeds/surf-journal/SurfJournal.xcdatamodeld").path
    let outcome = try await Tool.run(["generate", model, folder.path], in: Tool.packageRoot)
    #expect(outcome.exitCode == 0, "\(outcome.talk)")
    let committed = Tool.packageRoot.appending(path: "examples/SurfJournal/Generated")
    let names = try folder.names()
    #expect(try FileManager.default.contentsOfDirectory(atPath: committed.path).sorted() == names && !names.isEmpty)
    for name in names {
      let (made, kept) = (folder.file(name), committed.appending(path: name))
      #expect(try Data(contentsOf: made) == Data(contentsOf: kept), "\(name)")
    }
  }

  @Test("the example says how it is used")
  func usage() async throws {
    let example = URL(filePath: Tool.path).deletingLastPathComponent().appending(path: "surf-journal-example").path
    let outcome = try await Tool.run([], in: Tool.packageRoot, executable: example)
    #expect(outcome.exitCode == 64)
    #expect(outcome.talk.hasPrefix("usage:"))
  }
}
