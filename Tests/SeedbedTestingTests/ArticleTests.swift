import Foundation
import Seedbed
import SeedbedTesting
import TestSupport
import Testing

@Suite("Samples of the article about testing")
struct ArticleTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

  @Test("every sample is compiled here, word for word")
  func sameText() throws {
    let article = FixtureFolder.packageRoot.appending(
      path: "Sources/SeedbedTesting/SeedbedTesting.docc/SeedbedTesting.md")
    let text = try String(contentsOf: article, encoding: .utf8)
    let source = try String(contentsOf: Self.folder.appending(path: "TestingSamples.swift"), encoding: .utf8)
    let blocks = text.components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    #expect(blocks.count == 5)
    for block in blocks { #expect(source.contains(block), "\(block)") }
  }

  @Test("they do what the article says")
  func work() async throws {
    #expect(try ratingsOfFixtures(Journal.model()).sorted() == [2, 5])
    try testSaveOnBrokenDisk(Journal.model())
    let container = try PersistentContainer.inMemory(Journal.model())
    try await testImportReachesTheScreen(PersistentContainer.inMemory(Journal.model()))
    try Journal.fill(container)
    try testListAsksTwice(container)
  }
}
