import ObjectModel
import Testing

@testable import Pipelines

/// What is meant by a word, a pattern or a name of another tool is offered, and it works.
@Suite("What is meant")
struct MeantTests {
  @Test(
    "a date pattern of another language becomes the one that is meant",
    arguments: [
      ("DD.MM.YYYY", "dd.MM.yyyy"), ("YYYY-MM-DD", "yyyy-MM-dd"), ("MM/DD/YYYY HH:mm", "MM/dd/yyyy HH:mm"),
      ("dd.mm.yyyy", "dd.MM.yyyy"), ("%d.%m.%Y", "dd.MM.yyyy"), ("%Y-%m-%d %H:%M:%S", "yyyy-MM-dd HH:mm:ss"),
      ("%d %b %Y", "dd MMM yyyy"), ("%m/%d/%Y %I:%M %p", "MM/dd/yyyy hh:mm a"), ("D.M.YYYY", "d.M.yyyy"),
    ])
  func dates(_ pattern: String, _ meant: String) throws {
    let error = #expect(throws: DateFormatError.self) { try DatePattern(pattern) }
    #expect(error?.hint?.hasPrefix("did you mean \(meant)?") == true)
    _ = try DatePattern(meant)
  }

  @Test("every value that is offered is one that the field takes")
  func choices() {
    let words = [
      "desc", "asc", "true", "false", "no", "append", "skip", "error", "merge", "insert", "jsonl", "tab", "latin1",
    ]
    var offered = 0
    for section in PipelineSection.allCases {
      for field in section.fields {
        guard case .choice(let known) = field.type else { continue }
        for word in words where !known.contains(word) {
          guard let hint = ForeignVocabulary.hint(forValue: word, of: field) else { continue }
          offered += 1
          #expect(known.contains { hint == "did you mean \"\($0)\"?" }, "\(field.name): \(word)")
        }
      }
    }
    #expect(offered > 10)
  }

  @Test(
    "a near name is offered, a far one is not",
    arguments: [
      ("runn", "run"), ("sale", "onSale"), ("Stock", "stock"), ("nmae", "name"), ("Categories", nil), ("init", nil),
      ("x", nil),
    ] as [(String, String?)])
  func names(_ name: String, _ meant: String?) {
    #expect(
      Suggestion.nearest(to: name, among: ["run", "lint", "stock", "name", "onSale", "price", "addedAt"]) == meant)
  }
}
