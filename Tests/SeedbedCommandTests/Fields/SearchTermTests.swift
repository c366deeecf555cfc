import Foundation
import TestSupport
import Testing

/// Search terms that a pipeline derives from texts, and searches by their beginnings.
@Suite("Search terms")
struct SearchTermTests {
  private static let entities = """
      <entity name="Post" syncable="YES">
        <attribute name="canonicalTitle" optional="YES" attributeType="String" derived="YES"
          derivationExpression="canonical:(title)"/>
        <attribute name="identifier" attributeType="String"/>
        <attribute name="title" optional="YES" attributeType="String"/>
        <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Term"/>
        <relationship name="terms" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Term"
          inverseName="posts" inverseEntity="Term"/>
        <fetchIndex name="byCanonicalTitle">
          <fetchIndexElement property="canonicalTitle" type="Binary" order="ascending"/>
        </fetchIndex>
        \(ModelXML.unique("identifier"))
      </entity>
      <entity name="Term" syncable="YES">
        <attribute name="word" attributeType="String"/>
        <relationship name="posts" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Post"
          inverseName="terms" inverseEntity="Post"/>
        \(ModelXML.unique("word"))
      </entity>
    """

  private func workspace(
    terms: String = "{ from: words(title), match: word, map: { word: . } }", source: String = "posts.csv"
  ) throws -> Workspace {
    let workspace = try Workspace()
    try workspace.writeModel(Self.entities, to: "Posts.xcdatamodeld/Posts.xcdatamodel")
    try workspace.write(
      "posts.yaml",
      """
      model: Posts.xcdatamodeld
      store: { path: Posts.sqlite, replace: never }
      import:
        - from: \(source)
          entity: Post
          match: identifier
          map:
            identifier: id
            title: title
            terms: \(terms)
      """)
    return workspace
  }

  private static let links = """
    SELECT p.ZIDENTIFIER || ' ' || t.ZWORD FROM ZPOST p JOIN Z_1TERMS l ON l.Z_1POSTS = p.Z_PK
    JOIN ZTERM t ON t.Z_PK = l.Z_2TERMS ORDER BY 1
    """

  private static let posts = "id,title\na,\"Apple, apple pie!\"\nb,L'Été des APPLES\nc,\nd,...\n"

  @Test("each word of a text is one term that texts share; an empty text and one of signs alone have none")
  func first() async throws {
    let workspace = try workspace()
    try workspace.write("posts.csv", Self.posts)
    let lint = try await workspace.run("lint", "posts.yaml")
    #expect(lint.exitCode == 0 && lint.text.isEmpty, "\(lint.text)\(lint.talk)")
    let run = try await workspace.run("run", "posts.yaml")
    #expect(run.exitCode == 0, "\(run.text)\(run.talk)")
    #expect(
      try workspace.query("Posts.sqlite", Self.links) == ["a apple", "a pie", "b apples", "b des", "b ete", "b l"])
    #expect(
      try workspace.query("Posts.sqlite", "SELECT ZCANONICALTITLE FROM ZPOST WHERE ZIDENTIFIER = 'b'") == [
        "l'ete des apples"
      ])
    let check = try await workspace.run("check", "Posts.sqlite", "--model", "Posts.xcdatamodeld")
    #expect(check.exitCode == 0, "\(check.text)")
  }

  @Test("another import links the words that a text has now, and unlinks those that it has no more")
  func again() async throws {
    let workspace = try workspace()
    try workspace.write("posts.csv", Self.posts)
    #expect(try await workspace.run("run", "posts.yaml").exitCode == 0)
    try workspace.write("posts.csv", "id,title\na,Apple cake\nb,\nc,apple\nd,...\n")
    let report = try await workspace.report("posts.yaml")
    #expect(report.exitCode == 0 && report.steps[0].counts.updated == 3 && report.steps[0].counts.unchanged == 1)
    #expect(try workspace.query("Posts.sqlite", Self.links) == ["a apple", "a cake", "c apple"])
    // A term without posts stays: it is an object like others.
    #expect(
      try workspace.query("Posts.sqlite", "SELECT ZWORD FROM ZTERM ORDER BY 1") == [
        "apple", "apples", "cake", "des", "ete", "l", "pie",
      ])
    let bytes = try workspace.bytes("Posts.sqlite")
    #expect(try await workspace.report("posts.yaml").result == "unchanged")
    #expect(try workspace.bytes("Posts.sqlite") == bytes)
  }

  @Test("terms are found by their beginning through an index, and posts through their terms")
  func prefixes() async throws {
    let workspace = try workspace()
    let lines = (0..<500).map { "p\($0),Word\($0) common tail\($0 % 7)" }
    try workspace.write("posts.csv", "id,title\n" + lines.joined(separator: "\n") + "\nq,Apple pie\nr,Ápplés\n")
    let run = try await workspace.run("run", "--quiet", "posts.yaml")
    #expect(run.exitCode == 0, "\(run.talk)")
    let found = try await workspace.run(
      "query", "Posts.sqlite", "Term WHERE word BEGINSWITH 'ap'", "--columns", "word", "--format", "csv", "--quiet")
    #expect(found.text == "word\napple\npie\n".replacing("pie", with: "apples"), "\(found.text)\(found.talk)")
    for (query, index) in [
      ("Post WHERE ANY terms.word BEGINSWITH 'ap'", "Z_Term_UNIQUE_word (ZWORD>? AND ZWORD<?)"),
      ("Term WHERE word BEGINSWITH 'ap'", "Z_Term_UNIQUE_word (ZWORD>? AND ZWORD<?)"),
      (
        "Post WHERE canonicalTitle BEGINSWITH 'app'",
        "Z_Post_byCanonicalTitle (ZCANONICALTITLE>? AND ZCANONICALTITLE<?)"
      ),
    ] {
      let plan = try await workspace.run("query", "Posts.sqlite", query, "--explain")
      #expect(plan.text.contains(index) && !plan.text.contains("<- every row"), "\(plan.text)")
    }
    let posts = try await workspace.run(
      "query", "Posts.sqlite", "Post WHERE ANY terms.word BEGINSWITH 'ap'", "--columns", "identifier", "--format",
      "csv", "--quiet")
    #expect(posts.text == "identifier\nq\nr\n", "\(posts.text)\(posts.talk)")
  }

  @Test("lists come from JSON and from split, too; an absent field leaves the terms as they are, null clears them")
  func otherLists() async throws {
    let workspace = try workspace(
      terms: "{ from: 'split(tags, \"|\")', match: word, map: { word: lower(.) } }", source: "posts.ndjson")
    try workspace.write(
      "posts.ndjson", #"{"id":"a","title":"A","tags":"Red|blue|RED"}"# + "\n" + #"{"id":"b","title":"B","tags":"x"}"#)
    let run = try await workspace.run("run", "posts.yaml")
    #expect(run.exitCode == 0, "\(run.text)\(run.talk)")
    #expect(try workspace.query("Posts.sqlite", Self.links) == ["a blue", "a red", "b x"])
    try workspace.write("posts.ndjson", #"{"id":"a","title":"A"}"# + "\n" + #"{"id":"b","title":"B","tags":null}"#)
    #expect(try await workspace.run("run", "posts.yaml").exitCode == 0)
    #expect(try workspace.query("Posts.sqlite", Self.links) == ["a blue", "a red"])
  }

  @Test(
    "a list where it cannot be is refused, by lint and by a run",
    arguments: [
      ("author", "{ from: words(title), match: word, map: { word: . } }", "is to-one"),
      ("terms", "{ from: words(title), match: word, map: { word: name } }", "write . for the element itself"),
      ("title", "words(title)", "give a list"), ("terms", "{ from: words(), match: word, map: { word: . } }", "words"),
    ])
  func mistakes(key: String, terms: String, message: String) async throws {
    let workspace = try Workspace()
    try workspace.writeModel(Self.entities, to: "Posts.xcdatamodeld/Posts.xcdatamodel")
    try workspace.write("posts.csv", Self.posts)
    try workspace.write(
      "posts.yaml",
      """
      model: Posts.xcdatamodeld
      store: { path: Posts.sqlite }
      import: [{ from: posts.csv, entity: Post, match: identifier, map: { identifier: id, \(key): \(terms) } }]
      """)
    for command in ["lint", "run"] {
      let found = try await workspace.run(command, "posts.yaml")
      #expect(found.exitCode == 78, "\(command): \(found.text)\(found.talk)")
      #expect((found.text + found.talk).contains(message), "\(found.text)\(found.talk)")
    }
  }
}
