import Foundation
import SQLite
import TestSupport
import Testing

/// Imports into stores that Apple's framework made, as `store.seed` and in place, judged by plain SQL.
@Suite("Imports into stores that Apple made", .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"))
struct ImportIntoAppleStoreTests {
  /// How the pipeline comes to the store.
  enum Way: String, CaseIterable, CustomTestStringConvertible {
    case seed, existing
    var testDescription: String { rawValue }
  }

  @Test("nothing is lost or touched but what the import changes", arguments: AppleStore.all, Way.allCases)
  func importInto(_ fixture: AppleStore, _ way: Way) async throws {
    let workspace = try Workspace()
    let name = way == .seed ? "origin.sqlite" : "store.sqlite"
    try fixture.copy(to: name, in: workspace)
    try addUnknownThings(to: name, in: workspace)
    let model = fixture.modelPath(store: name)
    let before = try StoreContents(workspace, name)
    let files = try ["", "-wal"].filter { workspace.exists(name + $0) }.map { try workspace.bytes(name + $0) }
    #expect(try await isSound(name, model: model, in: workspace))

    let settings =
      way == .seed ? ["path: store.sqlite", "seed: origin.sqlite"] : ["path: store.sqlite", "replace: never"]
    try fixture.write("import.yaml", model: model, settings: settings, to: workspace)
    let report = try await workspace.report("import.yaml")
    #expect(report.total.rejected == 0)
    if way == .seed {
      #expect(try ["", "-wal"].filter { workspace.exists(name + $0) }.map { try workspace.bytes(name + $0) } == files)
    }

    let after = try StoreContents(workspace, "store.sqlite")
    #expect(after.schema == before.schema)
    #expect(after.uuid == before.uuid && report.store.uuid == before.uuid)
    var metadata = after.metadata
    #expect(metadata.removeValue(forKey: "SeedbedInputDigest") != nil)
    #expect(metadata == before.metadata)
    try compare(before, after, fixture.expected)
    #expect(try await isSound("store.sqlite", model: model == name ? "store.sqlite" : model, in: workspace))
    // The same import once more finds everything as it should be.
    if way == .existing {
      let again = try await workspace.report("import.yaml")
      #expect(again.total.updated == 0)
    }
  }

  /// What an app may have added: a metadata key of every kind, a table with an index and a trigger, an index and a
  /// column of an entity's table. The log stays.
  private func addUnknownThings(to name: String, in workspace: Workspace) throws {
    let connection = try Connection(path: workspace.path(name))
    try connection.set(.noCheckpointOnClose, true)
    try connection.setKeepsWriteAheadLog(true)
    let entity = try #require(
      try connection.string("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z[A-Z]*' ORDER BY 1"))
    try connection.execute(
      """
      CREATE TABLE APPNOTES (ID INTEGER PRIMARY KEY, BODY, "odd name" TEXT);
      INSERT INTO APPNOTES VALUES (1, 'text', NULL), (2, x'00FF', 'x'), (3, 1.5, ''), (4, 9223372036854775807, 'y');
      CREATE INDEX APPNOTES_BODY ON APPNOTES (BODY);
      CREATE INDEX APP_VERSIONS ON \(entity) (Z_OPT, Z_ENT);
      CREATE TRIGGER APP_TRIGGER AFTER DELETE ON APPNOTES BEGIN SELECT RAISE(ABORT, 'notes stay'); END;
      ALTER TABLE \(entity) ADD COLUMN APPEXTRA;
      UPDATE \(entity) SET APPEXTRA = x'0102' WHERE Z_PK % 2 = 1;
      """)
    let statement = try Statement(connection, "SELECT Z_PLIST FROM Z_METADATA")
    _ = try statement.step()
    let stored = unsafe try PropertyListSerialization.propertyList(from: Data(statement.blob(at: 0) ?? []), format: nil)
    statement.finalize()
    var list = try #require(stored as? [String: Any])
    list["AppKey"] = [
      "date": Date(timeIntervalSinceReferenceDate: 1.5), "data": Data([0, 255]), "real": 0.1, "yes": true,
      "list": [1, -1, "ü", [String: Any]()] as [Any],
    ]
    let bytes = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
    let update = try Statement(connection, "UPDATE Z_METADATA SET Z_PLIST = ?1")
    try update.bind(1, blob: bytes)
    try update.run()
    update.finalize()
    try connection.close()
  }

  private func isSound(_ store: String, model: String, in workspace: Workspace) async throws -> Bool {
    let arguments = ["check", "--json", store] + (model == store ? [] : ["--model", model])
    let outcome = try await Tool.run(arguments, in: workspace.folder)
    let result = try JSONSerialization.jsonObject(with: Data(outcome.output)) as? [String: Any]
    let problems = result?["problems"] as? [Any]
    #expect(problems?.isEmpty == true, "\(outcome.text)")
    return outcome.exitCode == 0
  }

  private func compare(_ before: StoreContents, _ after: StoreContents, _ changes: [AppleStore.TableChange]) throws {
    #expect(Set(before.tables.keys) == Set(after.tables.keys))
    for (table, rows) in before.tables where table != "Z_PRIMARYKEY" {
      let change = changes.first { $0.table == table }
      let now = try #require(after.tables[table])
      var left = change?.changed ?? [:]
      for (rowid, row) in rows {
        guard let present = now[rowid] else {
          Issue.record("\(table) has lost the row \(rowid)")
          continue
        }
        if present == row { continue }
        let condition = left.keys.first { matches(row, $0) }
        guard let condition, let allowed = left.removeValue(forKey: condition) else {
          Issue.record("\(table) \(rowid) has changed: \(differences(row, present))")
          continue
        }
        #expect(Set(differences(row, present).keys) == allowed.union(["Z_OPT"]), "\(table) \(rowid)")
        #expect(StoreContents.number(present["Z_OPT"]) == (StoreContents.number(row["Z_OPT"]) ?? 1) + 1)
      }
      #expect(left.isEmpty, "\(table): not changed where \(left.keys)")
      // Rows of history tables are looked at elsewhere.
      if ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"].contains(table) { continue }
      #expect(now.count - rows.count == change?.inserted ?? 0, "\(table)")
    }
    try compareCounters(before, after, changes)
  }

  /// New keys follow `Z_MAX`, which says the last one afterwards; numbers, names and parents stay.
  private func compareCounters(
    _ before: StoreContents, _ after: StoreContents, _ changes: [AppleStore.TableChange]
  ) throws {
    let old = try #require(before.tables["Z_PRIMARYKEY"])
    let new = try #require(after.tables["Z_PRIMARYKEY"])
    #expect(Set(old.keys) == Set(new.keys))
    for (number, row) in old where number < 16_000 {
      var expected = row
      let name = row["Z_NAME"]?.split(separator: "'").first.map(String.init) ?? ""
      if let change = changes.first(where: { $0.table == "Z" + name.uppercased() }) {
        let last = try #require(StoreContents.number(row["Z_MAX"]))
        expected["Z_MAX"] = "\(last + Int64(change.inserted)) integer"
        let keys = try #require(after.tables[change.table]).keys.filter { before.tables[change.table]?[$0] == nil }
        #expect(keys.sorted() == (0..<Int64(change.inserted)).map { last + 1 + $0 }, "\(change.table)")
      }
      #expect(new[number] == expected)
    }
  }

  private func differences(_ old: StoreContents.Row, _ new: StoreContents.Row) -> [String: String] {
    var result: [String: String] = [:]
    for (column, value) in new where old[column] != value { result[column] = "\(old[column] ?? "none") → \(value)" }
    return result
  }

  /// Whether a row has the values that a condition of the form `A = 'x' AND B = 'y'` states.
  private func matches(_ row: StoreContents.Row, _ condition: String) -> Bool {
    condition.components(separatedBy: " AND ").allSatisfy { part in
      let sides = part.components(separatedBy: " = ")
      return row[sides[0]]?.lowercased().hasPrefix(sides[1].lowercased() + " ") == true
    }
  }

  @Test("new members of ordered relationships come after the last", arguments: AppleStore.bookmarks)
  func orderedMembers(_ fixture: AppleStore) async throws {
    let workspace = try await imported(fixture)
    func keys(_ parent: String, _ relationship: String) throws -> [String] {
      try workspace.query(
        "store.sqlite",
        """
        SELECT B.ZUUID, B.Z_FOK_\(relationship) FROM ZBOOKMARKENTITY B JOIN ZBOOKMARKENTITY P
        ON P.Z_PK = B.Z\(relationship) WHERE P.ZUUID = '\(parent)' ORDER BY 2
        """)
    }
    #expect(try keys("bookmarks_root", "PARENT").suffix(3) == ["5|6144", "n1|7168", "nf|8192"])
    #expect(try keys("3", "PARENT") == ["31|2048", "32|3072", "33|4096", "n2|5120"])
    #expect(try keys("nf", "PARENT") == ["n3|2048", "n4|3072"])
    #expect(
      try keys("favorites_root", "FAVORITEFOLDER") == [
        "5|2048", "4|3072", "33|4096", "32|5120", "2|6144", "n2|7168", "n1|8192",
      ])
  }

  @Test("join tables and columns without inverse say what the records say")
  func links() async throws {
    var workspace = try await imported(.integrations)
    #expect(
      try workspace.query(
        "store.sqlite",
        """
        SELECT I.ZIDENTIFIER, D.ZIDENTIFIER FROM Z_9INTEGRATIONS J JOIN ZINTEGRATION I ON I.Z_PK = Z_13INTEGRATIONS
        JOIN ZDEVICE D ON D.Z_PK = Z_9TESTEDDEVICES WHERE I.Z_PK > 24 OR I.Z_PK = 1 ORDER BY 1, 2
        """) == [
          "7b0bfdf8f209bf9b85b8aa02051031e7|7b0bfdf8f209bf9b85b8aa0205007843",
          "7b0bfdf8f209bf9b85b8aa02051031e7|D-NEW", "I-NEW|7b0bfdf8f209bf9b85b8aa0205006201", "I-NEW|D-NEW",
        ])
    #expect(
      try workspace.query(
        "store.sqlite",
        """
        SELECT C.ZSCHEMENAME, R.ZIDENTIFIER FROM Z_8REPOSITORIES JOIN ZCONFIGURATION C ON C.Z_PK = Z_8CONFIGURATIONS
        JOIN ZREPOSITORY R ON R.Z_PK = Z_18REPOSITORIES WHERE C.Z_PK > 2 ORDER BY 1, 2
        """) == ["New|FBDCD372C080F115B518613EB0C4141F30E28CCE", "New|R-NEW"])
    workspace = try await imported(.cart)
    #expect(
      try workspace.query("store.sqlite", "SELECT ZID, ZITEM, Z2MODIFIERS, Z_PK FROM ZCDCARTITEMMODIFIER ORDER BY 1")
        == ["m1|∅|1|1", "m2|2|1|2"])
  }

  @Test("classes of a hierarchy keep their numbers, counts that triggers keep go on", arguments: [1, 2])
  func hierarchies(version: Int) async throws {
    var workspace = try await imported(version == 1 ? .sampleV1 : .sampleV2)
    #expect(
      try workspace.query("store.sqlite", "SELECT ZNUMBERPLATE, Z_ENT, Z_OPT FROM ZCAR WHERE Z_PK > 125 ORDER BY 1")
        == ["NEW-1|1|1", "NEW-2|2|1", "NEW-3|3|1"])
    #expect(
      try workspace.query("store.sqlite", "SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT = 3") == ["ExpensiveSportCar"])
    if version == 2 { return }
    workspace = try await imported(.library)
    #expect(
      try workspace.query(
        "store.sqlite",
        "SELECT ZTITLE, ZPAGESCOUNT, (SELECT count(*) FROM ZPAGE WHERE ZBOOK = B.Z_PK) FROM ZBOOK B "
          + "WHERE Z_PK > 52 OR ZTITLE = 'Another title' ORDER BY 1") == ["Another title|100|100", "Notes|2|2"])
  }

  @Test("the same import gives the same bytes, whatever the number of workers", arguments: AppleStore.all)
  func determinism(_ fixture: AppleStore) async throws {
    let first = try await imported(fixture, "--jobs", "1")
    let second = try await imported(fixture, "--jobs", "4")
    #expect(try first.bytes("store.sqlite") == second.bytes("store.sqlite"))
  }

  @Test("every strategy writes the same rows", arguments: [AppleStore.sampleV1, AppleStore.sampleV2])
  func strategies(_ fixture: AppleStore) async throws {
    var results: [[String: [Int64: StoreContents.Row]]] = []
    for strategy in ["upsert", "find-or-create"] {
      var stated = fixture
      stated.steps = fixture.steps.map {
        $0.replacingOccurrences(of: "\n    map:", with: "\n    strategy: \(strategy)\n    map:")
      }
      #expect(stated.steps.allSatisfy { $0.contains("strategy") })
      results.append(try StoreContents(await imported(stated), "store.sqlite").tables)
    }
    #expect(results[0] == results[1])
  }

  private func imported(_ fixture: AppleStore, _ arguments: String...) async throws -> Workspace {
    let workspace = try Workspace()
    try fixture.copy(to: "origin.sqlite", in: workspace)
    try fixture.write(
      "import.yaml", model: fixture.modelPath(store: "origin.sqlite"),
      settings: ["path: store.sqlite", "seed: origin.sqlite", "now: \"2026-01-31T12:00:00Z\""], to: workspace)
    let outcome = try await Tool.run(["run", "--quiet", "import.yaml"] + arguments, in: workspace.folder)
    guard outcome.exitCode == 0 else { throw UnexpectedFailure(outcome: outcome) }
    return workspace
  }
}
