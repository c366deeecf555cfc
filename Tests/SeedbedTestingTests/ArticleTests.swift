import Foundation
import Seedbed
import SeedbedTesting
import TestSupport
import Testing

@Suite("Samples of the article about testing")
struct ArticleTests {
  @Test("every sample is compiled here, word for word")
  func sameText() throws {
    let source = try DocumentSamples.source("TestingSamples.swift")
    let blocks = try DocumentSamples.swift(in: "Sources/SeedbedTesting/SeedbedTesting.docc/SeedbedTesting.md")
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
