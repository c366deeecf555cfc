import Testing

/// A constant null for a composite attribute with a mandatory element.
@Suite("Composite attributes that a constant clears")
struct ClearedCompositeTests {
  private func workspace(_ value: String, isOptional: Bool = true) throws -> Workspace {
    let workspace = try Workspace()
    try workspace.writeModel(
      """
      <entity name="P"><attribute name="id" attributeType="String"/>
        <attribute name="address" \(isOptional ? "optional=\"YES\"" : "") attributeType="Composite" composite="Address"/>
        <uniquenessConstraints><uniquenessConstraint><constraint value="id"/></uniquenessConstraint></uniquenessConstraints>
      </entity>
      <composite name="Address"><attribute name="city" attributeType="String"/>
        <attribute name="zip" optional="YES" attributeType="String"/>
        <attribute name="spot" attributeType="Composite" composite="Spot"/></composite>
      <composite name="Spot"><attribute name="x" attributeType="Integer 16"/></composite>
      """)
    try workspace.write("full.json", #"[{"id":"1","address":{"city":"Rome","zip":"0","spot":{"x":1}}}]"#)
    try workspace.write("id.csv", "id\n1\n2\n")
    for (name, from, value) in [("full", "full.json", "address"), ("clear", "id.csv", value)] {
      try workspace.write(
        name + ".yaml",
        """
        model: M.xcdatamodel
        store: { path: o.sqlite, replace: never }
        import:
          - from: \(from)
            entity: P
            match: id
            map:
              id: id
              address: \(value)
        """)
    }
    return workspace
  }

  @Test(
    "null clears every element of an optional one, mandatory ones too",
    arguments: ["null", "{ value: null }", "{ from: null }"])
  func cleared(value: String) async throws {
    let workspace = try workspace(value)
    try await workspace.succeed("run", "full.yaml", "--quiet")
    let query = "SELECT ZID, ZADDRESS_CITY, ZADDRESS_ZIP FROM ZP ORDER BY 1"
    let columns = try workspace.query("o.sqlite", "SELECT name FROM pragma_table_info('ZP') WHERE name LIKE '%CITY%'")
    let (city, zip) = (try #require(columns.first), try #require(columns.first).replacing("CITY", with: "ZIP"))
    let elements = query.replacing("ZADDRESS_CITY", with: city).replacing("ZADDRESS_ZIP", with: zip)
    #expect(try workspace.query("o.sqlite", elements) == ["1|Rome|0"])
    let lint = try await workspace.run("lint", "clear.yaml")
    #expect(lint.exitCode == 0, "\(lint.text)\(lint.talk)")
    try await workspace.succeed("run", "clear.yaml", "--quiet")
    #expect(try workspace.query("o.sqlite", elements) == ["1|∅|∅", "2|∅|∅"])
  }

  @Test("null is refused for a mandatory one, and for a mandatory one inside an optional one")
  func refused() async throws {
    for (value, isOptional, property) in [
      ("null", false, "P.address.city"), ("{ map: { city: id, spot: null } }", true, "P.address.spot.x"),
      ("{ map: { city: null, spot: { map: { x: 1 } } } }", true, "P.address.city"),
    ] {
      let run = try await workspace(value, isOptional: isOptional).run("run", "clear.yaml", "--quiet")
      #expect(run.exitCode == 78 && run.talk.contains("\(property) is required and cannot be null"), "\(run.talk)")
    }
  }
}
