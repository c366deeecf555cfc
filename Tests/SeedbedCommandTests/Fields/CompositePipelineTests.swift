import Foundation
import TestSupport
import Testing

/// Composite attributes in pipelines: every strategy writes, changes and exports their elements alike.
@Suite("Composite attributes in pipelines")
struct CompositePipelineTests {
  private static let model = """
    <model documentVersion="1.0">
      <entity name="Venue">
        <attribute name="name" attributeType="String"/>
        <attribute name="address" optional="YES" attributeType="Composite" composite="Address"/>
        <attribute name="price" attributeType="Composite" composite="Price"/>
        \(ModelXML.unique("name"))
      </entity>
      <composite name="Address">
        <attribute name="street" optional="YES" attributeType="String"/>
        <attribute name="city" optional="YES" attributeType="String" maxValueString="6"/>
        <attribute name="spot" optional="YES" attributeType="Composite" composite="Spot"/>
      </composite>
      <composite name="Spot"><attribute name="x" optional="YES" attributeType="Float"/></composite>
      <composite name="Price">
        <attribute name="amount" attributeType="Decimal"/>
        <attribute name="currency" optional="YES" attributeType="String" defaultValueString="EUR"/>
      </composite>
    </model>
    """

  private func workspace(_ strategy: String, price: String = "price.amount: price") throws -> Workspace {
    let workspace = try Workspace()
    try workspace.write("V.xcdatamodel/contents", Self.model)
    try workspace.write(
      "venues.ndjson",
      """
      {"name":"a","price":1.5,"address":{"city":"Rome","street":"Oak","spot":{"x":0.1}}}
      {"name":"b","price":2}
      {"name":"c","price":3,"address":{"city":"Johannesburg"}}

      """)
    try workspace.write(
      "venues.yaml",
      """
      model: V.xcdatamodel
      store: { path: V.sqlite, replace: always }
      rejects: { limit: 10 }
      import:
        - from: venues.ndjson
          entity: Venue
          match: name
          strategy: \(strategy)
          map:
            name: name
            address.city: address.city
            address.street: address.street
            address.spot.x: address.spot.x
            \(price)
      """)
    return workspace
  }

  @Test("check notes a mandatory element that is missing beside another one")
  func missingElement() async throws {
    let workspace = try workspace("bulk")
    #expect(try await workspace.run("run", "--quiet", "venues.yaml").exitCode == 1)
    func notes() async throws -> [String] {
      try await workspace.check("V.sqlite", "--model", "V.xcdatamodel").notes.map(\.message)
    }
    #expect(try await notes().isEmpty)
    try workspace.execute("V.sqlite", "UPDATE ZVENUE SET ZAMOUNT = NULL WHERE ZNAME = 'a'")
    let found = try await notes()
    #expect(found.count == 1 && found[0].contains("Venue.price.amount is mandatory and has no value"), "\(found)")
    // Without any element there is no composite.
    try workspace.execute("V.sqlite", "UPDATE ZVENUE SET ZCURRENCY = NULL WHERE ZNAME = 'a'")
    #expect(try await notes().isEmpty)
  }

  @Test("elements are written and validated alike", arguments: ["bulk", "upsert", "find-or-create"])
  func strategies(strategy: String) async throws {
    let workspace = try workspace(strategy)
    let run = try await workspace.run("run", "--quiet", "venues.yaml")
    // One record is a reject: its city is too long.
    #expect(run.exitCode == 1, "\(run.talk)")
    #expect(
      try workspace.query(
        "V.sqlite", "SELECT ZNAME, ZCITY, ZSTREET, round(ZX, 3), ZAMOUNT, ZCURRENCY FROM ZVENUE ORDER BY Z_PK") == [
          "a|Rome|Oak|0.1|1.5|EUR", "b|∅|∅|∅|2|EUR",
        ])
    let check = try await workspace.run("check", "V.sqlite", "--model", "V.xcdatamodel")
    #expect(check.exitCode == 0 && !check.text.contains("unconfirmed"), "\(check.text)")
    let export = try await workspace.run(
      "export", "--quiet", "V.sqlite", "--model", "V.xcdatamodel", "--entity", "Venue", "--columns",
      "name,address.city,price.currency")
    #expect(export.text == "name,address.city,price.currency\na,Rome,EUR\nb,,EUR\n", "\(export.talk)")
  }

  @Test(
    "a required element that nothing gives is a reject, whatever the strategy", arguments: ["bulk", "find-or-create"])
  func required(strategy: String) async throws {
    let workspace = try workspace(strategy, price: "price.currency: \"'USD'\"")
    let run = try await workspace.run("run", "venues.yaml")
    #expect((run.text + run.talk).contains("price.amount"), "\(run.text)\(run.talk)")
    #expect(try workspace.query("V.sqlite", "SELECT count(*) FROM ZVENUE") == ["0"])
  }

  /// Runs a map over records, and gives the rows and what became of the run.
  private func rows(
    _ map: String, _ records: String, _ strategy: String, file: String = "venues.ndjson"
  ) async throws -> (workspace: Workspace, run: Tool.Outcome, rows: [String]) {
    let workspace = try workspace(strategy)
    try workspace.write(file, records)
    try workspace.write(
      "venues.yaml",
      """
      model: V.xcdatamodel
      store: { path: V.sqlite, replace: always }
      rejects: { limit: 10 }
      import:
        - { from: venues.ndjson, entity: Venue, match: name, strategy: \(strategy), map: { name: name, price.amount: price, \(map) } }
      """.replacingOccurrences(of: "venues.ndjson", with: file))
    let run = try await workspace.run("run", "venues.yaml")
    guard workspace.exists("V.sqlite") else { return (workspace, run, []) }
    return (
      workspace, run,
      try workspace.query("V.sqlite", "SELECT ZNAME, ZCITY, ZSTREET, round(ZX, 3) FROM ZVENUE ORDER BY Z_PK")
    )
  }

  private static let objects = """
    {"name":"a","price":1,"at":{"city":"Rome","street":"Oak","spot":{"x":0.5},"other":1}}
    {"name":"b","price":2}
    {"name":"c","price":3,"at":null}
    {"name":"d","price":4,"at":{"spot":{}}}
    {"name":"e","price":5,"at":{"city":"Oslo","spot":null}}

    """

  @Test(
    "a whole JSON object, and a nested map, give the elements",
    arguments: ["bulk", "upsert", "find-or-create"],
    [
      "address: at", "address: { from: at }", "address: /at",
      "address: { from: at, map: { city: city, street: street, spot: spot } }",
      "address: { from: at, map: { city: city, street: street, spot: { map: { x: spot.x } } } }",
      "address: { map: { city: at.city, street: at.street, spot: { from: at.spot, map: { x: x } } } }",
      "address: { from: /at, map: { city: 'trim(city)', street: /street, spot.x: spot.x } }",
    ])
  func nested(strategy: String, map: String) async throws {
    let outcome = try await rows(map, Self.objects, strategy)
    #expect(outcome.run.exitCode == 0, "\(outcome.run)")
    #expect(outcome.rows == ["a|Rome|Oak|0.5", "b|∅|∅|∅", "c|∅|∅|∅", "d|∅|∅|∅", "e|Oslo|∅|∅"], "\(outcome.run)")
    #expect(try await outcome.workspace.run("lint", "venues.yaml").exitCode == 0)
  }

  @Test("columns of CSV become elements by a nested map", arguments: ["bulk", "find-or-create"])
  func csv(strategy: String) async throws {
    let outcome = try await rows(
      "address: { map: { city: town, spot: { map: { x: lng } } } }", "name,price,town,lng\na,1,Rome,0.5\nb,2,,\n",
      strategy,
      file: "venues.csv")
    #expect(outcome.run.exitCode == 0 && outcome.rows == ["a|Rome|∅|0.5", "b|∅|∅|∅"], "\(outcome.run)")
    for (condition, name) in [("address == nil", "b"), ("address.spot != nil AND NOT address == NULL", "a")] {
      let found = try await outcome.workspace.run(
        "export", "--quiet", "V.sqlite", "--model", "V.xcdatamodel", "--entity", "Venue", "--columns", "name",
        "--where",
        condition)
      #expect(found.text.split(whereSeparator: \.isNewline) == ["name", name[...]], "\(condition): \(found)")
    }
  }

  @Test("what should be an object and is none is a reject", arguments: ["bulk", "find-or-create"])
  func noObject(strategy: String) async throws {
    for value in ["\"Oak\"", "1", "[1]", "true", "{\"spot\":7}", "{\"spot\":[]}"] {
      let records = "{\"name\":\"a\",\"price\":1,\"at\":\(value)}\n{\"name\":\"b\",\"price\":2}\n"
      for map in ["address: at", "address: { from: at, map: { city: city, spot: spot } }"] {
        let outcome = try await rows(map, records, strategy)
        #expect(outcome.run.exitCode == 1 && outcome.rows == ["b|∅|∅|∅"], "\(value) \(map) \(outcome.run)")
        #expect((outcome.run.text + outcome.run.talk).contains("needs a JSON object"))
      }
    }
  }

  @Test(
    "an object that is null clears the elements, and what it does not carry stays",
    arguments: ["upsert", "find-or-create"])
  func updates(strategy: String) async throws {
    let outcome = try await rows("address: at", Self.objects, strategy)
    let workspace = outcome.workspace
    try workspace.write(
      "venues.ndjson",
      "{\"name\":\"a\",\"price\":1,\"at\":{\"city\":\"Bonn\"}}\n{\"name\":\"e\",\"price\":1,\"at\":null}\n")
    try workspace.write(
      "venues.yaml", workspace.text("venues.yaml").replacingOccurrences(of: "replace: always", with: "replace: never"))
    #expect(try await workspace.run("run", "venues.yaml").exitCode == 0)
    #expect(
      try workspace.query("V.sqlite", "SELECT ZNAME, ZCITY, ZSTREET, ZX FROM ZVENUE WHERE ZNAME IN ('a', 'e')") == [
        "a|Bonn|Oak|0.5", "e|∅|∅|∅",
      ])
  }

  @Test(
    "what no composite can be made of is told once, where it stands, with its elements",
    arguments: [
      ("address: town", "venues.csv"), ("address: '\"x\"'", "venues.ndjson"), ("address: 'trim(at)'", "venues.ndjson"),
      ("address: { from: at, default: 1 }", "venues.ndjson"), ("address: { match: city, from: at }", "venues.ndjson"),
    ])
  func mistakes(map: String, file: String) async throws {
    let records = file == "venues.csv" ? "name,price,town\na,1,x\n" : Self.objects
    let outcome = try await rows(map, records, "bulk", file: file)
    #expect(outcome.run.exitCode == 78)
    let lint = try await outcome.workspace.run("lint", "venues.yaml")
    #expect(lint.exitCode == 78)
    for text in [outcome.run.talk, lint.text] {
      #expect(text.contains("venues.yaml:5:") && text.contains("Venue.address is a composite attribute"), "\(text)")
      #expect(text.contains("address.city, address.spot.x"), "\(text)")
      #expect(text.components(separatedBy: "venues.yaml:5:").count == 2, "\(text)")
    }
  }

  @Test("an export of a whole composite says which elements it has", arguments: ["address", "address.spot"])
  func wholeComposite(column: String) async throws {
    let workspace = try workspace("bulk")
    #expect(try await workspace.run("run", "--quiet", "venues.yaml").exitCode == 1)
    for option in ["--columns", "--order"] {
      let export = try await workspace.run(
        "export", "--quiet", "V.sqlite", "--model", "V.xcdatamodel", "--entity", "Venue", option, column)
      #expect(export.exitCode == 78 && export.talk.contains("address.spot.x"), "\(option): \(export.talk)")
    }
    try workspace.write(
      "venues.yaml",
      workspace.text("venues.yaml") + "\nexport: [{ entity: Venue, to: out.csv, columns: [\(column)] }]\n")
    #expect(try await workspace.run("lint", "venues.yaml").exitCode == 78)
    #expect(try await workspace.run("run", "venues.yaml").exitCode == 78)
  }

  @Test("update clears a composite as a whole, mandatory elements included, where it may be null")
  func clearing() async throws {
    let workspace = try workspace("bulk")
    try workspace.write(
      "V.xcdatamodel/contents",
      Self.model.replacingOccurrences(
        of: "\"street\" optional=\"YES\"", with: "\"street\""
      ).replacingOccurrences(of: "\"x\" optional=\"YES\"", with: "\"x\""))
    #expect(try await workspace.run("run", "--quiet", "venues.yaml").exitCode == 1)
    func update(_ assignments: String...) async throws -> Tool.Outcome {
      let options =
        ["--model", "V.xcdatamodel", "--entity", "Venue", "--where", "TRUEPREDICATE"]
        + assignments.flatMap { ["--set", $0] }
      return try await Tool.run(["update", "V.sqlite"] + options, in: workspace.folder)
    }
    func rows() throws -> [String] {
      try workspace.query("V.sqlite", "SELECT ZNAME, ZCITY, ZSTREET, ZX, ZAMOUNT FROM ZVENUE ORDER BY Z_PK")
    }
    #expect(try await update("address.street = NULL").exitCode != 0)
    #expect(try await update("price = NULL").exitCode != 0)
    let twice = try await update("address = NULL", "address.city = 'Bonn'")
    #expect(twice.exitCode != 0 && twice.talk.contains("Venue.address.city is set twice"), "\(twice)")
    let place = try await update("address.spot = NULL")
    #expect(place.exitCode == 0, "\(place)")
    #expect(try rows() == ["a|Rome|Oak|∅|1.5", "b|∅|∅|∅|2"])
    let whole = try await update("address = NULL")
    #expect(whole.exitCode == 0, "\(whole)")
    #expect(try rows() == ["a|∅|∅|∅|1.5", "b|∅|∅|∅|2"])
    #expect(try await workspace.check("V.sqlite", "--model", "V.xcdatamodel").notes.isEmpty)
  }

  /// An optional composite with a mandatory element, another one, and a nested one that has a mandatory element too.
  private static let demanding = """
    <model documentVersion="1.0">
      <entity name="Venue">
        <attribute name="name" attributeType="String"/>
        <attribute name="address" optional="YES" attributeType="Composite" composite="Address"/>
        \(ModelXML.unique("name"))
      </entity>
      <composite name="Address">
        <attribute name="street" attributeType="String"/>
        <attribute name="city" optional="YES" attributeType="String"/>
        <attribute name="spot" optional="YES" attributeType="Composite" composite="Spot"/>
      </composite>
      <composite name="Spot"><attribute name="x" attributeType="Integer 16"/></composite>
    </model>
    """

  @Test(
    "elements that are mapped one by one are required where their composite has a value, as those of an object are",
    arguments: ["bulk", "upsert", "find-or-create"],
    [
      ("v.csv", "address.street: street, address.city: city, address.spot.x: x"),
      ("v.csv", "address: { map: { street: street, city: city, spot: { map: { x: x } } } }"),
      ("v.ndjson", "address.street: at.street, address.city: at.city, address.spot.x: at.spot.x"),
      ("v.ndjson", "address: at"),
    ])
  func demands(strategy: String, source: (file: String, map: String)) async throws {
    let workspace = try Workspace()
    try workspace.write("V.xcdatamodel/contents", Self.demanding)
    try workspace.write("v.csv", "name,street,city,x\na,Oak,Rome,1\nb,,,\nc,,Oslo,\nd,Elm,,\ne,,,3\n")
    try workspace.write(
      "v.ndjson",
      """
      {"name":"a","at":{"street":"Oak","city":"Rome","spot":{"x":1}}}
      {"name":"b"}
      {"name":"c","at":{"city":"Oslo"}}
      {"name":"d","at":{"street":"Elm"}}
      {"name":"e","at":{"spot":{"x":3}}}

      """)
    try workspace.write(
      "v.yaml",
      """
      model: V.xcdatamodel
      store: { path: V.sqlite, replace: never }
      rejects: { limit: 10 }
      import:
        - { from: \(source.file), entity: Venue, match: name, strategy: \(strategy), map: { name: name, \(source.map) } }
      """)
    let run = try await workspace.run("run", "v.yaml")
    #expect(run.exitCode == 1 && (run.text + run.talk).contains("address.street is required"), "\(run)")
    let rows = "SELECT ZNAME, ZSTREET, ZCITY, ZX FROM ZVENUE ORDER BY Z_PK"
    #expect(try workspace.query("V.sqlite", rows) == ["a|Oak|Rome|1", "b|∅|∅|∅", "d|Elm|∅|∅"], "\(run)")
    // A record without any of the values clears the composite, where it has fields for all of them.
    if strategy == "bulk" { return }
    try workspace.write("v.csv", "name,street,city,x\na,,,\n")
    try workspace.write("v.ndjson", "{\"name\":\"a\",\"at\":{\"street\":null,\"city\":null,\"spot\":{\"x\":null}}}\n")
    let clears = source.map != "address: at"
    let again = try await workspace.run("run", "v.yaml")
    #expect(again.exitCode == (clears ? 0 : 1), "\(again)")
    #expect(try workspace.query("V.sqlite", rows).first == (clears ? "a|∅|∅|∅" : "a|Oak|Rome|1"))
  }

  @Test("a dump of a composite without its mandatory element is restored as it was")
  func restored() async throws {
    let workspace = try Workspace()
    try workspace.write("V.xcdatamodel/contents", Self.demanding)
    try workspace.write("v.csv", "name,street,city\na,Oak,Rome\n")
    try workspace.write(
      "v.yaml",
      """
      model: V.xcdatamodel
      store: { path: V.sqlite }
      import:
        - { from: v.csv, entity: Venue, map: { name: name, address.street: street, address.city: city } }
      """)
    try await workspace.succeed("run", "--quiet", "v.yaml")
    try workspace.execute("V.sqlite", "UPDATE ZVENUE SET ZSTREET = NULL")
    try await workspace.succeed("dump", "V.sqlite", "d")
    try await workspace.succeed("run", "--quiet", "d/restore.yaml")
    try await workspace.succeed("diff", "V.sqlite", "d/V.sqlite")
  }
}
