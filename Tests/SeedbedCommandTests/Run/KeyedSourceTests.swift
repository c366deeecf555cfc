import Testing

/// Sources whose records are the members of an object.
@Suite("Records by key")
struct KeyedSourceTests {
  private static func workspace(_ file: String, _ text: String, _ settings: String, _ map: String) throws -> Workspace {
    let workspace = try Workspace()
    try workspace.writeModel(
      """
      <entity name="Rate"><attribute name="code" attributeType="String"/>
       <attribute name="value" optional="YES" attributeType="Double"/><attribute name="name" optional="YES" attributeType="String"/></entity>
      """)
    try workspace.write(file, text)
    try workspace.write(
      "p.yaml",
      """
      model: M.xcdatamodel
      store: { path: M.sqlite }
      rejects: { file: bad.csv, limit: 10 }
      import:
        - { from: { path: \(file), keyed-by: code\(settings) }, entity: Rate, match: code, map: { code: code, \(map) } }

      """)
    return workspace
  }

  private static let plist = """
    <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict><key>rates</key><dict>
    <key>EUR</key><dict><key>name</key><string>Euro</string></dict><key>CHF</key><dict><key>name</key><string>Franc</string></dict>
    </dict></dict></plist>
    """

  @Test(
    "are read from JSON, JSON with comments, and property lists",
    arguments: [
      ("r.json", #"{"EUR":1.08,"CHF":0.96,"X \u00e9":null}"#, "", "value: value", ["CHF|0.96|", "EUR|1.08|", "X é||"]),
      (
        "r.json", #"{"base":"USD","rates":{"EUR":{"name":"Euro"},"CHF":{}}}"#, ", pointer: /rates", "name: name",
        ["CHF||", "EUR||Euro"]
      ),
      ("r.json", "{ // two\n\"EUR\": {\"name\": \"Euro\"}, }", ", lenient: true", "name: name", ["EUR||Euro"]),
      ("r.plist", plist, ", pointer: /rates", "name: name", ["CHF||Franc", "EUR||Euro"]),
    ])
  func reads(file: String, text: String, settings: String, map: String, rows: [String]) async throws {
    let workspace = try Self.workspace(file, text, settings, map)
    let counts = try await workspace.report("p.yaml").steps[0].counts
    #expect(counts.read == rows.count && counts.inserted == rows.count)
    let sql = "SELECT ZCODE || '|' || ifnull(ZVALUE, '') || '|' || ifnull(ZNAME, '') FROM ZRATE ORDER BY ZCODE"
    #expect(try workspace.query("M.sqlite", sql) == rows)
  }

  @Test("rejects keep their keys, and can be read again")
  func rejects() async throws {
    let workspace = try Self.workspace(
      "r.json", "{\n\"EUR\": 1.08,\n\"CHF\": \"x\",\n\"CHF\": 2,\n\"USD\": \"y\"\n}\n", "", "value: value")
    let first = try await workspace.run("run", "p.yaml")
    #expect(first.exitCode == 1 && first.text.contains("r.json:3:"), "\(first.text)")
    let rejects = try #require(try workspace.names().first { $0.hasPrefix("bad") })
    let text = try workspace.text(rejects)
    #expect(
      text.contains(#""pointer":"/CHF"},"code":"CHF","value":"x"}"#) && text.contains(#""code":"USD","value":"y"}"#),
      "\(text)")
    try workspace.write("mended.ndjson", text.replacing("\"y\"", with: "7").replacing("\"x\"", with: "3"))
    try workspace.write(
      "p.yaml",
      workspace.text("p.yaml").replacing("r.json", with: "mended.ndjson").replacing(
        "keyed-by: code", with: "format: json"
      )
      .replacing("M.sqlite", with: "M.sqlite, replace: never").replacing("bad.csv", with: "bad2.csv"))
    let counts = try await workspace.report("p.yaml").steps[0].counts
    #expect(counts.inserted + counts.updated == 2)
    let rows = try workspace.query("M.sqlite", "SELECT ZCODE || ZVALUE FROM ZRATE ORDER BY ZCODE")
    #expect(rows == ["CHF3.0", "EUR1.08", "USD7.0"])
  }

  @Test("another key that a record has twice is no matter of keyed-by")
  func repeatedKey() async throws {
    let workspace = try Self.workspace("r.json", #"{"a":{"value":1,"value":2}}"#, "", "value: value")
    let outcome = try await workspace.run("run", "p.yaml")
    #expect(outcome.exitCode == 1 && !(outcome.talk + outcome.text).contains("keyed-by"), "\(outcome.text)")
    #expect((outcome.talk + outcome.text).contains("json.duplicate-key"))
  }

  @Test(
    "what cannot be read so is told",
    arguments: [
      ("r.json", "[]", "", "is no object with the records as its members", Int32(65)),
      ("r.json", #"{"a":[]}"#, ", pointer: /a", "\"/a\" is no object", 65),
      ("r.json", #"{"a":{"code":"b","value":1}}"#, "", "give keyed-by another one", 1),
      ("r.ndjson", "{}", "", "\"keyed-by\" means nothing for format ndjson", 78),
      ("r.csv", "a\n", "", "\"keyed-by\" means nothing for format csv", 78),
    ])
  func mistakes(file: String, text: String, settings: String, message: String, code: Int32) async throws {
    let outcome = try await Self.workspace(file, text, settings, "value: value").run("run", "p.yaml")
    #expect(outcome.exitCode == code && (outcome.talk + outcome.text).contains(message), "\(outcome.talk)")
  }
}
