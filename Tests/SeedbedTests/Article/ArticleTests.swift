import Foundation
import TestSupport
import Testing

@Suite("The first example of the article for readers who know Core Data")
struct ArticleTests {
  @Test("the lines in the article are the ones that are compiled here")
  func sameLines() throws {
    let samples = try DocumentSamples.swift(in: "Sources/ObjectGraph/ObjectGraph.docc/ForCoreDataUsers.md")
    #expect(samples.contains(try DocumentSamples.source("ArticleExample.swift")))
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
