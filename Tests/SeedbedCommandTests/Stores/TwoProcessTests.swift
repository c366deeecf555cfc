import Foundation
import HistoryPeer
import Seedbed
import TestSupport
import Testing

@Suite("Two processes over one store") @MainActor
struct TwoProcessTests {
  private static let peer = URL(filePath: Tool.path).deletingLastPathComponent().appending(path: "HistoryPeer").path

  @Test("they keep each other's view contexts right by remote changes and history")
  func views() async throws {
    let folder = try TemporaryFolder()
    let url = folder.file("notes.sqlite")
    let notes = try FollowedNotes(storeURL: url)
    let files = try ["input", "output", "talk"].map { try folder.write("", to: $0) }
    let peer = try ChildProcess(
      path: Self.peer, arguments: [url.path], environment: ProcessInfo.processInfo.environment, folder: folder.path,
      files: files)

    /// Waits until the view context of this process shows these notes.
    func wait(for expected: [String]) async throws {
      let isShown = try await poll(
        seconds: 800, until: { notes.shown == expected || notes.failure != nil }, unless: { !peer.isRunning })
      #expect(isShown && notes.failure == nil, "\(notes.shown) \(notes.failure.map { "\($0)" } ?? "")")
    }
    func insert(_ text: String, into context: ManagedObjectContext) {
      EntityDescription.insertNewObject(forEntityName: "Note", into: context)["text"] = text
    }

    // The other process reads both, counts the readings, deletes the question, and tells what it showed.
    try notes.write(author: "test") { context, _ in
      insert("a", into: context)
      insert("question 1", into: context)
    }
    try await wait(for: ["a 1", "answer to question 1: a 0, question 1 0 0"])

    // What it has loaded by now gets another text, and what it wrote itself goes.
    try notes.write(author: "test") { context, all in
      let note = try #require(all["a"])
      note["text"] = "b"
      context.delete(try #require(all["answer to question 1: a 0, question 1 0"]))
      insert("question 2", into: context)
    }
    try await wait(for: ["answer to question 2: b 1, question 2 0 0", "b 2"])

    try notes.write(author: "test") { context, _ in insert("end", into: context) }
    let exitCode = await peer.exitCode()
    let talk = try String(contentsOf: folder.file("talk"), encoding: .utf8)
    #expect(exitCode == 0, "\(talk)")
    let history = PersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
    let authors = try notes.container.viewContext.execute(history).transactions.map(\.author)
    #expect(authors == ["test", "peer", "test", "peer", "test"])
  }
}
