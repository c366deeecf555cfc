import Foundation
import TestSupport
import Testing

@Suite("The first example of the article for readers who know Core Data")
struct ArticleTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

  @Test("the lines in the article are the ones that are compiled here")
  func sameLines() throws {
    let source = try String(contentsOf: Self.folder.appending(path: "ArticleExample.swift"), encoding: .utf8)
    let article = try String(
      contentsOf: FixtureFolder.packageRoot.appending(path: "Sources/ObjectGraph/ObjectGraph.docc/ForCoreDataUsers.md"),
      encoding: .utf8
    )
    let parts = source.components(
      separatedBy: "// The lines from here on stand in the article ForCoreDataUsers.md too; a test compares them.\n\n")
    try #require(parts.count == 2)
    #expect(article.contains("```swift\n" + parts[0] + parts[1] + "```\n"))
  }

  @Test("it keeps a journal")
  func works() async throws {
    let folder = try TemporaryFolder()
    let model = FixtureFolder.packageRoot.appending(path: "seeds/surf-journal/SurfJournal.xcdatamodeld")
    for places in [["Noosa"], ["Noosa", "Noosa"]] {
      #expect(try await goodPlaces(journal: folder.file("journal.sqlite"), model: model) == places)
    }
  }
}
