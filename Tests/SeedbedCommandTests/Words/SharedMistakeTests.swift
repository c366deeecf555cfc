import Foundation
import Testing

/// `run` ends with the errors that `lint` lists, in its order and words, before it touches anything.
@Suite("Mistakes that run and lint tell alike")
struct SharedMistakeTests {
  static let cases: [(name: String, yaml: String)] = [
    ("an entity and an expectation of the store", "Items|identifier: id|expect: [{ entity: Itemz, count: 1 }]"),
    (
      "only an expectation's predicate",
      "Item|identifier: id, name: name|expect: [{ entity: Item, predicate: \"nam == 1\" }]"
    ),
    (
      "several steps, exports and expectations",
      "Item|identifier: id, nam: name, parent: { match: identifer, from: id }|"
        + "export: [{ entity: Item, to: out.csv, columns: [identifer] }, { entity: Tog, to: tog.csv }]\n"
        + "expect: [{ entity: Tog, min: 1 }, { entity: Item, predicate: \"name == \" }]"
    ),
    ("match keys that are not mapped", "Item|name: name|"),
    ("a constant of the wrong type", "Item|identifier: id, name: name, count: '\"many\"'|"),
    (
      "a mistake in the file beside mistakes that only the model shows",
      "Item|identifier: id, nam: name|rejects: { limt: 1 }"
    ),
    ("an expectation that expects nothing", "Items|identifier: id|expectation"),
  ]

  @Test("they are the same", arguments: cases)
  func same(_ bad: (name: String, yaml: String)) async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", "id,name\na,A\n")
    let parts = bad.yaml.components(separatedBy: "|")
    let isEmptyExpectation = parts[2] == "expectation"
    try workspace.write(
      "items.yaml",
      """
      model: Shop.xcdatamodeld
      store: { path: Shop.sqlite }
      import:
        - from: items.csv
          entity: \(parts[0])
          match: [identifier]
          \(isEmptyExpectation ? "expect: {}" : "name: first")
          map: { \(parts[1]) }
      \(isEmptyExpectation ? "" : parts[2])

      """)
    let names = try workspace.names()
    let lint = try await workspace.run("lint", "items.yaml")
    let run = try await workspace.run("run", "items.yaml")
    #expect(lint.exitCode == 78 && run.exitCode == 78, "\(run.talk)\n\(lint.text)")
    let errors = Self.errors(lint.text)
    #expect(run.talk.trimmingCharacters(in: .newlines) == "error: " + errors.joined(separator: "\n"))
    #expect(errors.count > 0 && (!bad.yaml.contains("Items|") || errors.joined().contains("did you mean \"Item\"?")))
    if isEmptyExpectation { #expect(errors.joined().contains("expects nothing")) }
    if bad.yaml.contains("limt") {
      #expect(errors.joined().contains("limt") && errors.joined().contains("\"nam\""), "\(errors)")
    }
    if bad.yaml.contains("Itemz") { #expect(errors.joined().contains("\"Itemz\""), "\(errors)") }
    #expect(try workspace.names() == names)
  }

  /// The errors of lint's list, with their hints.
  private static func errors(_ text: String) -> [String] {
    var problems: [String] = []
    for line in text.split(separator: "\n").map(String.init) {
      if line.hasPrefix("  hint: "), let last = problems.popLast() {
        problems.append(last + "\n" + line)
      } else if !line.contains(" errors, ") && !line.contains(" error, ") {
        problems.append(line)
      }
    }
    return problems.filter { !$0.contains(": warning: ") }
  }

  @Test("a column whose name reads like something else is no mistake to either")
  func columns() async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", "id,5\na,12\n")
    try ItemPipeline(map: ["identifier: id", "name: \"5\""]).write(to: workspace)
    #expect(try await workspace.run("lint", "items.yaml").exitCode == 0)
    #expect(try await workspace.run("run", "items.yaml").exitCode == 0)
    #expect(try workspace.query("Shop.sqlite", "SELECT ZNAME FROM ZITEM") == ["12"])
  }

  @Test("a faulty source does not hide another one, nor the mistakes of other steps")
  func layers() async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", "id,nam\na,A\n")
    try workspace.write("tags.csv", "tag\nx\n")
    let pipeline = ItemPipeline(
      map: ["identifier: id", "name: name"],
      more: """
          - { from: tags.csv, entity: Tag, map: { name: title } }
          - { from: tags.csv, entity: Tog, map: { name: tag } }
        """)
    try pipeline.write(to: workspace)
    let lint = try await workspace.run("lint", "items.yaml")
    #expect(lint.exitCode == 78)
    for part in ["\"name\"", "\"title\"", "\"Tog\""] { #expect(lint.text.contains(part), "\(lint.text)") }
  }
}
