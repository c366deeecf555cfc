import TestSupport
import Testing

/// Records that add members to a relationship (`members: add`).
@Suite("Members that records add")
struct AddedMembersTests {
  /// Products and tags that have each other, and products with notes, one product's each.
  private static func entities(isOrdered: Bool) -> String {
    """
    <entity name="Product"><attribute name="sku" attributeType="String"/><attribute name="name" optional="YES" attributeType="String"/>
     <relationship name="tags" optional="YES" toMany="YES"\(isOrdered ? #" ordered="YES""# : "") deletionRule="Nullify" destinationEntity="Tag" inverseName="products" inverseEntity="Tag"/>
     <relationship name="notes" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Note" inverseName="product" inverseEntity="Note"/>
     \(ModelXML.unique("sku"))</entity>
    <entity name="Note"><attribute name="ident" attributeType="String"/>
     <relationship name="product" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Product" inverseName="notes" inverseEntity="Product"/></entity>
    <entity name="Tag"><attribute name="ident" attributeType="String"/>
     <relationship name="products" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Product" inverseName="tags" inverseEntity="Product"/>
     \(ModelXML.unique("ident"))</entity>
    """
  }

  private static let pairStep =
    "{ from: pairs.csv, entity: Product, match: sku, map: { sku: sku, name: { from: name, optional: true }, "
    + "tags: { match: ident, from: tag, members: add } } }"
  private static let tagStep =
    #"{ from: tags.csv, entity: Tag, key: '"k" & ident', match: ident, map: { ident: ident } }"#

  private static func workspace(_ steps: [String], isOrdered: Bool = false) throws -> Workspace {
    let workspace = try Workspace()
    try workspace.writeModel(entities(isOrdered: isOrdered))
    try workspace.write("tags.csv", "ident\n1\n2\n3\n")
    try write(steps, "", workspace)
    return workspace
  }

  private static func write(_ steps: [String], _ settings: String, _ workspace: Workspace) throws {
    try workspace.write(
      "pairs.yaml",
      """
      model: M.xcdatamodel
      store: { path: M.sqlite\(settings) }
      rejects: { limit: 1000 }
      import:
      \(steps.map { "  - \($0)" }.joined(separator: "\n"))

      """)
  }

  /// Products with their names, tags and notes: `A one 1,2,3`.
  private static func products(_ workspace: Workspace, isOrdered: Bool = false) throws -> [String] {
    try workspace.query(
      "M.sqlite",
      """
      SELECT ZSKU || ' ' || ifnull(ZNAME, '-') || ' ' || ifnull((SELECT group_concat(i) FROM (SELECT ZIDENT AS i
        FROM Z_2TAGS JOIN ZTAG ON ZTAG.Z_PK = Z_3TAGS WHERE Z_2PRODUCTS = ZPRODUCT.Z_PK
        ORDER BY \(isOrdered ? "Z_FOK_3TAGS" : "ZIDENT"))), '')
        || ifnull((SELECT ' ' || group_concat(i) FROM (SELECT ZIDENT AS i FROM ZNOTE WHERE ZPRODUCT = ZPRODUCT.Z_PK
        ORDER BY 1)), '') FROM ZPRODUCT ORDER BY ZSKU
      """.replacing("WHERE ZPRODUCT = ", with: "WHERE ZNOTE.ZPRODUCT = "))
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var pairs: String
    var steps = [tagStep, pairStep]
    var isOrdered = false
    var products: [String]
    /// Inserted, updated, unchanged and rejected records of the pairs.
    var counts: [Int]
    /// Whether the same file changes nothing the second time: no value or owner comes and goes in it.
    var isSettled = true
  }

  static let cases = [
    Case(
      testDescription: "each record of a pair adds one", pairs: "sku,tag\nA,1\nB,3\nA,2\nA,3\nA,1\n",
      products: ["A - 1,2,3", "B - 3"], counts: [2, 2, 1, 0]),
    Case(
      testDescription: "behind those that are there, in an ordered relationship",
      pairs: "sku,tag\nA,3\nA,1\nB,2\nA,2\nA,3\n",
      isOrdered: true, products: ["A - 3,1,2", "B - 2"], counts: [2, 2, 1, 0]),
    Case(
      testDescription: "of several values the last one counts, of members all",
      pairs: "sku,name,tag\nA,one,1\nA,two,\nA,three,2\n", products: ["A three 1,2"], counts: [1, 2, 0, 0],
      isSettled: false),
    Case(
      testDescription: "several at once", pairs: "sku,tag\nA,1|2\nA,2|3\n",
      steps: [tagStep, pairStep.replacing("members", with: #"separator: "|", members"#)], products: ["A - 1,2,3"],
      counts: [1, 1, 0, 0]),
    Case(
      testDescription: "by record key", pairs: "sku,tag\nA,k1\nA,k2\n",
      steps: [tagStep, pairStep.replacing("match: ident, from: tag", with: "key: tag")], products: ["A - 1,2"],
      counts: [1, 1, 0, 0]),
    Case(
      testDescription: "objects that a later step brings", pairs: "sku,name,tag\nA,one,1\nB,two,2\nA,three,3\n",
      steps: [pairStep, tagStep], products: ["A three 1,3", "B two 2"], counts: [2, 1, 0, 0],
      isSettled: false),
    Case(
      testDescription: "a record whose member is nowhere is rejected, and no other",
      pairs: "sku,name,tag\nA,one,9\nA,two,2\nB,three,1\nB,four,9\nC,five,9\n", products: ["A two 2", "B three 1"],
      counts: [2, 0, 0, 3], isSettled: false),
    Case(
      testDescription: "so it is where members come later",
      pairs: "sku,name,tag\nA,one,9\nA,two,2\nB,three,1\nB,four,9\nC,five,9\n", steps: [pairStep, tagStep],
      products: ["A two 2", "B three 1"], counts: [2, 0, 0, 3]),
    Case(
      testDescription: "nested objects with a key, which are made", pairs: "sku,tag\nA,x\nA,y\nB,y\nA,x\n",
      steps: [
        "{ from: pairs.csv, entity: Product, match: sku, map: { sku: sku, "
          + #"tags: { from: 'split(tag, "|")', match: ident, members: add, map: { ident: . } } } }"#
      ], products: ["A - x,y", "B - y"], counts: [2, 1, 1, 0]),
    Case(
      testDescription: "nested objects that belong to one, the last that names them", pairs: "sku,tag\nA,x\nA,y\nB,y\n",
      steps: [
        "{ from: pairs.csv, entity: Product, match: sku, map: { sku: sku, "
          + #"notes: { from: 'split(tag, "|")', match: ident, members: add, map: { ident: . } } } }"#
      ], products: ["A -  x", "B -  y"], counts: [2, 1, 0, 0],
      isSettled: false),
  ]

  @Test("are added to those that the object has", arguments: cases)
  func adds(_ example: Case) async throws {
    let workspace = try Self.workspace(example.steps, isOrdered: example.isOrdered)
    try workspace.write("pairs.csv", example.pairs)
    let counts = try #require(try await workspace.report("pairs.yaml").steps.first { $0.entity == "Product" }?.counts)
    #expect([counts.inserted, counts.updated, counts.unchanged, counts.rejected] == example.counts)
    #expect(counts.sum == counts.read)
    #expect(try Self.products(workspace, isOrdered: example.isOrdered) == example.products)

    // Once more, into the store that is there: nothing is new.
    let before = try workspace.query("M.sqlite", "SELECT Z_OPT FROM ZPRODUCT ORDER BY Z_PK")
    try Self.write(example.steps, ", replace: never", workspace)
    let again = try #require(try await workspace.report("pairs.yaml").steps.first { $0.entity == "Product" }?.counts)
    #expect(again.inserted == 0 && again.rejected == counts.rejected && again.sum == again.read)
    #expect(try Self.products(workspace, isOrdered: example.isOrdered) == example.products)
    if example.isSettled {
      #expect(again.updated == 0)
      #expect(try workspace.query("M.sqlite", "SELECT Z_OPT FROM ZPRODUCT ORDER BY Z_PK") == before)
    }
  }

  @Test("what the store has stays, and is counted as it is")
  func stored() async throws {
    let workspace = try Self.workspace([Self.tagStep, Self.pairStep])
    try workspace.write("pairs.csv", "sku,tag\nA,1\nB,2\n")
    _ = try await workspace.report("pairs.yaml")
    try Self.write([Self.tagStep, Self.pairStep], ", replace: never", workspace)
    try workspace.write("pairs.csv", "sku,tag\nA,2\nA,2\nC,3\nA,1\nB,\n")
    let counts = try await workspace.report("pairs.yaml").steps[1].counts
    #expect([counts.inserted, counts.updated, counts.unchanged] == [1, 1, 3])
    #expect(try Self.products(workspace) == ["A - 1,2", "B - 2", "C - 3"])
  }

  @Test("random pairs give what is written down, whatever stands first", arguments: UInt64(1)...16)
  func random(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let isOrdered = seed % 4 == 0
    let steps = seed % 2 == 0 ? [Self.tagStep, Self.pairStep] : [Self.pairStep, Self.tagStep]
    let workspace = try Self.workspace(steps, isOrdered: isOrdered)
    var expected: [String: (name: String, tags: [String])] = [:]
    for settings in ["", ", replace: never"] {
      var lines = ["sku,name,tag"]
      // More than one batch now and then.
      let count = Int.random(in: 1...(seed % 5 == 0 ? 5_000 : 60), using: &generator)
      var rejected = 0
      for number in 0..<count {
        let sku = "s\(Int.random(in: 0..<Int.random(in: 1...12, using: &generator), using: &generator))"
        let tag = ["1", "2", "3", "", "9"][Int.random(in: 0..<5, using: &generator)]
        lines.append("\(sku),n\(number),\(tag)")
        if tag == "9" {
          rejected += 1
          continue
        }
        var product = expected[sku] ?? ("", [])
        product.name = "n\(number)"
        if !tag.isEmpty, !product.tags.contains(tag) { product.tags.append(tag) }
        expected[sku] = product
      }
      try workspace.write("pairs.csv", lines.joined(separator: "\n") + "\n")
      try Self.write(steps, settings, workspace)
      try workspace.write("pairs.yaml", workspace.text("pairs.yaml").replacing("limit: 1000", with: "limit: 100000"))
      let report = try await workspace.report("pairs.yaml")
      let counts = try #require(report.steps.first { $0.entity == "Product" }?.counts)
      #expect(counts.read == count && counts.sum == count && counts.rejected == rejected)
      let found = try Self.products(workspace, isOrdered: isOrdered)
      let wanted = expected.sorted { $0.key < $1.key }.map { sku, product in
        "\(sku) \(product.name) \((isOrdered ? product.tags : product.tags.sorted()).joined(separator: ","))"
      }
      #expect(found == wanted, "seed \(seed)")
    }
    #expect(try await workspace.run("check", "M.sqlite").exitCode == 0)
  }

  @Test(
    "a member that one pair takes from the owner that another names is told with the line",
    arguments: [
      ("A,a B,a", 3), ("A,a A,b B,a", 4), ("A,a B,a A,c", 3), ("A,a A,b B,a A,b", 4), ("A,a B,a A,a", 4),
      ("A,a B,a A,a B,a A,a", 4), ("A,a A,b B,c A,a", nil),
    ] as [(String, Int?)])
  func takenMembers(pairs: String, line: Int?) async throws {
    for source in [
      "match: ident, from: note, members: add",
      #"from: 'split(note, "|")', match: ident, members: add, map: { ident: . }"#,
    ] {
      let workspace = try Self.workspace([
        "{ from: notes.csv, entity: Note, match: ident, map: { ident: ident } }",
        "{ from: pairs.csv, entity: Product, match: sku, map: { sku: sku, notes: { \(source) } } }",
      ])
      try workspace.write("notes.csv", "ident\na\nb\nc\n")
      try workspace.write("pairs.csv", "sku,note\n" + pairs.replacing(" ", with: "\n") + "\n")
      let outcome = try await workspace.run("run", "pairs.yaml")
      #expect(outcome.exitCode == 0)
      let warning = outcome.text.split(separator: "\n").filter { $0.contains("given to a second Product") }
      #expect(warning.count == (line == nil ? 0 : 1), "\(outcome.text)")
      if let line {
        #expect(
          warning.first?.contains("1 Note object") == true && warning.first?.contains("pairs.csv:\(line))") == true)
      }
    }
  }

  @Test(
    "what contradicts it is a mistake",
    arguments: [
      ("match: sku,", "", "\"members: add\" needs \"match\""),
      ("match: sku,", "match: sku, on-match: keep,", "\"on-match: keep\" and \"members: add\" contradict each other"),
      ("match: sku,", "match: sku, duplicates: first,", "\"duplicates: first\" and \"members: add\" contradict"),
      ("members: add", "members: some", "members"),
      (
        "sku: sku,", #"sku: sku, notes: { from: 'split(tag, "|")', members: add, map: { ident: . } },"#,
        "needs \"match\""
      ),
    ])
  func mistakes(old: String, new: String, message: String) async throws {
    let workspace = try Self.workspace([Self.tagStep, Self.pairStep.replacing(old, with: new)])
    try workspace.write("pairs.csv", "sku,tag\nA,1\n")
    for command in ["lint", "run"] {
      let outcome = try await workspace.run(command, "pairs.yaml")
      #expect(outcome.exitCode == 78 && (outcome.talk + outcome.text).contains(message), "\(outcome.talk)")
    }
  }

  @Test("a relationship to one object has no members")
  func toOne() async throws {
    let step =
      "{ from: tags.csv, entity: Note, match: ident, "
      + "map: { ident: ident, product: { match: sku, from: ident, missing: 'null', members: add } } }"
    let workspace = try Self.workspace([step])
    for command in ["lint", "run"] {
      let outcome = try await workspace.run(command, "pairs.yaml")
      #expect(outcome.exitCode == 78 && (outcome.talk + outcome.text).contains("product is to-one"), "\(outcome.talk)")
    }
  }
}
