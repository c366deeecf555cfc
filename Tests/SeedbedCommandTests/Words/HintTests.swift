import Foundation
import Testing

/// Hints lead to what works, and stand in a field of their own in JSON.
@Suite("Hints that lead to what works")
struct HintTests {
  private static func book(author: String = "optional=\"YES\"") -> String {
    """
    <entity name="Book"><attribute name="isbn" attributeType="String"/>
      <relationship name="tags" optional="YES" toMany="YES" destinationEntity="Tag" inverseName="books" inverseEntity="Tag"/>
      <relationship name="author" \(author) maxCount="1" destinationEntity="Tag" inverseName="written" inverseEntity="Tag"/>
      <uniquenessConstraints><uniquenessConstraint><constraint value="isbn"/></uniquenessConstraint></uniquenessConstraints>
    </entity>
    <entity name="Tag"><attribute name="word" attributeType="String"/>
      <relationship name="books" optional="YES" toMany="YES" destinationEntity="Book" inverseName="tags" inverseEntity="Book"/>
      <relationship name="written" optional="YES" toMany="YES" destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
      <uniquenessConstraints><uniquenessConstraint><constraint value="word"/></uniquenessConstraint></uniquenessConstraints>
    </entity>
    """
  }

  private func workspace(_ map: String, source: String = "b.json", store: String = "replace: always") throws
    -> Workspace
  {
    let workspace = try Workspace()
    try workspace.writeModel(Self.book())
    try workspace.write("b.json", #"[{"isbn":"1","tags":["a","b"],"author":"a"}]"#)
    try workspace.write("b.csv", "isbn,tags,author\n1,\"a,b\",a\n")
    try write(map, source: source, store: store, to: workspace)
    return workspace
  }

  private func write(_ map: String, source: String, store: String = "replace: always", to workspace: Workspace) throws {
    try workspace.write(
      "p.yaml",
      """
      model: M.xcdatamodel
      store: { path: o.sqlite, \(store) }
      import: [{ from: \(source), entity: Book, match: isbn, map: { \(map) } }]
      """)
  }

  @Test(
    "values of a relationship that no step imports: the form that is hinted at runs",
    arguments: [("tags", "b.json", "2"), ("author", "b.json", "1"), ("tags", "b.csv", "2")])
  func values(property: String, source: String, count: String) async throws {
    let workspace = try workspace("isbn: isbn, \(property): \(property)", source: source)
    let refused = try await workspace.run("run", "p.yaml", "--quiet")
    #expect(refused.exitCode == 78)
    let hint = try #require(refused.talk.firstMatch(of: /hint: write (\{ .* \}) to make objects of the values/)).output
      .1
    try write("isbn: isbn, \(property): \(hint)", source: source, to: workspace)
    let run = try await workspace.run("run", "p.yaml", "--quiet")
    #expect(run.exitCode == 0, "\(hint) \(run.talk)")
    #expect(try workspace.query("o.sqlite", "SELECT COUNT(*) FROM ZTAG") == [count])
  }

  @Test("keys of a list that match no object: the hint has the form that makes the objects")
  func keys() async throws {
    let workspace = try workspace("isbn: isbn, tags: { match: word, from: tags }")
    let run = try await workspace.run("run", "p.yaml", "--quiet")
    #expect(run.exitCode == 65)
    #expect(run.talk.contains("{ from: ..., match: word, map: { word: . } } makes objects"), "\(run.talk)")
  }

  @Test("a required relationship that is not mapped has no default to be given")
  func requiredRelationship() async throws {
    let workspace = try workspace("isbn: isbn")
    try workspace.writeModel(Self.book(author: ""))
    let run = try await workspace.run("run", "p.yaml", "--quiet")
    #expect(run.exitCode == 65)
    #expect(run.talk.contains("Book.author is required and map does not set it"), "\(run.talk)")
    #expect(run.talk.contains("map author, map its inverse"), "\(run.talk)")
    #expect(!run.talk.contains("give it a default in the model"), "\(run.talk)")
  }

  @Test("a store of an older model: the hint names the setting and the command that migrate it")
  func olderModel() async throws {
    let workspace = try workspace("isbn: isbn", store: "replace: never")
    try await workspace.succeed("run", "p.yaml", "--quiet")
    try workspace.writeModel(
      Self.book().replacing(
        "<entity name=\"Tag\">",
        with: "<entity name=\"Tag\"><attribute name=\"z\" optional=\"YES\" attributeType=\"String\"/>"))
    let run = try await workspace.run("run", "p.yaml", "--quiet")
    #expect(run.exitCode == 78)
    #expect(run.talk.contains("migrate: true under store"), "\(run.talk)")
    #expect(run.talk.contains("seedbed migrate ") && run.talk.contains("o.sqlite --model MODEL"), "\(run.talk)")
    try write("isbn: isbn", source: "b.json", store: "replace: never, migrate: true", to: workspace)
    try await workspace.succeed("run", "p.yaml", "--quiet")
  }

  @Test("in JSON the hint of a single mistake in a pipeline or a model is no part of the message")
  func fields() async throws {
    let workspace = try workspace("isbn: isbn")
    try await workspace.succeed("run", "p.yaml", "--quiet")
    try workspace.write("wrong.yaml", try workspace.text("p.yaml") + "\nexprot: []\n")
    for (arguments, code, hint) in [
      (["run", "wrong.yaml"], "pipeline", "export"),
      (["migrate", "o.sqlite", "--model", "Nope.xcdatamodel"], "model", "folder"),
    ] {
      let outcome = try await Tool.run(arguments + ["--json"], in: workspace.folder)
      let error = try #require(try outcome.object()["error"] as? [String: Any])
      #expect(error["code"] as? String == code)
      let (message, told) = (error["message"] as? String ?? "", error["hint"] as? String ?? "")
      #expect(!message.contains("hint:") && !message.isEmpty && !told.isEmpty && told.contains(hint), "\(error)")
      #expect(outcome.talk.contains("\(message)\n  hint: \(told)"), "\(outcome.talk)")
    }
  }

  @Test("migrate answers in JSON where the command line is wrong")
  func migrateUsage() async throws {
    let workspace = try Workspace()
    for arguments in [["migrate", "--to", "New", "o.sqlite"], ["migrate", "o.sqlite", "--model", "M", "--bogus"]] {
      let outcome = try await Tool.run(arguments + ["--json"], in: workspace.folder)
      #expect(outcome.exitCode == 64)
      let answer = try outcome.object()
      let error = try #require(answer["error"] as? [String: Any])
      #expect(error["code"] as? String == "usage" && error["hint"] is String, "\(error)")
      #expect(answer["store"] as? String == "o.sqlite" && answer["migrated"] as? Bool == false)
      #expect((answer["to"] as? String) == (arguments.contains("--to") ? "New" : nil))
    }
  }
}
