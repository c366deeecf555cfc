import Testing

/// What stands above, behind and around the records of public files, through `init`, `lint` and `run`.
@Suite("Forms of public files through seedbed init and run")
struct InitFormTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var name: String
    var text: String
    /// What is in the pipeline.
    var words: [String]
    var export: String
    /// What is printed.
    var told: [String] = []
    var testDescription: String { name }
  }

  static let cases: [Case] = [
    Case(
      name: "the World Bank",
      text: """
        "Data Source","World Development Indicators",

        "Country Name","Country Code","Indicator","2022","2023",
        "Aruba","ABW","Population, total","106445","",
        "Angola","AGO","Population, total","35588987","36684202",

        """, words: ["skip-lines: 2", "columns: [\"Country Name\", \"Country Code\"", "null]"],
      export: """
        Country Name,Country Code,Indicator,2022,2023
        Aruba,ABW,"Population, total",106445,
        Angola,AGO,"Population, total",35588987,36684202

        """,
      told: [
        "a delimiter ends every line, with nothing behind it",
        "a.csv: left out: 2 lines above the header: \"Data Source\"",
      ]),
    Case(
      name: "a bank",
      text: """
        Account;DE02 1203 0000
        Period;01.01.2024 - 31.01.2024

        Date;Payee;Amount
        02.01.2024;Baker, A.;-3,50
        13.01.2024;Employer;2.500,00
        14.01.2024;Tram;-2,90

        """, words: ["skip-lines: 2", "delimiter: \";\"", "date: \"dd.MM.yyyy\"", "no key"],
      export: """
        Date,Payee,Amount
        2024-01-02T00:00:00Z,"Baker, A.","-3,50"
        2024-01-13T00:00:00Z,Employer,"2.500,00"
        2024-01-14T00:00:00Z,Tram,"-2,90"

        """, told: ["no key"]),
    Case(
      name: "records that end with a delimiter", text: "id,n\n1,x,\n2,y,\n3,z,\n",
      words: ["skip-lines: 1", "header: false", "columns: [id, n, null]"], export: "id,n\n1,x\n2,y\n3,z\n"),
    Case(
      name: "all lines end with a delimiter", text: "id,n,\n1,x,\n2,y,\n", words: ["columns: [id, n, null]"],
      export: "id,n\n1,x\n2,y\n", told: ["the pipeline names its columns"]),
    Case(
      name: "a value behind the last delimiter", text: "id,n,\n1,x,\n2,y,w\n", words: ["columns: [id, n, column3]"],
      export: "id,n,column3\n1,x,\n2,y,w\n"),
    Case(
      name: "a header that ends with a delimiter", text: "id,n,\n1,x\n2,y\n",
      words: ["skip-lines: 1", "columns: [id, n]"], export: "id,n\n1,x\n2,y\n"),
    Case(
      name: "a blank behind each comma", text: "id, n, size\n1, a b, 5\n2, , 6\n3,, 7\n",
      words: ["columns: [id, n, size]", "n: trim(n)", "size: trim(size)", "Integer 32"],
      export: "id,n,size\n1,a b,5\n2,\"\",6\n3,,7\n", told: ["a.csv: size: 3 of 3 have blanks around them"]),
    Case(
      name: "empty lines above a header with a name twice", text: "\n\nid,n,n\n1,x,y\n2,y,z\n",
      words: ["skip-lines: 2  # empty lines above the header"], export: "id,n,n_2\n1,x,y\n2,y,z\n"),
    Case(
      name: "names in a comment", text: "# made by hand\n#code,name\nAD,Andorra\nNA,Namibia\nDE,Germany\n",
      words: [
        "header: false  # a comment above the records names the columns", "columns: [code, name]", "match: [code]",
      ],
      export: "code,name\nAD,Andorra\nNA,Namibia\nDE,Germany\n"),
    Case(
      name: "a comment above a header", text: "# by hand\n#made,by\nn,name\n1,a\n2,b\n",
      words: ["comment: \"#\"", "map:\n      n: n"],
      export: "n,name\n1,a\n2,b\n"),
    Case(
      name: "a header among the records", text: "id,n\n1,x\n2,y\nid,n\n3,z\n", words: ["id: id"],
      export: "id,n\n1,x\n2,y\nid,n\n3,z\n",
      told: ["the header stands again among the records, 1 time (first in line 4): `where: id != \"id\"`"]),
    Case(
      name: "a header with blanks among the records", text: "row id,n\n1,x\n2,y\nrow id,n\n3,z\n", words: ["`row id`"],
      export: "row id,n\n1,x\n2,y\nrow id,n\n3,z\n", told: ["`where: '`row id` != \"row id\"'`"]),
    Case(
      name: "milliseconds", text: "id,created_at,size\n1,1704067200123,1704067200123\n2,1704067201999,1704067200124\n",
      words: ["createdAt: { from: created_at, date: \"epoch-ms\" }", "may be milliseconds"],
      export:
        "id,created_at,size\n1,2024-01-01T00:00:00.123Z,1704067200123\n2,2024-01-01T00:00:01.999Z,1704067200124\n",
      told: ["a.csv: created_at: an export writes its dates in ISO 8601"]),
    Case(
      name: "hours with AM and PM", text: "id,seen\n1,1/5/2024 9:30 AM\n2,12/31/2024 11:05 PM\n",
      words: ["date: \"M/d/yyyy h:mm a\""],
      export: "id,seen\n1,2024-01-05T09:30:00Z\n2,2024-12-31T23:05:00Z\n"),
  ]

  @Test("each is read as it is meant, and what changes is told", arguments: cases)
  func forms(_ example: Case) async throws {
    let workspace = try Workspace()
    try workspace.write("a.csv", example.text)
    let made = try await workspace.run("init", "a.csv", "--export", "--name", "t")
    try #require(made.exitCode == 0, "\(made.talk)")
    let pipeline = try workspace.text("pipelines/t.yaml")
    for word in example.words { #expect(pipeline.contains(word), "\(word)\n\(pipeline)") }
    for text in example.told { #expect((made.talk + pipeline).contains(text), "\(text)\n\(made.talk)") }
    let lint = try await workspace.run("lint", "pipelines/t.yaml")
    #expect(lint.talk.contains("no problems"), "\(lint.text)")
    let ran = try await workspace.run("run", "pipelines/t.yaml")
    try #require(ran.exitCode == 0, "\(ran.talk)")
    #expect(try workspace.text("build/a.csv") == example.export, "\(pipeline)")
  }

  @Test("with --keep-text blanks and milliseconds stay as they are")
  func keptText() async throws {
    let workspace = try Workspace()
    let text = "id, n,created_at\n1, a b,1704067200123\n2, c,1704067201999\n"
    try workspace.write("a.csv", text)
    let made = try await workspace.run("init", "a.csv", "--export", "--name", "t", "--keep-text")
    try #require(made.exitCode == 0, "\(made.talk)")
    try #require(try await workspace.run("run", "pipelines/t.yaml").exitCode == 0)
    #expect(try workspace.text("build/a.csv") == text)
  }

  @Test("JSON with comments and commas at the end is read by the setting for it")
  func comments() async throws {
    let workspace = try Workspace()
    try workspace.write(
      "a.json", "{\"shops\": [ // two\n {\"id\": 1, \"n\": \"x\"},\n {\"id\": 2, \"n\": \"y\"},\n]}\n")
    let made = try await workspace.run("init", "a.json", "--export", "--name", "t")
    try #require(made.exitCode == 0, "\(made.talk)")
    #expect(try workspace.text("pipelines/t.yaml").contains("lenient: true  # line 1 has a comment"))
    try #require(try await workspace.run("run", "pipelines/t.yaml").exitCode == 0)
    #expect(try workspace.text("build/a.ndjson").contains("{\"id\":2,\"n\":\"y\"}"))
  }

  @Test("no hint names a setting without saying that init has none")
  func hints() async throws {
    let workspace = try Workspace()
    try workspace.write("a.json", "[1]\n[2]\n")
    let made = try await workspace.run("init", "a.json")
    #expect(made.exitCode == 65, "\(made.talk)")
    #expect(made.talk.contains("in a pipeline of your own; init has no option for it"), "\(made.talk)")
  }

  @Test("the project is called after the whole name of the file")
  func names() async throws {
    let workspace = try Workspace()
    try workspace.write("title.basics.tsv", "tconst\tprimaryTitle\nttA1\tx y\nttA2\tz\n")
    let made = try await workspace.run("init", "title.basics.tsv")
    try #require(made.exitCode == 0, "\(made.talk)")
    let pipeline = try workspace.text("pipelines/title-basics.yaml")
    #expect(pipeline.contains("entity: TitleBasics"), "\(pipeline)")
  }

  @Test("a quoted field of the first records that is longer than what is looked at hides no column", arguments: [1, 2])
  func longField(record: Int) async throws {
    let workspace = try Workspace()
    let long = "\"" + String(repeating: "line, of text\n", count: 25_000) + "\""
    let fields = (1...4).map { $0 == record ? long : "short" }
    try workspace.write(
      "a.csv", "id,text,size\n" + fields.enumerated().map { "\($0),\($1),7\n" }.joined())
    try await workspace.succeed("init", "a.csv", "--name", "t")
    let pipeline = try workspace.text("pipelines/t.yaml")
    for name in ["id", "text", "size"] { #expect(pipeline.contains("\(name): \(name) "), "\(pipeline)") }
  }
}
