import Testing

@Suite("Names of columns in expressions")
struct ColumnNameTests {
  @Test("text that equals a column is the column, whatever is in its name; backticks quote it in expressions")
  func names() async throws {
    let names = ["Stop Name (en)", "price-usd", "2024", "50%, net", "a=b", "it's", "tick`s", "upper(id)"]
    let header = names.map { "\"\($0)\"" }.joined(separator: ",")
    for (index, name) in names.enumerated() {
      let quoted = "'" + name.replacing("'", with: "''") + "'"
      let ticked = "'upper(`" + name.replacing("'", with: "''").replacing("`", with: "``") + "`)'"
      let workspace = try StopFeed.workspace(
        ["stops.csv": "id,\(header)\nA,\(names.indices.map { "v\($0)" }.joined(separator: ","))\n"],
        pipeline: StopFeed.pipeline(["name: \(quoted)", "zone: \(ticked)"]))
      let run = try await workspace.run("run", "--quiet", "stops.yaml")
      #expect(run.exitCode == 0, "\(name): \(run.talk)")
      #expect(try workspace.query("Stops.sqlite", "SELECT ZNAME, ZZONE FROM ZSTOP") == ["v\(index)|V\(index)"])
    }
  }

  @Test("a name that is nearly a column's is told with that column")
  func nearly() async throws {
    let workspace = try StopFeed.workspace(
      ["stops.csv": "id,Stop Name (en)\nA,x\n"], pipeline: StopFeed.pipeline(["name: Stop Name (eng)"]))
    let run = try await workspace.run("run", "stops.yaml")
    #expect(run.exitCode == 78)
    #expect(run.talk.contains("did you mean the column \"Stop Name (en)\"?"), "\(run.talk)")
  }

  @Test("value and default are constants even where a column has their name, and lint warns")
  func constants() async throws {
    let workspace = try StopFeed.workspace(
      ["stops.csv": "id,name,zone\nA,x,\n"],
      pipeline: StopFeed.pipeline(["name: { value: name }", "zone: { from: zone, default: zone }", "rank: 5"]))
    let run = try await workspace.run("run", "--quiet", "stops.yaml")
    #expect(run.exitCode == 0, "\(run.talk)")
    #expect(try workspace.query("Stops.sqlite", "SELECT ZNAME, ZZONE, ZRANK FROM ZSTOP") == ["name|zone|5"])
    try workspace.write("stops.yaml", StopFeed.pipeline(["name: '\"name\"'", "zone: trim('id')"]))
    let lint = try await workspace.run("lint", "stops.yaml")
    let said = lint.text + lint.talk
    #expect(said.contains("name: \"name\" is a constant here, and also the name of a column"), "\(said)")
    #expect(said.contains("zone: \"id\" is a constant here"), "\(said)")
  }

  @Test("constant numbers of String attributes are kept as they are written")
  func writtenNumbers() async throws {
    let workspace = try StopFeed.workspace(
      ["stops.csv": "id,name,zone\nA,x,\n"],
      pipeline: StopFeed.pipeline(["name: { value: 007 }", "zone: { from: zone, default: 1.10 }", "rank: 05"]))
    let run = try await workspace.run("run", "--quiet", "stops.yaml")
    #expect(run.exitCode == 0, "\(run.talk)")
    #expect(try workspace.query("Stops.sqlite", "SELECT ZNAME, ZZONE, ZRANK FROM ZSTOP") == ["007|1.10|5"])
  }

  @Test("parentheses and blanks around a constant number are no part of the text")
  func parenthesisedNumbers() async throws {
    let workspace = try StopFeed.workspace(
      ["stops.csv": "id,name,zone\nA,x,\n"],
      pipeline: StopFeed.pipeline(["name: '( -1.50 )'", "zone: '((12)) '", "rank: (5)"]))
    let run = try await workspace.run("run", "--quiet", "stops.yaml")
    #expect(run.exitCode == 0, "\(run.talk)")
    #expect(try workspace.query("Stops.sqlite", "SELECT ZNAME, ZZONE, ZRANK FROM ZSTOP") == ["-1.50|12|5"])
  }

  struct WrongDate: Sendable {
    var settings: String
    var value: String
    var words: [String]
  }

  @Test(
    "a wrong date says which format was expected, and which one would read it",
    arguments: [
      WrongDate(settings: "opened", value: "14.03.2025", words: ["expected ISO 8601", "date: dd.MM.yyyy reads it"]),
      WrongDate(
        settings: "{ from: opened, date: dd.MM.yyyy }", value: "2025-03-14",
        words: ["expected dd.MM.yyyy (Stop.opened)"]),
      WrongDate(
        settings: "{ from: opened, date: dd.MM.yyyy }", value: "30.02.2025",
        words: ["no date of the calendar, in the format dd.MM.yyyy"]),
      WrongDate(
        settings: "{ from: opened, date: epoch }", value: "03/14/2025",
        words: ["expected seconds since 1970 (epoch)", "date: MM/dd/yyyy"]),
      WrongDate(
        settings: "{ from: opened, date: epoch }", value: "1704067200123",
        words: ["no date of the calendar, in the format seconds since 1970 (epoch)", "date: epoch-ms reads it"]),
      WrongDate(
        settings: "{ from: opened, date: epoch-ms }", value: "1704067200123456",
        words: ["it may be microseconds, of which x / 1000000 with date: epoch makes seconds"]),
      WrongDate(
        settings: "date(opened, 'epoch')", value: "1704067200123", words: ["date(x, \"epoch-ms\") reads it"]),
      WrongDate(
        settings: "date(opened, 'yyyy/MM/dd')", value: "03/04/2025",
        words: ["expected yyyy/MM/dd", "date(x, \"dd/MM/yyyy\") or date(x, \"MM/dd/yyyy\") reads it"]),
    ])
  func dates(wrong: WrongDate) async throws {
    let workspace = try StopFeed.workspace(
      ["stops.csv": "id,opened\nA,\(wrong.value)\n"], pipeline: StopFeed.pipeline(["opened: \(wrong.settings)"]))
    let run = try await workspace.run("run", "stops.yaml")
    for word in wrong.words { #expect((run.text + run.talk).contains(word), "\(run.text)\(run.talk)") }
  }

  @Test("date() without a format reads as the source's dates do")
  func sourceDates() async throws {
    let workspace = try StopFeed.workspace(
      ["stops.csv": "id,opened\nA,14.03.2025\n"],
      pipeline: StopFeed.pipeline(["name: text(date(opened))"], source: "{ path: stops.csv, dates: dd.MM.yyyy }"))
    let run = try await workspace.run("run", "--quiet", "stops.yaml")
    #expect(run.exitCode == 0, "\(run.talk)")
    #expect(try workspace.query("Stops.sqlite", "SELECT ZNAME FROM ZSTOP") == ["2025-03-14T00:00:00Z"])
  }

  @Test(
    "patterns as other tools write them are translated",
    arguments: [("DD.MM.YYYY", "dd.MM.yyyy"), ("\"%d.%m.%Y\"", "dd.MM.yyyy"), ("dd.mm.yyyy", "dd.MM.yyyy")])
  func patterns(written: String, meant: String) async throws {
    let workspace = try StopFeed.workspace(
      ["stops.csv": "id,opened\nA,14.03.2025\n"],
      pipeline: StopFeed.pipeline(["opened: { from: opened, date: \(written) }"]))
    let run = try await workspace.run("lint", "stops.yaml")
    #expect((run.text + run.talk).contains("did you mean \(meant)?"), "\(run.text)\(run.talk)")
  }
}
