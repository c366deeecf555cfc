import Foundation
import ModelFiles
import ObjectModel
import Testing

@Suite("seedbed init")
struct InitCommandTests {
  private static let shop: [(String, String)] = [
    (
      "data/customers.csv",
      "customer_id,name,joined\n7,Ann,2024-01-05\n8,\"Bob, Jr.\",2024-02-06\n9,Zoë,\n10,\"\",2024-03-01\n"
    ),
    (
      "data/orders.csv",
      "id;customer_id;total;paid;code\nA1;7;9.5;true;007\nA2;7;12.25;false;008\nA3;10;0.5;true;009\nA4;;1.5;true;010\n"
    ),
  ]

  @Test("two files become a model, a pipeline and a store that gives the files back")
  func wholeWay() async throws {
    let workspace = try Workspace()
    for (name, text) in Self.shop { try workspace.write(name, text) }
    let made = try await workspace.run("init", "data/customers.csv", "data/orders.csv", "--export")
    #expect(made.exitCode == 0, "\(made.talk)")
    #expect(made.output.isEmpty)
    #expect(made.talk.contains("wrote Model.xcdatamodeld"))
    #expect(made.talk.contains("wrote pipelines/pipeline.schema.json"))
    #expect(made.talk.contains("run pipelines/data.yaml"))
    #expect(try workspace.names() == [".gitignore", "Model.xcdatamodeld", "data", "pipelines"])
    #expect(try workspace.text(".gitignore").contains("/build/\n"))

    let pipeline = try workspace.text("pipelines/data.yaml")
    for text in [
      "match: [customerId]  # unique in 4 of 4", "delimiter: \";\"  #", "joined: joined", "empty in 1 of 4",
      "customer: { match: customerId, from: customer_id }",
      "all 2 different values are found in customer_id of customers.csv",
      "4 of 4 would not come back as they are written as a whole number (line 2: \"007\")",
    ] {
      #expect(pipeline.contains(text), "\(text)\n\(pipeline)")
    }
    let lint = try await workspace.run("lint", "pipelines/data.yaml")
    #expect(lint.talk.contains("no problems"), "\(lint.text)")
    let ran = try await workspace.run("run", "pipelines/data.yaml")
    #expect(ran.exitCode == 0, "\(ran.talk)")
    #expect(
      try workspace.text("build/customers.csv")
        == "customer_id,name,joined\n7,Ann,2024-01-05T00:00:00Z\n8,\"Bob, Jr.\",2024-02-06T00:00:00Z\n9,Zoë,\n10,\"\",2024-03-01T00:00:00Z\n"
    )
    #expect(try workspace.text("build/orders.csv") == Self.shop[1].1.replacing(";", with: ","))

    let model = try ModelReader.readFile(path: workspace.path("Model.xcdatamodeld"))
    #expect(model.warnings.isEmpty)
    let order = try #require(model.model["Order"]?.definition)
    #expect(order.attributes.first { $0.name == "code" }?.type == .string)
    #expect(order.attributes.first { $0.name == "paid" }?.type == .boolean)
    #expect(order.attributes.first { $0.name == "total" }?.type == .decimal)
    #expect(order.relationships.map(\.name) == ["customer"])
    #expect(model.model["Customer"]?.relationship("orders")?.isToMany == true)
  }

  @Test("objects and arrays of JSON become entities, and other arrays text")
  func nested() async throws {
    let workspace = try Workspace()
    try workspace.write(
      "venues.json",
      """
      {"meta": {"page": 1}, "venues": [
        {"id": "a", "name": "X", "location": {"lat": 1.5, "lng": 2}, "tags": ["p", "q"], "hours": [{"day": 1}, {"day": 2}]},
        {"id": "b", "name": "Y", "location": null, "tags": [], "hours": [], "a.b": "dotted", "1 odd/key": true}
      ]}
      """)
    let made = try await workspace.run("init", "venues.json", "--export")
    #expect(made.exitCode == 0, "\(made.talk)")
    #expect(made.talk.contains("/meta/page: they stand beside the records"))
    let ran = try await workspace.run("run", "pipelines/venues.yaml")
    #expect(ran.exitCode == 0, "\(ran.talk)")
    let lines = try workspace.text("build/venues.ndjson").split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines[0].contains("\"location.lat\":1.5"))
    #expect(lines[0].contains(#""tags":"[\"p\", \"q\"]""#))
    #expect(lines[1].contains("\"a.b\":\"dotted\""))
    #expect(lines[1].contains("\"1 odd/key\":true"))
    #expect(try workspace.query("build/venues.sqlite", "SELECT ZDAY FROM ZHOUR ORDER BY 1") == ["1", "2"])
    let model = try ModelReader.read(path: workspace.path("Model.xcdatamodeld"))
    #expect(model["Venue"]?.relationship("hours")?.isOrdered == true)
    #expect(model.entities.map(\.name) == ["Hour", "Location", "Venue"])
  }

  @Test("nothing that is there is replaced without --force, and nothing is written when something is in the way")
  func refusals() async throws {
    let workspace = try Workspace()
    try workspace.write("a.csv", "id\n1\n")
    try workspace.write("pipelines/a.yaml", "mine\n")
    let refused = try await workspace.run("init", "a.csv")
    #expect(refused.exitCode == 73, "\(refused.talk)")
    #expect(try workspace.text("pipelines/a.yaml") == "mine\n")
    #expect(!workspace.exists("Model.xcdatamodeld"))
    let forced = try await workspace.run("init", "a.csv", "--force")
    #expect(forced.exitCode == 0, "\(forced.talk)")
    let again = try await workspace.run("init", "a.csv", "--name", "b")
    #expect(again.exitCode == 0, "\(again.talk)")
    let model = try await workspace.run("init", "a.csv", "--name", "b")
    #expect(model.exitCode == 73)
    try workspace.write("b.xcdatamodeld/b 2.xcdatamodel/contents", "another version")
    let kept = try await workspace.run("init", "a.csv", "--name", "b", "--force")
    #expect(kept.exitCode == 0, "\(kept.talk)")
    #expect(try workspace.text("b.xcdatamodeld/b 2.xcdatamodel/contents") == "another version")
    try workspace.write(".gitignore", "*.o\n")
    let noted = try await workspace.run("init", "a.csv", "--name", "c", "--output", "sub/deep")
    #expect(noted.exitCode == 0, "\(noted.talk)")
    #expect(workspace.exists("sub/deep/c.xcdatamodeld/c.xcdatamodel/contents"))
    #expect(noted.talk.contains("run --allow-outside sub/deep/pipelines/c.yaml"))
    let head = try workspace.text("sub/deep/pipelines/c.yaml")
    for word in ["lint", "run"] {
      #expect(head.contains("#   seedbed \(word) --allow-outside sub/deep/pipelines/c.yaml\n"), "\(head)")
    }
    let ran = try await workspace.run("run", "--allow-outside", "sub/deep/pipelines/c.yaml")
    #expect(ran.exitCode == 0, "\(ran.talk)")
  }

  @Test("what cannot be read ends with the exit code and the place that say so")
  func mistakes() async throws {
    let workspace = try Workspace()
    try workspace.write("empty.csv", "")
    try workspace.write("bad.json", "[{\"a\": 1}, {\"a\": tru}]")
    try workspace.write("list.json", "[1, 2]")
    #expect(unsafe mkfifo(workspace.path("pipe.csv"), 0o600) == 0)
    let cases: [([String], Int32, String)] = [
      (["missing.csv"], 66, "missing.csv"), (["empty.csv"], 65, "empty.csv"), (["bad.json"], 65, "bad.json:1:"),
      (["list.json"], 65, "list.json"), (["-"], 66, "standard input"),
      (["pipe.csv"], 66, "pipe.csv cannot be read twice"),
      (["bad.json", "--output", "pipelines/deep"], 65, "bad.json:1:"), (["."], 66, "folder"), ([], 64, "data"),
      (["empty.csv", "./empty.csv"], 64, "twice"), (["empty.csv", "--name", "a/b"], 64, "name"),
    ]
    for (arguments, code, text) in cases {
      let outcome = try await Tool.run(["init"] + arguments, in: workspace.folder)
      #expect(outcome.exitCode == code, "\(arguments): \(outcome.talk)")
      #expect(outcome.talk.contains(text), "\(arguments): \(outcome.talk)")
      #expect(!workspace.exists("pipelines"), "\(arguments)")
    }
  }

  @Test("records that cannot be read are counted, named and rejected by a run that goes on")
  func ragged() async throws {
    let workspace = try Workspace()
    try workspace.write("a.csv", "id,name\n" + (1...20).map { "\($0),x\n" }.joined() + "21,x,y\n22,z\n")
    let made = try await workspace.run("init", "a.csv", "--export")
    #expect(made.exitCode == 0, "\(made.talk)")
    #expect(made.talk.contains("1 record cannot be read and is rejected (line 22"), "\(made.talk)")
    let ran = try await workspace.run("run", "pipelines/a.yaml")
    #expect(ran.exitCode == 1, "\(ran.talk)")
    #expect(try workspace.text("build/a.csv").split(separator: "\n").count == 22)
  }

  @Test("a pipeline for a model that is there matches names, and leaves the rest in comments")
  func givenModel() async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("shop.csv", "x\n")
    let model = try ModelReader.read(path: workspace.path("Shop.xcdatamodeld"))
    let entity = try #require(
      model.entities.first { !$0.definition.isAbstract && $0.attributes.contains { $0.type == .string } })
    let attributes = entity.attributes.filter { $0.type == .string && $0.derivation == nil }
    let names = attributes.map { attribute in
      attribute.name.map { $0.isUppercase ? "_" + $0.lowercased() : String($0) }.joined()
    }
    let rows = (1...3).map { row in names.map { "\($0)\(row)" }.joined(separator: ",") + ",1\n" }
    try workspace.write("\(entity.name).csv", names.joined(separator: ",") + ",zzqx\n" + rows.joined())
    let made = try await workspace.run("init", "--model", "Shop.xcdatamodeld", "\(entity.name).csv", "--name", "in")
    #expect(made.exitCode == 0, "\(made.talk)")
    #expect(!workspace.exists("in.xcdatamodeld"))
    let pipeline = try workspace.text("pipelines/in.yaml")
    #expect(pipeline.contains("entity: \(entity.name)"))
    for (attribute, name) in zip(attributes, names) {
      #expect(pipeline.contains("      \(attribute.name): \(name)"), "\(pipeline)")
    }
    #expect(pipeline.contains("# property: zzqx"), "\(pipeline)")
  }

  @Test("a model that nothing in the files is like, and files that are too wide, are refused")
  func unfit() async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("odd.csv", "zzqx,wwyk\n1,2\n")
    let unlike = try await workspace.run("init", "--model", "Shop.xcdatamodeld", "odd.csv")
    #expect(unlike.exitCode == 65, "\(unlike.talk)")
    #expect(unlike.talk.contains("no field of the files is like a property"))
    let header = (1...2100).map { "c\($0)" }.joined(separator: ",")
    try workspace.write("wide.csv", header + "\n" + (1...2100).map(String.init).joined(separator: ",") + "\n")
    let wide = try await workspace.run("init", "wide.csv")
    #expect(wide.exitCode == 65, "\(wide.talk)")
    #expect(wide.talk.contains("2,100 fields"))
    #expect(!workspace.exists("pipelines"))
  }

  @Test("numbers, texts and arrays that JSON mixes are kept as text and told of")
  func mixed() async throws {
    let workspace = try Workspace()
    try workspace.write(
      "m.ndjson",
      """
      {"a": 1, "b": 12345678901234567890, "c": [1], "d": "1", "e": true, "f": 1.50, "g": {"x": 1}}
      {"a": "x", "b": 2, "c": "y", "d": "02", "e": null, "f": 2, "g": 5}
      {"a": null, "b": 3, "f": 1e2, "h": "", "i": "2024-01-05T10:00:00Z"}
      """)
    let made = try await workspace.run("init", "m.ndjson", "--export")
    #expect(made.exitCode == 0, "\(made.talk)")
    for name in ["a", "b", "c", "g", "i"] { #expect(made.talk.contains("m.ndjson: \(name): "), "\(name) \(made.talk)") }
    for name in ["d", "e", "f", "h"] { #expect(!made.talk.contains("m.ndjson: \(name): "), "\(name) \(made.talk)") }
    let ran = try await workspace.run("run", "pipelines/m.yaml")
    #expect(ran.exitCode == 0, "\(ran.talk)")
    let lines = try workspace.text("build/m.ndjson").split(separator: "\n").map(String.init)
    #expect(
      lines.first?.contains("\"a\":\"1\",\"b\":\"12345678901234567890\",\"c\":\"[1]\",\"d\":\"1\",\"e\":true,\"f\":1.5")
        == true)
    #expect(lines.last?.contains("\"f\":100.0") == true)
    #expect(lines.last?.contains("\"h\":\"\"") == true)
  }
}
