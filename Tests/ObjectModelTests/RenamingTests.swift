import Testing

@testable import ObjectModel

@Suite("Parts of two models that belong together")
struct RenamingTests {
  struct Case: Sendable, CustomTestStringConvertible {
    /// Names, each with its renaming identifier behind a colon where it has one.
    var older: String
    var newer: String
    /// Older and newer name, or a dash for none.
    var pairs: String
    var testDescription: String { "\(older) → \(newer)" }
  }

  private static let cases = [
    Case(older: "a b", newer: "a b", pairs: "a>a b>b"), Case(older: "a", newer: "b", pairs: "a>- ->b"),
    // Renamed, and twice: by the first name, or by the last one.
    Case(older: "a", newer: "b:a", pairs: "a>b"), Case(older: "b:a", newer: "c:a", pairs: "b>c"),
    Case(older: "b:a", newer: "c:b", pairs: "b>c"), Case(older: "a", newer: "c:a", pairs: "a>c"),
    // Names change hands.
    Case(older: "a b", newer: "a:b b:a", pairs: "b>a a>b"),
    Case(older: "a b c", newer: "a:c b:a c:b", pairs: "c>a a>b b>c"),
    Case(older: "b:a d:c", newer: "b:d d:b", pairs: "d>b b>d"), Case(older: "a b", newer: "b:a c:b", pairs: "a>b b>c"),
    Case(older: "a", newer: "b:a a:new", pairs: "->a a>b"), Case(older: "a b", newer: "b:a", pairs: "a>b b>-"),
    // An identifier that leads to a part which keeps its name is no rename.
    Case(older: "a b", newer: "a b:a", pairs: "a>a b>b"), Case(older: "a b:a", newer: "a b:a", pairs: "a>a b>b"),
    Case(older: "a:z", newer: "a b:a", pairs: "a>a ->b"),
    // Identifiers come and go, and names stay.
    Case(older: "b:a", newer: "b:a a", pairs: "->a b>b"), Case(older: "b:a", newer: "b a", pairs: "->a b>b"),
    Case(older: "b:a", newer: "b", pairs: "b>b"), Case(older: "a", newer: "a:other", pairs: "a>a"),
  ]

  private struct Part {
    let name: String
    let identifier: String?
  }

  private func parts(_ text: String) -> [Part] {
    text.split(separator: " ").map { word in
      let words = word.split(separator: ":").map(String.init)
      return Part(name: words[0], identifier: words.count > 1 ? words[1] : nil)
    }
  }

  @Test("are found by identifier and name", arguments: cases)
  func pairs(models: Case) {
    let found = ModelComparison.pairs(parts(models.older), parts(models.newer), \.name, \.identifier)
    #expect(
      found.map { "\($0.old?.name ?? "-")>\($0.new?.name ?? "-")" }.sorted()
        == models.pairs.split(separator: " ").sorted().map(String.init))
  }
}
