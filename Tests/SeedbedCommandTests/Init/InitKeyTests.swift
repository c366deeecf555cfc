import ModelFiles
import ObjectModel
import Testing

/// Which columns become keys, and which relationships.
@Suite("Keys and references of seedbed init")
struct InitKeyTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var header: String
    var rows: [String]
    /// What the pipeline has; nil for `no key`.
    var key: String?
    var words: [String] = []
    var testDescription: String { "\(header), \(rows.count) records" }
  }

  private static func numbered(_ header: String, _ numbers: some Sequence<Int>, key: String?, _ words: String...)
    -> Case
  {
    Case(header: header, rows: numbers.map { "\($0),x\($0 % 2)" }, key: key, words: words)
  }

  static let cases: [Case] = [
    numbered("Artikelnummer,Name", 1001...1050, key: "artikelnummer", "Integer 64"),
    numbered("Artikelnummer,Name", [77, 1003], key: "artikelnummer"),
    numbered("foo,bar", 1...50, key: "foo", "Integer 64"),
    numbered("foo,bar", (1...50).map { $0 * 7919 }, key: "foo"), numbered("foo,bar", 1001...1005, key: "foo"),
    numbered("nr,bar", [3, 90], key: "nr"), numbered("Nummer,bar", [3, 90], key: "nummer"),
    numbered(
      "foo,bar", [3, 90, 7], key: nil, "no key: \"foo\" is unique in 3 of 3, which so few numbers may be by chance"),
    numbered("weight,bar", 1...50, key: nil, "\"weight\" is unique in 50 of 50, but neither its name nor its place"),
    Case(
      header: "kind,size", rows: (1...30).map { "k\($0 % 3),\($0 * 31)" }, key: nil,
      words: ["\"size\" is unique in 30 of 30, but neither"]),
    Case(
      header: "kind,size", rows: ["a,1", "a,1", "b,"], key: nil, words: ["no key: no column is unique and never empty"]),
  ]

  @Test(
    "the first column of whole numbers is a key where that is no coincidence; else a comment says why not",
    arguments: cases)
  func keys(_ example: Case) async throws {
    let workspace = try Workspace()
    try workspace.write("a.csv", ([example.header] + example.rows).joined(separator: "\n") + "\n")
    let made = try await workspace.run("init", "a.csv")
    try #require(made.exitCode == 0, "\(made.talk)")
    let pipeline = try workspace.text("pipelines/a.yaml")
    if let key = example.key {
      #expect(pipeline.contains("    match: [\(key)]"), "\(pipeline)")
      #expect(!pipeline.contains("no key"))
    } else {
      #expect(!pipeline.contains("match:") && pipeline.contains("  # no key: "), "\(pipeline)")
    }
    for word in example.words { #expect(pipeline.contains(word), "\(word)\n\(pipeline)") }
    #expect(try await workspace.run("run", "pipelines/a.yaml").exitCode == 0)
  }

  @Test(
    "a column with the name of another file's key refers to it, whether numbers or texts",
    arguments: [("isbn", ""), ("isbn", "x"), ("sku", ""), ("Artikelnummer", ""), ("thing", ""), ("thing", "x")])
  func sameName(name: String, prefix: String) async throws {
    let workspace = try Workspace()
    let keys = (1...8).map { "\(prefix)\($0 + 900)" }
    try workspace.write("books.csv", "\(name),title\n" + keys.map { "\($0),t\n" }.joined())
    try workspace.write("loans.csv", "loan_id,\(name)\n" + (0..<12).map { "\($0),\(keys[$0 % 5])\n" }.joined())
    try #require(try await workspace.run("init", "books.csv", "loans.csv", "--name", "t").exitCode == 0)
    let model = try ModelReader.read(path: workspace.path("t.xcdatamodeld"))
    let relationship = try #require(model["Loan"]?.relationships.first)
    #expect(relationship.name == (name == "thing" ? "thing" : "book"))
    #expect(relationship.destination.name == "Book")
    #expect(try await workspace.run("run", "pipelines/t.yaml").exitCode == 0)
  }

  @Test("a number of a row is no reference to that of another file")
  func ranks() async throws {
    let workspace = try Workspace()
    for name in ["a", "b"] {
      try workspace.write("\(name).csv", "rank,name\n" + (1...30).map { "\($0),\(name)\($0)\n" }.joined())
    }
    try #require(try await workspace.run("init", "a.csv", "b.csv", "--name", "t").exitCode == 0)
    let model = try ModelReader.read(path: workspace.path("t.xcdatamodeld"))
    #expect(model.entities.allSatisfy { $0.relationships.isEmpty })
  }

  @Test(
    "of two files with one key one refers to the other, in whatever order they are given",
    arguments: [["users.csv", "profiles.csv"], ["profiles.csv", "users.csv"]])
  func oneToOne(files: [String]) async throws {
    let workspace = try Workspace()
    try workspace.write("users.csv", "user_id,email\n1,a@x\n2,b@x\n3,c@x\n")
    try workspace.write("profiles.csv", "user_id,bio\n1,x\n2,y\n3,x\n")
    try #require(try await Tool.run(["init"] + files + ["--name", "t"], in: workspace.folder).exitCode == 0)
    let model = try ModelReader.read(path: workspace.path("t.xcdatamodeld"))
    #expect(model["Profile"]?.relationships.map(\.name) == ["user"])
    #expect(model["User"]?.relationships.map(\.name) == ["profile"])
    #expect(model.entities.allSatisfy { $0.relationships.allSatisfy { !$0.isToMany } })
    let lint = try await workspace.run("lint", "pipelines/t.yaml")
    #expect(lint.talk.contains("no problems"), "\(lint.text)")
    #expect(try await workspace.run("run", "pipelines/t.yaml").exitCode == 0)
    let found = try await workspace.run(
      "query", "build/t.sqlite", "User WHERE profile.bio == 'y'", "--model", "t.xcdatamodeld", "--format", "csv",
      "--columns", "email")
    #expect(found.text.contains("b@x") && !found.text.contains("a@x"), "\(found.text)\(found.talk)")
  }

  @Test("keys that name no file refer one way, to the file that is given first")
  func oneToOneWithoutOwner() async throws {
    let workspace = try Workspace()
    for name in ["a", "b", "c"] {
      try workspace.write("\(name).csv", "sku,x\n" + (1...6).map { "P\($0),\(name)\n" }.joined())
    }
    try #require(try await workspace.run("init", "a.csv", "b.csv", "c.csv", "--name", "t").exitCode == 0)
    let model = try ModelReader.read(path: workspace.path("t.xcdatamodeld"))
    #expect(model["A"]?.relationships.allSatisfy(\.definition.isOptional) == true)
    for name in ["B", "C"] {
      #expect(model[name]?.relationships.map(\.destination.name) == ["A"], "\(name)")
      #expect(model[name]?.relationships.contains(where: \.definition.isOptional) == false, "\(name)")
    }
    #expect(try await workspace.run("run", "pipelines/t.yaml").exitCode == 0)
  }

  @Test("what refers in a circle is not required, so that objects can be deleted")
  func circles() async throws {
    let workspace = try Workspace()
    try workspace.write("departments.csv", "department_id,head_employee_id\n1,1\n2,3\n")
    try workspace.write("employees.csv", "employee_id,department_id\n1,1\n2,1\n3,2\n4,2\n")
    try workspace.write("folders.csv", "folder_id,parent_folder_id\n1,1\n2,1\n3,1\n4,2\n")
    let made = try await workspace.run("init", "departments.csv", "employees.csv", "folders.csv", "--name", "t")
    try #require(made.exitCode == 0, "\(made.talk)")
    let model = try ModelReader.read(path: workspace.path("t.xcdatamodeld"))
    let required = model.entities.flatMap { entity in
      entity.relationships.filter { !$0.isToMany && !$0.definition.isOptional }.map { "\(entity.name).\($0.name)" }
    }
    #expect(required == ["Department.headEmployee"])
    #expect(model["Folder"]?.relationships.contains { $0.definition.deleteRule == .deny } == false)
    #expect(try workspace.text("pipelines/t.yaml").contains("objects that require each other could never be deleted"))
    #expect(try await workspace.run("run", "pipelines/t.yaml").exitCode == 0)
  }

  private func made(_ files: [String: String], _ arguments: String...) async throws -> (text: String, talk: String) {
    let workspace = try Workspace()
    for (name, text) in files { try workspace.write(name, text) }
    let made = try await Tool.run(["init"] + files.keys.sorted() + ["--name", "t"] + arguments, in: workspace.folder)
    try #require(made.exitCode == 0, "\(made.talk)")
    let run = try await workspace.run("run", "--quiet", "pipelines/t.yaml")
    #expect(run.exitCode == 0, "\(run.talk)")
    return (try workspace.text("pipelines/t.yaml"), made.talk)
  }

  @Test("UUIDs written alike are UUIDs, wherever their letters stand", arguments: [true, false])
  func identifiers(isUpper: Bool) async throws {
    let identifiers = ["e36e6a4e-f0a3-413d-9241-6159fb000001", "036e6a4e-f0a3-413d-9241-6159fb000002"]
    func text(_ identifier: String) -> String { isUpper ? identifier.uppercased() : identifier }
    let alike = try await made(["a.csv": "n,u\n" + identifiers.map { "x,\(text($0))\n" }.joined()])
    #expect(alike.text.contains("UUID"), "\(alike.text)")
    let mixed = try await made(["a.csv": "n,u\nx,\(identifiers[0])\nx,\(identifiers[1].uppercased())\n"])
    #expect(mixed.text.contains("1 of 2 would not come back as they are written as a UUID"), "\(mixed.text)")
  }

  @Test("names that were made for columns without one refer to nothing")
  func madeUpNames() async throws {
    let movies = (1...300).map { "\($0),Movie \($0),\(Double($0) * 1.5)\n" }.joined()
    let users = (1...100).map { "\($0),\($0 % 2 == 0 ? "M" : "F"),\(20 + $0 % 50)\n" }.joined()
    let text = try await made(["movies.csv": movies, "users.csv": users]).text
    #expect(!text.contains("relationship"), "\(text)")
  }

  @Test("a reference may be empty, in quotes or not", arguments: ["", "\"\""])
  func emptyReference(empty: String) async throws {
    let rows = (2...9).map { "\($0),b\($0),\($0 - 1)\n" }.joined()
    let text = try await made(["nodes.csv": "id,name,parent_id\n1,a,\(empty)\n" + rows]).text
    #expect(text.contains("parent: { match: id, from: parent_id }"), "\(text)")
  }

  @Test("an empty text in quotes is no key of texts: it would be rejected")
  func emptyTextReference() async throws {
    let text = try await made([
      "artists.csv": "id,name\nA1,x\nA2,y\nA3,z\n", "songs.csv": "id,title,artist_id\n1,a,A1\n2,b,\"\"\n3,c,A2\n4,d,\n",
    ]).text
    #expect(!text.contains("artist: { match"), "\(text)")
  }

  @Test(
    "codes lead to numbers, and numbers to codes",
    arguments: [("code,name", "id,name,zip"), ("zip,city", "id,name,zip"), ("zip,city", "id,name,main_zip")])
  func codeReferences(header: String, other: String) async throws {
    let text = try await made([
      "zips.csv": header + "\n10115,Mitte\n20095,Nord\n30159,Zoo\n40213,Alt\n50667,Dom\n60311,Rom\n",
      "people.csv": other + "\n1,a,10115\n2,b,20095\n3,c,30159\n4,d,30159\n",
    ]).text
    #expect(text.contains("match: zip") || text.contains("match: code"), "\(text)")
    #expect(text.contains("a relationship to Zip"), "\(text)")
  }

  @Test("numbers of what is called after a code are numbers", arguments: ["phone_count", "mobile_users", "phone_id"])
  func numbers(name: String) async throws {
    let text = try await made(["a.csv": "id,\(name)\n1,3\n2,4\n3,5\n4,3\n"]).text
    #expect(!text.contains("text: a code"), "\(text)")
  }

  @Test("digits of codes are text", arguments: ["zip", "postal code", "phone", "ean"])
  func codes(name: String) async throws {
    let text = try await made(["a.csv": "id,\(name)\n1,12345\n2,90210\n"]).text
    #expect(text.contains("text: a code, in which a zero in front counts"), "\(text)")
  }

  @Test("a file that is not UTF-8 is told")
  func bytes() async throws {
    let workspace = try Workspace()
    try workspace.write("a.csv", Array("id,name\n1,J\u{FC}rgen\n2,caf".utf8) + [0xE9, 10])
    let made = try await workspace.run("init", "a.csv")
    #expect(made.talk.contains("a.csv: it is not UTF-8; every byte is a character"), "\(made.talk)")
  }

  @Test("a key with a backtick has its field, and one that stands twice in an object is no negative number of empties")
  func oddKeys() async throws {
    let workspace = try Workspace()
    try workspace.write("b.json", "[{\"`q\": 1, \"n\": 2, \"n\": 3}, {\"`q\": 4, \"n\": 2}]")
    try #require(try await workspace.run("init", "b.json").exitCode == 0)
    let odd = try workspace.text("pipelines/b.yaml")
    #expect(odd.contains("q: \"`/``q`\"") && !odd.contains("empty in -"), "\(odd)")
    let step = try #require(try await workspace.report("pipelines/b.yaml").steps.first)
    #expect(step.counts.inserted == 1 && step.counts.rejected == 1)
  }

  @Test("what has no key says so, with what it means and how to mend it, and runs")
  func withoutKey() async throws {
    let workspace = try Workspace()
    try workspace.write("people.csv", "name,age\nAnn Lee,31\nBob Roe,44\nZoë,44\n")
    let made = try await workspace.run("init", "people.csv")
    try #require(made.exitCode == 0, "\(made.talk)")
    #expect(
      made.talk.contains("note: people.csv has no key, so each import into the same store adds all of its records"))
    let pipeline = try workspace.text("pipelines/people.yaml")
    for text in ["# no key: \"name\" is unique in 3 of 3", "adds all records anew: name a property in `match`"] {
      #expect(pipeline.contains(text), "\(pipeline)")
    }
    #expect(!pipeline.contains("    match:"))
    #expect(try await workspace.run("lint", "pipelines/people.yaml").talk.contains("no problems"))
    try workspace.write("pipelines/people.yaml", pipeline.replacing(".sqlite }", with: ".sqlite, replace: never }"))
    for count in [3, 6] {
      #expect(try await workspace.run("run", "pipelines/people.yaml").exitCode == 0)
      #expect(try workspace.query("build/people.sqlite", "SELECT count(*) FROM ZPERSON") == ["\(count)"])
    }
    let keyed = pipeline.replacing("    map:", with: "    match: [name]\n    map:")
    try workspace.write("pipelines/people.yaml", keyed.replacing(".sqlite }", with: ".sqlite, replace: never }"))
    #expect(try await workspace.run("lint", "pipelines/people.yaml").exitCode == 0)
  }

  @Test("a file of one record has a key by its name, and others refer to it")
  func oneRecord() async throws {
    let text = try await made([
      "countries.csv": "id,name\n49,Germany\n", "cities.csv": "id,name,country_id\n1,Berlin,49\n2,Bonn,49\n3,Ulm,49\n",
    ]).text
    #expect(text.contains("match: [id]  # called as keys are; the only record does not tell more"), "\(text)")
    #expect(text.contains("country: { match: id, from: country_id }"), "\(text)")
  }

  @Test("names are a key where another file refers to them")
  func referredNames() async throws {
    let players = (1...6).map { "Player \($0),\($0 % 3)\n" }.joined()
    let goals = (0..<12).map { "Player \($0 % 4 + 1),\($0 / 4)\n" }.joined()
    let text = try await made(["players.csv": "name,team\n" + players, "goals.csv": "player,minute\n" + goals]).text
    #expect(text.contains("match: [name]  # unique in 6 of 6, and another file refers to it"), "\(text)")
    #expect(text.contains("player: { match: name, from: player }"), "\(text)")
  }
}
