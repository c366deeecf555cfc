import Testing

/// A uniqueness constraint that has attributes of type Boolean alone.
@Suite("Records that are unique by flags")
struct BooleanConstraintRunTests {
  private static let model = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="">
      <entity name="Toggle" representedClassName="Toggle">
        <attribute name="left" optional="YES" attributeType="Boolean" usesScalarValueType="YES"/>
        <attribute name="name" optional="YES" attributeType="String"/>
        <attribute name="right" optional="YES" attributeType="Boolean" usesScalarValueType="YES"/>
        <uniquenessConstraints>
          <uniquenessConstraint><constraint value="left"/><constraint value="right"/></uniquenessConstraint>
        </uniquenessConstraints>
      </entity>
    </model>
    """
  private static let rows = "SELECT ZLEFT, ZRIGHT, ZNAME, Z_OPT FROM ZTOGGLE ORDER BY Z_PK"

  private func workspace() throws -> Workspace {
    let workspace = try Workspace()
    try workspace.write("Shop.xcdatamodeld/Shop.xcdatamodel/contents", Self.model)
    return workspace
  }

  private func pipeline(_ source: String, strategy: String, match: String, replace: String) -> ItemPipeline {
    ItemPipeline(
      source: source, entity: "Toggle", match: match, settings: ["strategy: \(strategy)"],
      map: ["left: left", "right: right", "name: name"], replace: replace, rejects: "file: rejects.csv, limit: 9")
  }

  @Test(
    "an upsert by flags finds the object with the same ones, whatever the strategy",
    arguments: ["automatic", "upsert", "find-or-create"])
  func upsert(strategy: String) async throws {
    let workspace = try workspace()
    try workspace.write(
      "one.csv", "left,right,name\ntrue,true,a\ntrue,false,b\nfalse,false,c\nfalse,,d\n1,0,f\n")
    try workspace.write("two.csv", "left,right,name\ntrue,true,A\nfalse,true,G\nfalse,false,c\n,,h\n")
    try pipeline("one.csv", strategy: strategy, match: "match: [left, right]", replace: "always").write(to: workspace)
    let first = try await workspace.report("items.yaml")
    // The last of two records wins, and what lacks a flag names no object.
    #expect(first.total.inserted == 3)
    #expect(first.rejects.map(\.line) == [5])
    #expect(try workspace.query("Shop.sqlite", Self.rows) == ["1|1|a|1", "0|0|c|1", "1|0|f|1"])
    try pipeline("two.csv", strategy: strategy, match: "match: [left, right]", replace: "never").write(to: workspace)
    let second = try await workspace.report("items.yaml")
    #expect(second.total.inserted == 1 && second.total.updated == 1 && second.total.unchanged == 1)
    #expect(second.rejects.map(\.line) == [5])
    #expect(try workspace.query("Shop.sqlite", Self.rows) == ["1|1|A|2", "0|0|c|1", "1|0|f|1", "0|1|G|1"])
    let check = try await workspace.run("check", "Shop.sqlite", "--strict")
    #expect(check.exitCode == 0, "\(check.text)")
  }

  @Test("without match keys, the second record with the same flags is rejected, and missing flags are like no other")
  func conflict() async throws {
    let workspace = try workspace()
    try workspace.write("one.csv", "left,right,name\ntrue,false,a\ntrue,,b\ntrue,,c\nTRUE,0,d\n,,e\n")
    try pipeline("one.csv", strategy: "automatic", match: "", replace: "always").write(to: workspace)
    let report = try await workspace.report("items.yaml")
    #expect(report.total.inserted == 4)
    #expect(report.rejects.map(\.code) == ["constraint.conflict"])
    #expect(report.rejects.map(\.line) == [5])
    #expect(try workspace.query("Shop.sqlite", Self.rows) == ["1|0|a|1", "1|∅|b|1", "1|∅|c|1", "∅|∅|e|1"])
  }

  @Test("an upsert by one flag keeps two objects, however many records there are")
  func manyRecords() async throws {
    let workspace = try Workspace()
    let model = Self.model.replacing("<constraint value=\"left\"/>", with: "")
    try workspace.write("Shop.xcdatamodeld/Shop.xcdatamodel/contents", model)
    let records = (0..<5_000).map { "true,\($0 % 2 == 0),\($0)\n" }.joined()
    try workspace.write("one.csv", "left,right,name\n" + records)
    for replace in ["always", "never"] {
      try pipeline("one.csv", strategy: "upsert", match: "match: right", replace: replace).write(to: workspace)
      let report = try await workspace.report("items.yaml")
      #expect(report.rejects.isEmpty)
      #expect(report.total.inserted == (replace == "always" ? 2 : 0))
      #expect(
        try workspace.query("Shop.sqlite", "SELECT ZRIGHT, ZNAME FROM ZTOGGLE ORDER BY ZRIGHT") == ["0|4999", "1|4998"])
    }
  }
}
