import Foundation
import Seedbed

/// The other process of a test. To every question among the notes ("question 1") it answers with a note of what its own
/// view context shows; then it counts all notes as read once more and deletes the question. "end" ends it.
@main
struct HistoryPeer {
  @MainActor static func main() async throws {
    guard CommandLine.arguments.count == 2 else { exit(64) }
    let notes = try FollowedNotes(storeURL: URL(filePath: CommandLine.arguments[1]))
    try notes.answerQuestions()
    await notes.exitWhenForgotten()
  }
}

extension FollowedNotes {
  fileprivate func answerQuestions() throws {
    merged = { [weak self] in
      guard let self else { return }
      let shown = shown
      if shown.contains("end 0") { exit(0) }
      guard let question = shown.first(where: { $0.hasPrefix("question") }) else { return }
      try write(author: "peer") { context, all in
        for note in all.values { note["readings"] = (note["readings"] ?? 0) + 1 }
        let text = question.split(separator: " ").dropLast().joined(separator: " ")
        if let asked = all[text] { context.delete(asked) }
        let answer = EntityDescription.insertNewObject(forEntityName: "Note", into: context)
        answer["text"] = "answer to \(text): \(shown.joined(separator: ", "))"
      }
    }
    // What came before the store was open.
    try merged?()
  }

  /// Waits, a quarter of an hour at the most, so that nothing is left of a test that fails. Beside a thousand others
  /// the test may have to wait for minutes itself.
  fileprivate func exitWhenForgotten() async {
    try? await Task.sleep(for: .seconds(900))
    exit(1)
  }
}
