import Foundation
import Testing

/// `seedbed update` and `seedbed apply` with values that cannot be, and with stores that have changed apart.
@Suite("Odd updates and files of changes")
struct OddChangeFileTests {
  private static let model = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="22522" \
    systemVersion="22G313" minimumToolsVersion="Automatic" sourceLanguage="Swift" userDefinedModelVersionIdentifier="">
      <entity name="Item" representedClassName="Item" syncable="YES" codeGenerationType="class">
        <attribute name="ident" optional="YES" preserveAfterDeletion="YES" attributeType="String"/>
        <attribute name="dat" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
        <attribute name="dbl" optional="YES" attributeType="Double" usesScalarValueType="NO"/>
        <attribute name="dec" optional="YES" attributeType="Decimal"/>
        <attribute name="flt" optional="YES" attributeType="Float" usesScalarValueType="NO"/>
        <attribute name="large" optional="YES" attributeType="Integer 64" usesScalarValueType="NO"/>
        <attribute name="str" optional="YES" attributeType="String"/>
        <relationship name="children" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Item" \
    inverseName="parent" inverseEntity="Item"/>
        <relationship name="parent" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Item" \
    inverseName="children" inverseEntity="Item"/>
        <uniquenessConstraints>
          <uniquenessConstraint><constraint value="ident"/></uniquenessConstraint>
        </uniquenessConstraints>
      </entity>
    </model>
    """
  private static let identifier = "6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B11"
  private static let tracked = "history: true, now: \"2026-01-01T00:00:00Z\""
  private static let added = "replace: never"
  private static let contents = "SELECT ZIDENT, ZSTR, ZDBL, ZFLT, ZDEC, ZDAT, ZLARGE, ZPARENT FROM ZITEM ORDER BY Z_PK"

  private func workspace() throws -> Workspace {
    let workspace = try Workspace()
    try workspace.write("Items.xcdatamodel/contents", Self.model)
    return workspace
  }

  /// Imports items with these identifiers.
  private func fill(_ workspace: Workspace, _ store: String, _ identifiers: [String], _ settings: String) async throws {
    let rows = identifiers.map { "\($0),of \($0),2.5,0.5,2.5,-9223372036854775808\n" }
    try workspace.write("items.csv", "ident,str,dbl,flt,dec,large\n" + rows.joined())
    try workspace.write(
      "items.yaml",
      """
      model: Items.xcdatamodel
      store: { path: \(store), \(settings) }
      import:
        - from: items.csv
          entity: Item
          match: ident
          map: { ident: ident, str: str, dbl: dbl, flt: flt, dec: dec, large: large }

      """)
    try await workspace.succeed("run", "--quiet", "items.yaml")
  }

  /// A store that keeps a history, with item a, and its copy.
  private func copied() async throws -> Workspace {
    let workspace = try workspace()
    try await fill(workspace, "Items.sqlite", ["a"], Self.tracked)
    try await workspace.succeed("copy", "--quiet", "Items.sqlite", "Copy.sqlite")
    return workspace
  }

  private func update(_ workspace: Workspace, _ store: String, _ condition: String, _ assignment: String) async throws {
    try await workspace.succeed("update", store, "--entity", "Item", "--where", condition, "--set", assignment)
  }

  private func delete(_ workspace: Workspace, _ store: String, _ condition: String) async throws {
    try await workspace.succeed("delete", store, "--entity", "Item", "--where", condition)
  }

  /// Writes `changes.ndjson` with the changes of `Items.sqlite` since a transaction, and returns its lines.
  @discardableResult
  private func writeChanges(_ workspace: Workspace, since number: Int = 1) async throws -> [String] {
    let changes = try await workspace.succeed(
      "history", "Items.sqlite", "--since", "\(number)", "--json", "--values", "--quiet")
    try workspace.write("changes.ndjson", changes.text)
    return changes.text.split(separator: "\n").map(String.init)
  }

  /// Applies `changes.ndjson`, which has to fail and to leave the store as it is.
  private func expectRefusal(_ workspace: Workspace, _ store: String, _ words: String...) async throws {
    let before = try workspace.bytes(store)
    let outcome = try await workspace.run("apply", "changes.ndjson", "--to", store)
    #expect(outcome.exitCode == 65, "\(outcome.talk)")
    for word in words { #expect(outcome.talk.contains(word), "\(outcome.talk)") }
    #expect(try workspace.bytes(store) == before)
  }

  /// A store with item a, and a file for it with a first line and one change.
  private func single(_ objects: String, _ change: String) async throws -> Workspace {
    let workspace = try workspace()
    try await fill(workspace, "Items.sqlite", ["a"], "uuid: \(Self.identifier)")
    try workspace.write(
      "changes.ndjson",
      "{\"changesOf\":\"\(Self.identifier)\",\"token\":\"\(Self.identifier):9\"\(objects)}\n\(change)\n")
    return workspace
  }

  // MARK: - Values

  @Test(
    "an object is no value of an attribute, and nothing is changed",
    arguments: [
      ("str = SELF", 78), ("str = parent", 78), ("str = objectID", 78), ("str = TERNARY(dbl > 1, parent, \"y\")", 78),
      ("str = TERNARY(dbl > 1, \"y\", SELF)", 78), ("str = noindex:(TERNARY(dbl > 1, \"y\", SELF))", 78),
      // The model does not tell what these give.
      ("str = {SELF, \"y\"}[FIRST]", 65), ("str = CAST(SELF, \"NSString\")", 65),
    ] as [(String, Int32)])
  func objects(assignment: String, exitCode: Int32) async throws {
    let workspace = try workspace()
    try await fill(workspace, "Items.sqlite", ["a"], "replace: always")
    let before = try workspace.query("Items.sqlite", Self.contents)
    let outcome = try await workspace.run(
      "update", "Items.sqlite", "--entity", "Item", "--where", "TRUEPREDICATE", "--set", assignment)
    #expect(outcome.exitCode == exitCode && outcome.talk.contains("Item.str"), "\(outcome.talk)")
    #expect(try workspace.query("Items.sqlite", Self.contents) == before)
  }

  @Test(
    "a number that the attribute has no place for is refused, and nothing is changed",
    arguments: [
      "flt = 1e39", "flt = 1e-60", "flt = dbl * 1e39", "flt = dbl * 1e-60", "dbl = dbl * 1e308", "dbl = exp(1000)",
      "dbl = exp(dbl * 1000)", "dat = 1e308 * 10", "dat = dbl * 1e308", "dec = dec * 1e300", "dec = dbl * 1e308",
      "dec = 1e300",
    ])
  func numbers(assignment: String) async throws {
    let workspace = try workspace()
    try await fill(workspace, "Items.sqlite", ["a"], "replace: always")
    let before = try workspace.query("Items.sqlite", Self.contents)
    let outcome = try await workspace.run(
      "update", "Items.sqlite", "--entity", "Item", "--where", "TRUEPREDICATE", "--set", assignment)
    #expect(outcome.exitCode == 65, "\(outcome.talk)")
    #expect(outcome.talk.contains("Item.\(assignment.prefix(3))"), "\(outcome.talk)")
    #expect(try workspace.query("Items.sqlite", Self.contents) == before)
  }

  @Test("the least integer is a value of a double")
  func leastInteger() async throws {
    let workspace = try workspace()
    try await fill(workspace, "Items.sqlite", ["a"], "replace: always")
    try await update(workspace, "Items.sqlite", "TRUEPREDICATE", "dbl = large")
    #expect(try workspace.query("Items.sqlite", "SELECT ZDBL = -9223372036854775808.0 FROM ZITEM") == ["1"])
  }

  @Test("a file of changes has no number that a float has no place for", arguments: ["1e39", "-1e39", "1e-60"])
  func appliedNumbers(number: String) async throws {
    let workspace = try await single(
      ",\"objects\":1", "{\"change\":\"update\",\"entity\":\"Item\",\"primaryKey\":1,\"values\":{\"flt\":\(number)}}")
    try await expectRefusal(workspace, "Items.sqlite", "changes.ndjson:2", "flt", "no float")
  }

  // MARK: - Stores that have changed apart

  @Test("a deletion does not take another object with the same primary key")
  func deletionOfOther() async throws {
    let workspace = try await copied()
    try await fill(workspace, "Copy.sqlite", ["local"], Self.added)
    try await fill(workspace, "Items.sqlite", ["remote"], Self.added)
    try await delete(workspace, "Items.sqlite", "ident == \"remote\"")
    let lines = try await writeChanges(workspace, since: 2)
    #expect(lines.count == 2 && lines[1].contains("\"delete\""), "\(lines)")
    try await expectRefusal(workspace, "Copy.sqlite", "Item/2 is another object", "local", "remote", "changed apart")
    #expect(try workspace.query("Copy.sqlite", "SELECT ZIDENT FROM ZITEM ORDER BY Z_PK") == ["a", "local"])
  }

  @Test("an update does not change another object with the same primary key")
  func updateOfOther() async throws {
    let workspace = try await copied()
    try await fill(workspace, "Copy.sqlite", ["local"], Self.added)
    try await fill(workspace, "Items.sqlite", ["remote"], Self.added)
    try await update(workspace, "Items.sqlite", "ident == \"remote\"", "str = \"new\"")
    let lines = try await writeChanges(workspace, since: 2)
    #expect(lines.count == 2 && lines[1].contains("\"update\""), "\(lines)")
    try await expectRefusal(workspace, "Copy.sqlite", "Item/2 is another object", "local", "remote", "changed apart")
  }

  @Test("a relationship does not lead to another object with the same primary key")
  func destinationOfOther() async throws {
    let workspace = try await single(
      ",\"objects\":1",
      "{\"change\":\"update\",\"entity\":\"Item\",\"primaryKey\":1,\"key\":{\"ident\":\"a\"},\"relationships\":"
        + "{\"parent\":{\"entity\":\"Item\",\"primaryKey\":2,\"key\":{\"ident\":\"remote\"}}}}")
    try await fill(workspace, "Items.sqlite", ["local"], Self.added)
    try await expectRefusal(workspace, "Items.sqlite", "Item/2 is another object", "local", "remote")
  }

  @Test("an update of the key itself is applied to a copy")
  func changedKey() async throws {
    let workspace = try await copied()
    try await update(workspace, "Items.sqlite", "ident == \"a\"", "ident = \"b\"")
    try await writeChanges(workspace)
    try await workspace.succeed("apply", "changes.ndjson", "--to", "Copy.sqlite")
    #expect(try workspace.query("Copy.sqlite", "SELECT ZIDENT FROM ZITEM") == ["b"])
  }

  @Test("an update of the key is refused by other stores, which may know the object by its old key alone")
  func changedKeyElsewhere() async throws {
    let workspace = try workspace()
    try await fill(workspace, "Items.sqlite", ["a", "b"], Self.tracked)
    try await fill(workspace, "Other.sqlite", ["a", "b", "c"], "replace: always")
    // The two exchange their keys, and a third would be taken for the one that got its key.
    for (old, new) in [("a", "x"), ("b", "a"), ("x", "c")] {
      try await update(workspace, "Items.sqlite", "ident == \"\(old)\"", "ident = \"\(new)\"")
    }
    try await writeChanges(workspace)
    try await expectRefusal(
      workspace, "Other.sqlite", "changes.ndjson:2", "another ident", "apply the changes to a copy")
  }

  @Test("a deletion after an update of the key is applied to a copy")
  func changedKeyAndDeletion() async throws {
    let workspace = try await copied()
    try await update(workspace, "Items.sqlite", "ident == \"a\"", "ident = \"b\"")
    try await delete(workspace, "Items.sqlite", "ident == \"b\"")
    let lines = try await writeChanges(workspace)
    #expect(lines.count == 2 && lines[1].contains("\"delete\"") && !lines[1].contains("\"key\""), "\(lines)")
    try await workspace.succeed("apply", "changes.ndjson", "--to", "Copy.sqlite")
    #expect(try workspace.query("Copy.sqlite", "SELECT count(*) FROM ZITEM") == ["0"])
  }

  @Test("an object that is deleted and inserted anew goes to another store, in any order", arguments: [false, true])
  func insertedAnew(isReversed: Bool) async throws {
    let workspace = try await copied()
    try await fill(workspace, "Mirror.sqlite", ["a", "c"], "uuid: \(Self.identifier)")
    try await delete(workspace, "Items.sqlite", "ident == \"a\"")
    try await fill(workspace, "Items.sqlite", ["a"], Self.added)
    let lines = try await writeChanges(workspace)
    try #require(lines.count == 3 && lines[1].contains("\"delete\"") && lines[2].contains("\"insert\""), "\(lines)")
    if isReversed { try workspace.write("changes.ndjson", "\(lines[0])\n\(lines[2])\n\(lines[1])\n") }
    for store in ["Mirror.sqlite", "Copy.sqlite"] {
      try await workspace.succeed("apply", "changes.ndjson", "--to", store)
      #expect(try await workspace.run("check", store, "--strict").exitCode == 0)
    }
    #expect(try workspace.query("Mirror.sqlite", "SELECT Z_PK, ZIDENT FROM ZITEM ORDER BY Z_PK") == ["2|c", "3|a"])
    #expect(try workspace.query("Copy.sqlite", "SELECT Z_PK, ZIDENT FROM ZITEM") == ["2|a"])
    // It is there now, and nothing deletes it.
    let head = lines[0].replacing("\"objects\":2", with: "\"objects\":1")
    try workspace.write("changes.ndjson", "\(head)\n\(lines[2])\n")
    try await expectRefusal(workspace, "Mirror.sqlite", "has it already")
  }

  // MARK: - Odd files

  @Test(
    "an insertion has a primary key that leaves room for others",
    arguments: ["0", "-1", "281474976710656", "9223372036854775806", "9223372036854775807"])
  func primaryKeys(key: String) async throws {
    let workspace = try await single(
      ",\"objects\":1",
      "{\"change\":\"insert\",\"entity\":\"Item\",\"primaryKey\":\(key),\"key\":{\"ident\":\"n\"},"
        + "\"values\":{\"ident\":\"n\"}}")
    try await expectRefusal(workspace, "Items.sqlite", "changes.ndjson:2", "primary key")
  }

  @Test(
    "the first line has no number of changes that is none",
    arguments: ["-1", "1.5", "\"1\"", "\"x\"", "null", "true", "[1]", "1e300"])
  func objectCounts(count: String) async throws {
    let workspace = try await single(
      ",\"objects\":\(count)",
      "{\"change\":\"update\",\"entity\":\"Item\",\"primaryKey\":1,\"values\":{\"str\":\"y\"}}")
    try await expectRefusal(workspace, "Items.sqlite", "changes.ndjson:1", "\"objects\"")
  }

  @Test("a first line without a number of changes is taken as it is")
  func noObjectCount() async throws {
    let workspace = try await single(
      "",
      "{\"change\":\"update\",\"entity\":\"Item\",\"primaryKey\":1,\"key\":{\"ident\":\"a\"},"
        + "\"values\":{\"str\":\"y\",\"flt\":0.1}}")
    try await workspace.succeed("apply", "changes.ndjson", "--to", "Items.sqlite")
    #expect(try workspace.query("Items.sqlite", "SELECT ZSTR FROM ZITEM") == ["y"])
  }
}
