import TestSupport
import Testing

/// What a later record says of an object while a reference of an earlier one waits, or after one was refused.
@Suite("Later records of one object")
struct LaterStatementTests {
  private static let model = """
    <entity name="T"><attribute name="code" attributeType="String"/>
    <relationship name="owners" optional="YES" toMany="YES" destinationEntity="B" inverseName="t"/>
    <relationship name="lists" optional="YES" toMany="YES" destinationEntity="B" inverseName="members"/></entity>
    <entity name="B"><attribute name="code" attributeType="String"/>
    <relationship name="t" optional="YES" maxCount="1" destinationEntity="T" inverseName="owners"/>
    <relationship name="plain" optional="YES" maxCount="1" destinationEntity="T"/>
    <relationship name="members" optional="YES" toMany="YES" destinationEntity="T" inverseName="lists"/>
    \(ModelXML.unique("code"))</entity>
    <entity name="O"><attribute name="code" attributeType="String"/>
    <relationship name="b" optional="YES" maxCount="1" destinationEntity="B"/></entity>
    """

  private func workspace(_ steps: [String], _ files: [String: String]) throws -> Workspace {
    let workspace = try Workspace()
    try workspace.writeModel(Self.model)
    try workspace.write(
      "p.yaml",
      """
      model: M.xcdatamodel
      store: { path: S.sqlite, replace: never }
      rejects: { limit: 99 }
      import:
      \(steps.map { "- " + $0 + "\n" }.joined())
      """)
    for (name, records) in files { try workspace.write(name, records + "\n") }
    return workspace
  }

  private static func step(_ file: String, _ relationship: String, _ strategy: String) -> String {
    "{ from: \(file), entity: B, match: code, strategy: \(strategy), map: { code: code, "
      + "\(relationship): { match: code, from: t, missing: \"null\" } } }"
  }

  /// What the second record says, and where the reference leads then.
  @Test(
    "a reference that waits does not overwrite what a later record says",
    arguments: ["upsert", "find-or-create"],
    [
      ("t", #""t3""#, "t3"), ("plain", "null", "∅"), ("t", #""t4""#, "t4"), ("plain", #""nowhere""#, "∅"),
    ])
  func toOne(strategy: String, statement: (relationship: String, value: String, expected: String)) async throws {
    let workspace = try workspace(
      [
        "{ from: t1.ndjson, entity: T, match: code, map: { code: code } }",
        Self.step("b1.ndjson", statement.relationship, strategy),
        Self.step("b2.ndjson", statement.relationship, strategy),
        "{ from: t2.ndjson, entity: T, match: code, map: { code: code } }",
      ],
      [
        "t1.ndjson": #"{"code":"t3"}"#, "b1.ndjson": #"{"code":"b1","t":"t4"}"#,
        "b2.ndjson": #"{"code":"b1","t":"# + statement.value + "}", "t2.ndjson": #"{"code":"t4"}"#,
      ])
    // Again, with all destinations there: the last record counts as before.
    for _ in 1...2 {
      let report = try await workspace.report("p.yaml")
      #expect(report.total.rejected == 0)
      #expect(
        try workspace.query(
          "S.sqlite", "SELECT T.ZCODE FROM ZB LEFT JOIN ZT T ON T.Z_PK = Z\(statement.relationship.uppercased())")
          == [statement.expected])
    }
  }

  @Test(
    "the list of a later record takes the place of one that waits, but one that adds members does not",
    arguments: [("", ["t3"]), (", members: add", ["t3", "t4"])])
  func toMany(members: String, expected: [String]) async throws {
    func step(_ file: String, _ members: String) -> String {
      "{ from: \(file), entity: B, match: code, map: { code: code, "
        + "members: { match: code, from: t, missing: \"null\"\(members) } } }"
    }
    let workspace = try workspace(
      [
        "{ from: t1.ndjson, entity: T, match: code, map: { code: code } }", step("b1.ndjson", ""),
        step("b2.ndjson", members), "{ from: t2.ndjson, entity: T, match: code, map: { code: code } }",
      ],
      [
        "t1.ndjson": #"{"code":"t3"}"#, "b1.ndjson": #"{"code":"b1","t":["t4"]}"#,
        "b2.ndjson": #"{"code":"b1","t":["t3"]}"#, "t2.ndjson": #"{"code":"t4"}"#,
      ])
    _ = try await workspace.report("p.yaml")
    let joins = try #require(
      try workspace.query("S.sqlite", "SELECT name FROM sqlite_schema WHERE name GLOB 'Z_[0-9]*' AND type = 'table'")
        .first)
    let column = try #require(
      try workspace.query("S.sqlite", "SELECT name FROM pragma_table_info('\(joins)') WHERE name LIKE '%MEMBERS'").first
    )
    #expect(
      try workspace.query("S.sqlite", "SELECT ZCODE FROM ZT JOIN \(joins) ON Z_PK = \(column) ORDER BY 1") == expected)
  }

  @Test("records of one batch that share a nested object say in their order what it refers to")
  func nested() async throws {
    let workspace = try workspace(
      [
        "{ from: t1.ndjson, entity: T, match: code, map: { code: code } }",
        """
        { from: o.ndjson, entity: O, match: code, map: { code: code, b: { from: b, match: code, map: { code: code,
              plain: { match: code, from: t, missing: "null" } } } } }
        """, "{ from: t2.ndjson, entity: T, match: code, map: { code: code } }",
      ],
      [
        "t1.ndjson": #"{"code":"t3"}"#,
        "o.ndjson": #"{"code":"o1","b":{"code":"b1","t":"t4"}}"# + "\n" + #"{"code":"o2","b":{"code":"b1","t":"t3"}}"#,
        "t2.ndjson": #"{"code":"t4"}"#,
      ])
    _ = try await workspace.report("p.yaml")
    #expect(try workspace.query("S.sqlite", "SELECT T.ZCODE FROM ZB JOIN ZT T ON T.Z_PK = ZPLAIN") == ["t3"])
  }
}
