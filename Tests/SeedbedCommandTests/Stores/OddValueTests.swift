import Foundation
import TestSupport
import Testing

/// Stores that other programs filled with values of which Core Data makes none.
@Suite("Values that Core Data never stores", .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"))
struct OddValueTests {
  private static let items = "CDCartItem"
  private static let price = "ZCDCARTITEM.ZUNITPRICEAMOUNT"

  /// `a.sqlite` and `b.sqlite` with one value each in the price, a Decimal, of their item.
  private func carts(_ first: String, _ second: String = "5") throws -> Workspace {
    let workspace = try Workspace()
    let name = try workspace.copyStore("stores/cartkit/CartStorage_v1.sqlite")
    try workspace.execute(name, "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE")
    for (copy, value) in [("a.sqlite", first), ("b.sqlite", second)] {
      try workspace.write(copy, workspace.bytes(name))
      try workspace.execute(copy, "UPDATE ZCDCARTITEM SET ZUNITPRICEAMOUNT = \(value)")
    }
    return workspace
  }

  /// `a.sqlite` and `b.sqlite` with one value each in a column of a car, by default of the one with the key 3.
  private func cars(_ column: String, _ first: String, _ second: String, of row: String = "3") throws -> Workspace {
    let workspace = try Workspace()
    let name = try workspace.copyStore("stores/coredataplus/SampleModel_V1.sqlite")
    try workspace.execute(name, "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE")
    for (copy, value) in [("a.sqlite", first), ("b.sqlite", second)] {
      try workspace.write(copy, workspace.bytes(name))
      try workspace.execute(copy, "UPDATE ZCAR SET \(column) = \(value) WHERE Z_PK = \(row)")
    }
    return workspace
  }

  // MARK: - Decimals

  @Test("an infinite Decimal cannot be read, and neither can a text", arguments: ["9e999", "-9e999", "'abc'", "'5x'"])
  func unreadableDecimals(_ value: String) async throws {
    let workspace = try carts(value)
    let dump = try await workspace.run("dump", "a.sqlite", "dump")
    #expect(dump.exitCode == 65 && dump.talk.contains("is no number"), "\(dump)")
    let query = try await workspace.run("query", "a.sqlite", Self.items, "--format", "ndjson")
    #expect(query.exitCode == 65, "\(query)")
    let update = try await workspace.run(
      "update", "a.sqlite", "--entity", Self.items, "--where", "TRUEPREDICATE", "--set",
      "unitPriceAmount = unitPriceAmount * 2")
    #expect(update.exitCode == 65 && update.talk.contains("no Decimal"), "\(update)")
    #expect(
      try workspace.query("a.sqlite", "SELECT ZUNITPRICEAMOUNT IS \(value) FROM ZCDCARTITEM") == ["1"])
  }

  @Test(
    "Decimals beyond those of the type are told apart as they are stored",
    arguments: [
      ("9e999", "5"), ("-9e999", "0"), ("1e300", "1e200"), ("1e-129", "1e-140"), ("1e300", "'abc'"), ("'5x'", "5"),
    ])
  func differentDecimals(_ first: String, _ second: String) async throws {
    let workspace = try carts(first, second)
    let found = try await workspace.run("diff", "a.sqlite", "b.sqlite")
    #expect(found.exitCode == 1 && found.text.contains("unitPriceAmount: "), "\(found)")
    let json = try await workspace.run("diff", "a.sqlite", "b.sqlite", "--json", "--quiet")
    let object = try json.object()
    let properties = try #require(object["properties"] as? [String: [String: Any]])
    #expect(properties["unitPriceAmount"]?["stored"] != nil, "\(json.text)")
    let same = try await workspace.run("diff", "a.sqlite", "a.sqlite", "--quiet")
    #expect(same.exitCode == 0, "\(same)")
  }

  // MARK: - Storage classes

  @Test(
    "diff tells values apart that read as equal",
    arguments: [
      ("ZISLIMITEDEDITION", "2", "1"), ("ZISLIMITEDEDITION", "0.5", "0"), ("ZISLIMITEDEDITION", "'YES'", "0"),
      ("ZMARKEDFORDELETIONASOF", "'abc'", "0"), ("ZMAKER", "x'41'", "'A'"), ("ZCOLOR", "'ab'", "x'6162'"),
      ("ZOWNER", "2.5", "2"), ("ZOWNER", "'2x'", "2"),
    ])
  func storageClasses(_ column: String, _ first: String, _ second: String) async throws {
    // All columns are those of the last entity.
    let row = "(SELECT min(Z_PK) FROM ZCAR WHERE Z_ENT = (SELECT max(Z_ENT) FROM ZCAR))"
    let workspace = try cars(column, first, second, of: row)
    for (one, other) in [("a.sqlite", "b.sqlite"), ("b.sqlite", "a.sqlite")] {
      let found = try await workspace.run("diff", one, other)
      #expect(found.exitCode == 1, "\(found)")
      #expect(found.talk.contains("0 inserted, 1 updated, 0 deleted"), "\(found)")
    }
  }

  @Test("diff says how an unusual value is stored")
  func storedForm() async throws {
    let workspace = try cars("ZMAKER", "x'41'", "'A'")
    let found = try await workspace.run("diff", "a.sqlite", "b.sqlite")
    #expect(found.text.contains("    maker: blob \"QQ==\" → text \"A\""), "\(found)")
  }

  @Test("what is said of a value in a row is not about files")
  func hint() async throws {
    let workspace = try Workspace()
    let name = try workspace.copyStore("stores/coredataplus/SampleModel_V1.sqlite")
    try workspace.execute(name, "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE")
    try workspace.write("b.sqlite", workspace.bytes(name))
    try workspace.execute("b.sqlite", "UPDATE ZPERSON SET ZID = x'00'")
    let found = try await workspace.run("diff", name, "b.sqlite")
    #expect(found.exitCode == 65 && found.talk.contains("a UUID of 1 bytes"), "\(found)")
    #expect(!found.talk.contains("put the file back"), "\(found)")
  }

  // MARK: - Counters

  private static let find = ["match: numberPlate, ", "match: numberPlate, strategy: upsert, "]

  private func importCar(
    _ workspace: Workspace, _ plate: String, _ settings: String, place: String
  ) async throws -> Tool.Outcome {
    try workspace.write("in.csv", "numberPlate,maker\n\(plate),new\n")
    try workspace.write(
      "p.yaml",
      """
      model: a.sqlite
      store: { path: a.sqlite, \(place) }
      import: [ { from: in.csv, entity: Car, \(settings)map: { numberPlate: numberPlate, maker: maker } } ]

      """)
    return try await workspace.run("run", "--quiet", "p.yaml")
  }

  @Test("a version counter at its end goes on as an integer", arguments: find, ["replace: never", "write: in-place"])
  func greatestVersion(_ settings: String, _ place: String) async throws {
    let workspace = try cars("Z_OPT", "9223372036854775807", "1")
    let plate = try workspace.query("a.sqlite", "SELECT ZNUMBERPLATE FROM ZCAR WHERE Z_PK = 3")[0]
    let result = try await importCar(workspace, plate, settings, place: place)
    #expect(result.exitCode == 0, "\(result)")
    #expect(
      try workspace.query(
        "a.sqlite", "SELECT ZMAKER, typeof(Z_OPT), Z_OPT < 9223372036854775807 FROM ZCAR WHERE Z_PK = 3")
        == ["new|integer|1"])
  }

  @Test("update and delete leave integers in version counters")
  func greatestVersionInBatches() async throws {
    let workspace = try cars("Z_OPT", "1", "1")
    let greatest = "UPDATE ZCAR SET Z_OPT = 9223372036854775807; UPDATE ZPERSON SET Z_OPT = 9223372036854775807"
    try workspace.execute("a.sqlite", greatest)
    try await workspace.succeed(
      "update", "a.sqlite", "--entity", "Car", "--where", "maker != 'x'", "--set", "maker = 'x'")
    try await workspace.succeed("delete", "a.sqlite", "--entity", "Car", "--where", "TRUEPREDICATE", "--limit", "3")
    for table in ["ZCAR", "ZPERSON"] {
      let classes = try workspace.query("a.sqlite", "SELECT DISTINCT typeof(Z_OPT) FROM \(table)")
      #expect(classes == ["integer"], "\(table)")
    }
  }

  @Test("a counter of keys that is no integer is counted anew", arguments: ["'abc'", "x'ff'", "2.5", "1e30"], find)
  func oddCounter(_ counter: String, _ settings: String) async throws {
    let workspace = try cars("Z_OPT", "1", "1")
    try workspace.execute("a.sqlite", "UPDATE Z_PRIMARYKEY SET Z_MAX = \(counter)")
    let greatest = try #require(Int(try workspace.query("a.sqlite", "SELECT max(Z_PK) FROM ZCAR")[0]))
    let result = try await importCar(workspace, "NEW", settings, place: "replace: never")
    #expect(result.exitCode == 0, "\(result)")
    #expect(
      try workspace.query("a.sqlite", "SELECT Z_PK FROM ZCAR WHERE ZNUMBERPLATE = 'NEW'") == ["\(greatest + 1)"])
    #expect(
      try workspace.query("a.sqlite", "SELECT Z_MAX, typeof(Z_MAX) FROM Z_PRIMARYKEY WHERE Z_NAME = 'Car'")
        == ["\(greatest + 1)|integer"])
  }

  @Test("order keys at their end are refused, and the store stays as it was")
  func greatestOrderKey() async throws {
    let workspace = try Workspace()
    let name = try workspace.copyStore("stores/bookmarks/Bookmarks_V3.sqlite")
    try workspace.execute(name, "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE")
    try workspace.execute(
      name, "UPDATE ZBOOKMARKENTITY SET Z_FOK_PARENT = 9223372036854775807 - Z_PK WHERE ZPARENT IS NOT NULL")
    let parent = try workspace.query(
      name, "SELECT ZUUID FROM ZBOOKMARKENTITY WHERE Z_PK = (SELECT max(ZPARENT) FROM ZBOOKMARKENTITY)")[0]
    try workspace.write("in.csv", "uuid,parent\nN0,\(parent)\n")
    try workspace.write(
      "p.yaml",
      """
      model: \(name)
      store: { path: \(name), replace: never }
      import: [ { from: in.csv, entity: BookmarkEntity, match: uuid, map: { uuid: uuid, isFolder: { value: false }, \
      parent: { match: uuid, from: parent } } } ]

      """)
    let before = try workspace.bytes(name)
    let result = try await workspace.run("run", "--quiet", "p.yaml")
    #expect(result.exitCode == 65 && result.talk.contains("no order keys left"), "\(result)")
    #expect(try workspace.bytes(name) == before)
  }

  @Test(
    "a migration refuses the greatest primary key, and a table that is missing",
    arguments: [
      ("UPDATE ZCAR SET Z_PK = 9223372036854775807 WHERE Z_PK = 3", "ZCAR has the primary key 9223372036854775807"),
      ("DROP TABLE ZPERSON", "table ZPERSON is missing"),
    ])
  func migration(_ forgery: String, _ message: String) async throws {
    let workspace = try cars("Z_OPT", "1", "1")
    try workspace.execute("a.sqlite", forgery)
    let before = try workspace.bytes("a.sqlite")
    let model = FixtureFolder.path("models/coredataplus/SampleModel.xcdatamodeld")
    for more in [["--dry-run"], []] {
      let result = try await Tool.run(
        ["migrate", "a.sqlite", "--model", model, "--to", "SampleModel2"] + more, in: workspace.folder)
      #expect(result.exitCode == 65 && result.talk.contains(message), "\(more) \(result)")
    }
    #expect(try workspace.bytes("a.sqlite") == before)
  }
}
