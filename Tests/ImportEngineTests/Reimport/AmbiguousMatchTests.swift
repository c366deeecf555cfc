import Testing

@testable import ImportEngine
@testable import Reports

@Suite("A match key that several objects have")
struct AmbiguousMatchTests {
  private static let lines = """
      - from: lines.ndjson
        entity: Line
        map: { code: code, color: color }
    """

  /// Two red lines and a blue one.
  private func railway() throws -> Railway {
    let railway = try Railway()
    try railway.write(
      "lines.ndjson",
      [
        #"{"code": "a", "color": "red"}"#, #"{"code": "b", "color": "red"}"#, #"{"code": "c", "color": "blue"}"#,
      ])
    try railway.run(Self.lines)
    return railway
  }

  @Test(
    "is no key: find-or-create refuses the record", arguments: [true, false], ["update", "keep", "replace", "fail"])
  func refused(recognises: Bool, onMatch: String) throws {
    let railway = try railway()
    railway.unchangedScan.isOn = recognises
    let before = try railway.query("SELECT * FROM ZLINE")
    try railway.write("colors.ndjson", [#"{"code": "b", "color": "red"}"#])
    let result = try railway.run(
      """
        - from: colors.ndjson
          entity: Line
          match: [color]
          on-match: \(onMatch)
          map: { code: code, color: color }
      """)
    #expect(result.strategies.map { $0.prefix(14) } == ["find-or-create"])
    #expect(result.counts[0].rejected == 1)
    #expect(result.counts[0].total == 1)
    #expect(result.rejects[0].contains("\"match.ambiguous\""))
    #expect(!result.rejects[0].contains("match.exists"))
    #expect(result.rejects[0].contains(#""value":"red""#))
    #expect(try railway.query("SELECT * FROM ZLINE") == before)
  }

  @Test("does not stop the records whose key one object has")
  func others() throws {
    let railway = try railway()
    try railway.write("colors.ndjson", [#"{"code": "x", "color": "red"}"#, #"{"code": "d", "color": "blue"}"#])
    let result = try railway.run(
      """
        - from: colors.ndjson
          entity: Line
          match: [color]
          map: { code: code, color: color }
      """)
    #expect(result.counts[0].updated == 1)
    #expect(result.counts[0].rejected == 1)
    #expect(try railway.query("SELECT ZCODE FROM ZLINE ORDER BY 1") == ["a", "b", "d"])
  }

  @Test("with a relationship in the key is refused as well")
  func relationship() throws {
    let railway = try railway()
    let halts = """
        - from: halts.ndjson
          entity: Halt
          @
          map: { number: number, name: name, line: { match: code, from: line } }
      """
    try railway.write(
      "halts.ndjson",
      [#"{"line": "a", "number": 1, "name": "A"}"#, #"{"line": "a", "number": 2, "name": "A"}"#])
    try railway.run(halts.replacing("@", with: ""))
    try railway.write(
      "halts.ndjson",
      [#"{"line": "a", "number": 1, "name": "A"}"#, #"{"line": "b", "number": 3, "name": "A"}"#])
    let result = try railway.run(halts.replacing("@", with: "match: [line, name]"))
    #expect(result.counts[0].inserted == 1)
    #expect(result.counts[0].rejected == 1)
    #expect(result.rejects[0].contains("\"match.ambiguous\""))
  }

  @Test("upsert refuses it where a store lacks the index of its constraint")
  func withoutIndex() throws {
    let railway = try railway()
    let index = try railway.query(
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'ZLINE' AND sql LIKE '%UNIQUE%'")
    for name in index { try railway.execute("DROP INDEX \(name)") }
    try railway.execute("UPDATE ZLINE SET ZCODE = 'a' WHERE ZCODE = 'b'")
    try railway.write("lines.ndjson", [#"{"code": "a", "color": "red"}"#, #"{"code": "c", "color": "green"}"#])
    let result = try railway.run(
      """
        - from: lines.ndjson
          entity: Line
          match: [code]
          strategy: upsert
          map: { code: code, color: color }
      """)
    #expect(index.count == 1)
    #expect(result.counts[0].updated == 1)
    #expect(result.counts[0].rejected == 1)
    #expect(result.rejects[0].contains("\"match.ambiguous\""))
  }

  @Test("a nested object with such a key refuses its record")
  func nested() throws {
    let railway = try railway()
    try railway.write(
      "halts.ndjson",
      [
        #"{"number": 1, "name": "A", "line": {"code": "a", "color": "red"}}"#,
        #"{"number": 2, "name": "B", "line": {"code": "c", "color": "blue"}}"#,
      ])
    let result = try railway.run(
      """
        - from: halts.ndjson
          entity: Halt
          map:
            number: number
            name: name
            line: { from: line, match: [color], map: { code: code, color: color } }
      """)
    #expect(result.counts[0].inserted == 1)
    #expect(result.counts[0].rejected == 1)
    #expect(result.rejects[0].contains("\"match.ambiguous\""))
    #expect(try railway.query("SELECT ZNAME FROM ZHALT") == ["B"])
  }
}
