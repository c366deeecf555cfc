import Foundation
import TestSupport
import Testing

/// `init --model`: what it writes runs at once, whatever files are missing.
@Suite("seedbed init for a model that is there")
struct InitGivenModelTests {
  private static func workspace() throws -> Workspace {
    let workspace = try Workspace()
    try workspace.write(
      "M.xcdatamodeld/M.xcdatamodel/contents",
      """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift">
        <entity name="Category" representedClassName="Category" syncable="YES">
          <attribute name="code" attributeType="String"/>
          <attribute name="label" optional="YES" attributeType="String"/>
          <relationship name="items" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Item" inverseName="category" inverseEntity="Item"/>
          \(ModelXML.unique("code"))
        </entity>
        <entity name="Item" representedClassName="Item" syncable="YES">
          <attribute name="sku" attributeType="String"/>
          <attribute name="name" optional="YES" attributeType="String"/>
          <relationship name="category" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Category" inverseName="items" inverseEntity="Category"/>
          \(ModelXML.unique("sku"))
        </entity>
        <entity name="Review" representedClassName="Review" syncable="YES">
          <attribute name="text" attributeType="String"/>
          <relationship name="item" maxCount="1" deletionRule="Nullify" destinationEntity="Item"/>
        </entity>
      </model>
      """)
    return workspace
  }

  private static let items = "SKU,product_name,Category code\nP1,Kettle,c1\nP2,Spade,c2\n"
  private static let reviews = "text,item_id\ngood,P1\nbad,P2\n"

  struct Case: CustomTestStringConvertible, Sendable {
    var name: String
    var files: [String: String]
    var order: [String]
    /// What is on standard error.
    var says: [String]
    /// What is in the pipeline.
    var words: [String]
    /// Rows of Category, Item and Review.
    var counts: [String]
    var testDescription: String { name }
  }

  static let cases: [Case] = [
    Case(
      name: "no file for what is referred to", files: ["items.csv": items], order: ["items.csv"],
      says: [
        "items.csv: Category code: it is commented out: no file here has objects of Category with their code",
        "items.csv: product_name: perhaps Item.name: it stands in a comment",
      ],
      words: ["      # category: { match: code, from: `Category code` }", "      # name: product_name", "# perhaps"],
      counts: ["0", "2", "0"]),
    Case(
      name: "a file for it", files: ["items.csv": items, "categories.csv": "code,label\nc1,x\nc2,y\n"],
      order: ["items.csv", "categories.csv"], says: ["perhaps Item.name"],
      words: ["      category: { match: code, from: `Category code` }"], counts: ["2", "2", "0"]),
    Case(
      name: "a file that has not all of them", files: ["items.csv": items, "categories.csv": "code,label\nc1,x\n"],
      order: ["items.csv", "categories.csv"], says: ["1 of 2 different values are no Category.code"],
      words: ["      # category: { match"], counts: ["1", "2", "0"]),
    Case(
      name: "what is required and refers to what is not there",
      files: ["items.csv": items, "reviews.csv": reviews.replacing("P2", with: "P9")],
      order: ["reviews.csv", "items.csv"],
      says: [
        "reviews.csv: item_id: it is commented out: 1 of 2 different values are no Item.sku",
        "reviews.csv: Review.item is required and nothing fits it, so the step is commented out",
      ],
      words: ["  # - from: ../reviews.csv\n", "  #   entity: Review\n"], counts: ["0", "2", "0"]),
    Case(
      name: "a step that falls with another",
      files: ["items.csv": items.replacing("P2", with: ""), "reviews.csv": reviews],
      order: ["items.csv", "reviews.csv"],
      says: ["Item.sku is required and nothing fits it", "Review.item is required and nothing fits it"],
      words: ["import: []"], counts: ["0", "0", "0"]),
    Case(
      name: "references that all are there", files: ["items.csv": items, "reviews.csv": reviews],
      order: ["reviews.csv", "items.csv"], says: [], words: ["      item: { match: sku, from: item_id }"],
      counts: ["0", "2", "2"]),
  ]

  @Test("what would end a run is commented out and told", arguments: cases)
  func runsAtOnce(_ example: Case) async throws {
    let workspace = try Self.workspace()
    for (name, text) in example.files { try workspace.write(name, text) }
    let made = try await Tool.run(
      ["init", "--model", "M.xcdatamodeld", "--name", "t"] + example.order, in: workspace.folder)
    try #require(made.exitCode == 0, "\(made.talk)")
    let pipeline = try workspace.text("pipelines/t.yaml")
    for text in example.says { #expect(made.talk.contains(text), "\(text)\n\(made.talk)") }
    for text in example.words {
      // Names with blanks are quoted by YAML where it needs that.
      #expect(pipeline.replacing("\"", with: "").contains(text), "\(text)\n\(pipeline)")
    }
    let ran = try await workspace.run("run", "pipelines/t.yaml")
    #expect(ran.exitCode == 0, "\(ran.talk)\n\(pipeline)")
    let query = ["ZCATEGORY", "ZITEM", "ZREVIEW"].map { "(SELECT count(*) FROM \($0))" }
    for (count, text) in zip(example.counts, query) {
      #expect(try workspace.query("build/t.sqlite", "SELECT \(text)") == [count], "\(text)\n\(pipeline)")
    }
  }

  @Test("objects inside objects that lack what is required are commented out whole")
  func nested() async throws {
    let workspace = try Self.workspace()
    try workspace.write(
      "items.json",
      "[{\"sku\": \"P1\", \"category\": {\"label\": \"x\"}}, {\"sku\": \"P2\", \"category\": {\"label\": \"y\"}}]")
    let made = try await workspace.run("init", "--model", "M.xcdatamodeld", "items.json")
    #expect(made.talk.contains("items.json category: it is commented out: Category.code is required"), "\(made.talk)")
    let pipeline = try workspace.text("pipelines/items.yaml")
    #expect(pipeline.contains("      # category:"), "\(pipeline)")
    #expect(pipeline.contains("      #   map:\n      #     label: label"), "\(pipeline)")
    let ran = try await workspace.run("run", "pipelines/items.yaml")
    #expect(ran.exitCode == 0, "\(ran.talk)\n\(pipeline)")
  }

  private static let tags = #"""
    [{"sku":"1","categories":["a","b"]},{"sku":"2","categories":["b"]},{"sku":"3","categories":[]},{"sku":"4"}]
    """#

  @Test(
    "lists of keys of which no file has objects make the objects, unless these would lack something",
    arguments: [
      ("", Self.tags, "2", ["categories:", "from: categories", "match: [code]", "code: ."]),
      ("", Self.tags.replacing("\"b\"]}", with: "null]}"), "0", ["# categories: { match: code, from: categories }"]),
      (
        "<attribute name=\"rank\" attributeType=\"Integer 16\"/>", Self.tags, "0",
        ["# categories: { match: code, from: categories }"]
      ),
    ])
  func lists(more: String, items: String, count: String, words: [String]) async throws {
    let workspace = try Workspace()
    try workspace.writeModel(
      """
      <entity name="Category"><attribute name="code" attributeType="String"/>\(more)
        <relationship name="items" optional="YES" toMany="YES" destinationEntity="Item" inverseName="categories" inverseEntity="Item"/>
        <uniquenessConstraints><uniquenessConstraint><constraint value="code"/></uniquenessConstraint></uniquenessConstraints>
      </entity>
      <entity name="Item"><attribute name="sku" attributeType="String"/>
        <relationship name="categories" optional="YES" toMany="YES" destinationEntity="Category" inverseName="items" inverseEntity="Category"/>
        <uniquenessConstraints><uniquenessConstraint><constraint value="sku"/></uniquenessConstraint></uniquenessConstraints>
      </entity>
      """)
    try workspace.write("items.json", items)
    try await workspace.succeed("init", "--model", "M.xcdatamodel", "items.json")
    let pipeline = try workspace.text("pipelines/items.yaml")
    for text in words { #expect(pipeline.contains("  " + text), "\(text)\n\(pipeline)") }
    try await workspace.succeed("run", "pipelines/items.yaml")
    #expect(try workspace.query("build/items.sqlite", "SELECT COUNT(*) FROM ZITEM") == ["4"])
    #expect(try workspace.query("build/items.sqlite", "SELECT COUNT(*) FROM ZCATEGORY") == [count], "\(pipeline)")
  }

  @Test("the fields say more than the file's name, and numbers and first letters tell names apart")
  func likeness() async throws {
    let workspace = try Workspace()
    func attribute(_ name: String, _ type: String = "String") -> String {
      "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"\(type)\"/>"
    }
    try workspace.write(
      "L.xcdatamodel/contents",
      """
      <model documentVersion="1.0">
      <entity name="Person">\(attribute("nconst") + attribute("primaryName") + attribute("birthYear", "Integer 16"))</entity>
      <entity name="Title">\(attribute("tconst") + attribute("primaryTitle"))</entity>
      <entity name="Match">\(["team1", "team2", "score1", "ascore", "gender"].map { attribute($0) }.joined())</entity>
      </model>
      """)
    try workspace.write("names.tsv", "nconst\tprimaryName\tbirthYear\nnm1\tA\t1950\nnm2\tB\t1960\n")
    try workspace.write("matches.csv", "team1,team3,score2,bscore,sender\na,b,c,4,5\n")
    let made = try await workspace.run(
      "init", "--model", "L.xcdatamodel", "names.tsv", "matches.csv", "--name", "t", "-o", "o")
    try #require(made.exitCode == 0, "\(made.talk)")
    let text = try workspace.text("o/pipelines/t.yaml")
    for line in [
      "entity: Person", "nconst: nconst", "primaryName: primaryName", "birthYear: birthYear", "team1: team1",
    ] {
      #expect(text.contains("    " + line), "\(line)\n\(text)")
    }
    for line in ["team2:", "score1:", "ascore:", "gender:", "entity: Title"] {
      #expect(!text.contains("      " + line), "\(line)\n\(text)")
    }
  }

  @Test("a step of which nothing is left is commented out")
  func nothingLeft() async throws {
    let workspace = try Workspace()
    try workspace.write(
      "T.xcdatamodel/contents",
      """
      <model documentVersion="1.0">
      <entity name="StopTime"><attribute name="arr" optional="YES" attributeType="String"/>
       <relationship name="trip" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Trip" inverseName="times" inverseEntity="Trip"/></entity>
      <entity name="Trip"><attribute name="code" attributeType="String"/>
       <relationship name="times" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="StopTime" inverseName="trip" inverseEntity="StopTime"/>
       \(ModelXML.unique("code"))</entity>
      </model>
      """)
    try workspace.write("trips.csv", "code\nT2\n")
    try workspace.write("stop_times.csv", "trip_id,x\nT1,1\n")
    let made = try await workspace.run(
      "init", "--model", "T.xcdatamodel", "trips.csv", "stop_times.csv", "--name", "t", "-o", "o")
    #expect(made.exitCode == 0, "\(made.talk)")
    #expect(made.talk.contains("nothing of StopTime is filled, so the step is commented out"), "\(made.talk)")
    let run = try await workspace.run("run", "--quiet", "--allow-outside", "o/pipelines/t.yaml")
    #expect(run.exitCode == 0, "\(run.talk)")
  }
}
