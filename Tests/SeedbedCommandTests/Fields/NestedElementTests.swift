import Testing

/// Nested objects without a key: an element of a list is what the record says of it, whatever stood at its place.
@Suite("Elements of nested lists")
struct NestedElementTests {
  private static let entities = """
    <entity name="Recipe">
      <attribute name="code" attributeType="String"/>
      <relationship name="steps" optional="YES" toMany="YES" ordered="YES" deletionRule="Cascade" destinationEntity="Step" inverseName="recipe"/>
      <relationship name="place" optional="YES" maxCount="1" deletionRule="Cascade" destinationEntity="Place"/>
    </entity>
    <entity name="Step">
      <attribute name="text" attributeType="String"/>
      <attribute name="minutes" optional="YES" attributeType="Integer 16"/>
      <attribute name="level" attributeType="Integer 16" defaultValueString="1"/>
      <attribute name="note" optional="YES" attributeType="String"/>
      <relationship name="recipe" optional="YES" maxCount="1" destinationEntity="Recipe" inverseName="steps"/>
      <relationship name="place" optional="YES" maxCount="1" deletionRule="Cascade" destinationEntity="Place"/>
      <relationship name="tool" optional="YES" maxCount="1" destinationEntity="Tool"/>
    </entity>
    <entity name="Place">
      <attribute name="x" optional="YES" attributeType="Integer 16"/>
      <attribute name="y" optional="YES" attributeType="Integer 16"/>
    </entity>
    <entity name="Tool"><attribute name="name" attributeType="String"/></entity>
    """

  private func workspace(_ first: String, onMatch: String = "update") async throws -> Workspace {
    let workspace = try Workspace()
    try workspace.writeModel(Self.entities)
    try workspace.write("tools.csv", "name\nknife\n")
    try workspace.write(
      "p.yaml",
      """
      model: M.xcdatamodel
      store: { path: S.sqlite, replace: never }
      rejects: { limit: 99 }
      import:
      - { from: tools.csv, entity: Tool, match: name, map: { name: name } }
      - from: r.ndjson
        entity: Recipe
        match: code
        on-match: \(onMatch)
        map:
          code: code
          place: { from: place, map: { x: x, y: y } }
          steps:
            from: steps
            map: { text: text, minutes: minutes, level: level, place: { from: place, map: { x: x, y: y } }, tool: { match: name, from: tool } }
      """)
    _ = try await importRecord(first, workspace)
    return workspace
  }

  private func importRecord(_ record: String, _ workspace: Workspace) async throws -> Report {
    try workspace.write("r.ndjson", record + "\n")
    return try await workspace.report("p.yaml")
  }

  private func steps(_ workspace: Workspace) throws -> [String] {
    try workspace.query(
      "S.sqlite",
      """
      SELECT ZTEXT, ZMINUTES, ZLEVEL, p.ZX, p.ZY, t.ZNAME FROM ZSTEP s LEFT JOIN ZPLACE p ON p.Z_PK = s.ZPLACE
      LEFT JOIN ZTOOL t ON t.Z_PK = s.ZTOOL WHERE ZRECIPE NOTNULL ORDER BY Z_FOK_RECIPE
      """)
  }

  @Test("an element takes nothing from the one that stood at its place", arguments: ["update", "replace"])
  func shifted(onMatch: String) async throws {
    let workspace = try await workspace(
      #"{"code":"r","steps":[{"text":"Mix","minutes":5,"level":3,"place":{"x":1,"y":2},"tool":"knife"},{"text":"Fry","minutes":10}]}"#,
      onMatch: onMatch)
    #expect(try steps(workspace) == ["Mix|5|3|1|2|knife", "Fry|10|1|∅|∅|∅"])
    let report = try await importRecord(
      #"{"code":"r","steps":[{"text":"Wash"},{"text":"Peel","place":{"y":3}},{"text":"Mix","minutes":5}]}"#, workspace)
    #expect(report.total.updated == 1)
    #expect(try steps(workspace) == ["Wash|∅|1|∅|∅|∅", "Peel|∅|1|∅|3|∅", "Mix|5|1|∅|∅|∅"])
    // The place of the first element belonged to it alone.
    #expect(try workspace.query("S.sqlite", "SELECT count(*) FROM ZPLACE") == ["1"])
    let check = try await workspace.run("check", "S.sqlite", "--strict", "--model", "M.xcdatamodel")
    #expect(check.exitCode == 0, "\(check.text)")
  }

  @Test("a place inside an element takes nothing from the place of the one before")
  func nested() async throws {
    let workspace = try await workspace(#"{"code":"r","steps":[{"text":"Mix","place":{"x":1,"y":2}}]}"#)
    _ = try await importRecord(#"{"code":"r","steps":[{"text":"Fry","place":{"y":5}}]}"#, workspace)
    #expect(try steps(workspace) == ["Fry|∅|1|∅|5|∅"])
  }

  @Test("of two records about one new object the later one says what its list is")
  func shared() async throws {
    let workspace = try Workspace()
    try workspace.writeModel(
      """
      <entity name="Owner"><attribute name="code" optional="YES" attributeType="String"/><relationship name="part" optional="YES" maxCount="1" destinationEntity="Part"/></entity>
      <entity name="Part"><attribute name="name" optional="YES" attributeType="String"/>
      <relationship name="bits" optional="YES" toMany="YES" ordered="YES" deletionRule="Cascade" destinationEntity="Bit" inverseName="part"/></entity>
      <entity name="Bit"><attribute name="text" optional="YES" attributeType="String"/><attribute name="size" optional="YES" attributeType="Integer 16"/>
      <relationship name="part" optional="YES" maxCount="1" destinationEntity="Part" inverseName="bits"/></entity>
      """)
    try workspace.write(
      "p.yaml",
      """
      model: M.xcdatamodel
      store: { path: S.sqlite }
      import:
      - from: o.ndjson
        entity: Owner
        match: code
        map: { code: code, part: { from: part, match: name, map: { name: name, bits: { from: bits, map: { text: text, size: size } } } } }
      """)
    try workspace.write(
      "o.ndjson",
      #"{"code":"a","part":{"name":"p","bits":[{"text":"1","size":1},{"text":"2","size":2},{"text":"3"}]}}"# + "\n"
        + #"{"code":"b","part":{"name":"p","bits":[{"text":"x"},{"text":"y","size":5}]}}"# + "\n")
    #expect(try await workspace.report("p.yaml").steps[0].nestedInserted == 3)
    #expect(
      try workspace.query("S.sqlite", "SELECT ZTEXT, ZSIZE, ZPART NOTNULL FROM ZBIT ORDER BY Z_FOK_PART")
        == ["x|∅|1", "y|5|1"])
  }

  @Test("what the step does not map stays, and the same record once more changes nothing")
  func unmapped() async throws {
    let record = #"{"code":"r","steps":[{"text":"Mix"},{"text":"Fry","minutes":10}]}"#
    let workspace = try await workspace(record)
    _ = try await workspace.run(
      "update", "S.sqlite", "--entity", "Step", "--where", "TRUEPREDICATE", "--set", "note = 'n'")
    #expect(try await importRecord(record, workspace).total.unchanged == 2)
    #expect(try workspace.query("S.sqlite", "SELECT DISTINCT ZNOTE FROM ZSTEP") == ["n"])
  }

  @Test("an element without what it must have is rejected, though the one at its place had it")
  func required() async throws {
    let workspace = try await workspace(#"{"code":"r","steps":[{"text":"Mix","minutes":5}]}"#)
    let report = try await importRecord(#"{"code":"r","steps":[{"minutes":7}]}"#, workspace)
    #expect(report.total.rejected == 1)
    #expect(try steps(workspace) == ["Mix|5|1|∅|∅|∅"])
  }

  @Test("an element that a record is about keeps what that says")
  func recorded() async throws {
    let workspace = try Workspace()
    try workspace.writeModel(
      """
      <entity name="Owner"><attribute name="code" optional="YES" attributeType="String"/>
      <relationship name="parts" optional="YES" toMany="YES" ordered="YES" deletionRule="Cascade" destinationEntity="Part" inverseName="owner"/></entity>
      <entity name="Part"><attribute name="code" optional="YES" attributeType="String"/><attribute name="size" optional="YES" attributeType="Integer 16"/>
      <relationship name="owner" optional="YES" maxCount="1" destinationEntity="Owner" inverseName="parts"/>
      <relationship name="tag" maxCount="1" destinationEntity="Tag"/>
      <relationship name="bits" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Bit" inverseName="part"/></entity>
      <entity name="Tag"><attribute name="name" optional="YES" attributeType="String"/></entity>
      <entity name="Bit"><attribute name="name" optional="YES" attributeType="String"/>
      <relationship name="part" optional="YES" maxCount="1" destinationEntity="Part" inverseName="bits"/></entity>
      """)
    let properties =
      "code: code, size: size, tag: { match: name, from: tag }, bits: { from: bits, map: { name: name } }"
    try workspace.write(
      "p.yaml",
      """
      model: M.xcdatamodel
      store: { path: S.sqlite, replace: never }
      import:
      - { from: tags.csv, entity: Tag, match: name, map: { name: name } }
      - { from: parts.ndjson, entity: Part, match: code, map: { \(properties) } }
      - { from: owners.ndjson, entity: Owner, match: code, map: { code: code, parts: { from: parts, map: { \(properties) } } } }
      """)
    try workspace.write("tags.csv", "name\nt\n")
    try workspace.write("parts.ndjson", "")
    try workspace.write(
      "owners.ndjson",
      #"{"code":"o","parts":[{"code":"a","tag":"t"},{"code":"b","tag":"t","bits":[{"name":"q"}]}]}"# + "\n")
    _ = try await workspace.report("p.yaml")
    try workspace.write("parts.ndjson", #"{"code":"a","size":7,"tag":"t","bits":[{"name":"p"}]}"# + "\n")
    try workspace.write(
      "owners.ndjson", #"{"code":"o","parts":[{"code":"a"},{"code":"b","tag":"t","size":3}]}"# + "\n")
    #expect(try await workspace.report("p.yaml").total.rejected == 0)
    #expect(
      try workspace.query(
        "S.sqlite",
        "SELECT p.ZCODE, ZSIZE, ZTAG NOTNULL, b.ZNAME FROM ZPART p LEFT JOIN ZBIT b ON b.ZPART = p.Z_PK ORDER BY 1")
        == ["a|7|1|p", "b|3|1|∅"])
  }

  @Test("a record is not about an object of another entity of its hierarchy that stands in the same batch")
  func siblings() async throws {
    let workspace = try Workspace()
    try workspace.writeModel(
      """
      <entity name="A"><attribute name="code" optional="YES" attributeType="String"/><relationship name="s" optional="YES" maxCount="1" destinationEntity="S" inverseName="r"/></entity>
      <entity name="S" parentEntity="A"><attribute name="size" optional="YES" attributeType="Integer 16"/><relationship name="r" optional="YES" maxCount="1" destinationEntity="A" inverseName="s"/></entity>
      """)
    try workspace.write(
      "p.yaml",
      """
      model: M.xcdatamodel
      store: { path: S.sqlite }
      import:
      - { from: s.ndjson, entity: S, match: code, map: { code: code, size: size, r: { from: r, entity: A, match: code, map: { code: code } } } }
      """)
    try workspace.write(
      "s.ndjson", #"{"code":"x","r":{"code":"y"}}"# + "\n" + #"{"code":"y","size":1,"r":null}"# + "\n")
    let report = try await workspace.report("p.yaml")
    #expect(report.total == Report.Counts(read: 2, inserted: 2) && report.steps[0].nestedInserted == 1)
    #expect(
      try workspace.query("S.sqlite", "SELECT ZCODE, Z_ENT, ZSIZE FROM ZA ORDER BY 1, 2") == [
        "x|2|∅", "y|1|∅", "y|2|1",
      ])
  }

  @Test("one nested object keeps what an update does not carry, and loses it where the object is replaced")
  func one() async throws {
    for (onMatch, expected) in [("update", "3|2"), ("replace", "3|∅")] {
      let workspace = try await workspace(#"{"code":"r","place":{"x":1,"y":2}}"#, onMatch: onMatch)
      _ = try await importRecord(#"{"code":"r","place":{"x":3}}"#, workspace)
      #expect(try workspace.query("S.sqlite", "SELECT ZX, ZY FROM ZPLACE") == [expected])
    }
  }

  @Test(
    "the field of nested objects and composites may stand in backticks, as the hint of a field that is not there has it"
  )
  func backticks() async throws {
    let workspace = try Workspace()
    try workspace.writeModel(
      Self.entities.replacing(
        "<entity name=\"Tool\">",
        with:
          "<entity name=\"Tool\"><attribute name=\"at\" optional=\"YES\" attributeType=\"Composite\" composite=\"P\"/>")
        + "<composite name=\"P\"><attribute name=\"x\" optional=\"YES\" attributeType=\"Integer 16\"/></composite>")
    try workspace.write("r.ndjson", #"{"code":"a","p d":{"x":3},"s+d":[{"text":"one"}]}"# + "\n")
    try workspace.write("t.ndjson", #"{"name":"n","c d":{"x":4}}"# + "\n")
    try workspace.write(
      "p.yaml",
      """
      model: M.xcdatamodel
      store: { path: S.sqlite }
      import:
      - from: r.ndjson
        entity: Recipe
        map:
          code: code
          place: { from: "`p d`", map: { x: x } }
          steps: { from: "`s+d`", map: { text: text } }
      - { from: t.ndjson, entity: Tool, map: { name: name, at: { from: "`c d`", map: { x: x } } } }
      """)
    #expect(try await workspace.report("p.yaml").exitCode == 0)
    #expect(
      try workspace.query("S.sqlite", "SELECT p.ZX, s.ZTEXT, t.ZX FROM ZPLACE p, ZSTEP s, ZTOOL t") == ["3|one|4"])
  }
}
