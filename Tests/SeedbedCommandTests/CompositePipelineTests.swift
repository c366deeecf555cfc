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
        <uniquenessConstraints><uniquenessConstraint><constraint value="name"/></uniquenessConstraint>
        </uniquenessConstraints>
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
}
