import CoreDataLayout
import Foundation
import ModelFiles
import ObjectModel
import SQLite
import TestSupport
import Testing

@testable import Exports
@testable import ImportEngine
@testable import Pipelines

@Suite("Stored values in a dump")
struct StoredValueTests {
  // MARK: - Dates

  @Test(
    "dates are ISO 8601 with as many decimals as it takes",
    arguments: [
      (0, "2001-01-01T00:00:00Z"), (-978_307_200, "1970-01-01T00:00:00Z"), (0.5, "2001-01-01T00:00:00.500000Z"),
      (-0.25, "2000-12-31T23:59:59.750000Z"), (722_000_000.123456, "2023-11-18T11:33:20.123456Z"),
      (700_000_000.1234567, "2023-03-08T20:26:40.1234567Z"), (-63_113_904_000, "0001-01-01T00:00:00Z"),
      (-63_114_076_800, "0000-12-30T00:00:00Z"),
      (-63_145_526_400, "0000-01-01T00:00:00Z"), (-63_145_526_401, "-63145526401.0"),
      (252_423_993_599, "9999-12-31T23:59:59Z"),
      (252_423_993_600, "252423993600.0"), (64_092_211_200, "4032-01-02T00:00:00Z"), (1e300, "1e+300"),
      (.leastNonzeroMagnitude, "5e-324"), (.infinity, "\"Infinity\""), (-.infinity, "\"-Infinity\""),
    ] as [(Double, String)])
  func date(seconds: Double, text: String) {
    #expect((StoredValueText.exactText(ofDate: seconds) ?? Self.json(seconds)) == text)
  }

  private static func json(_ seconds: Double) -> String {
    seconds.isFinite ? "\(seconds)" : seconds < 0 ? "\"-Infinity\"" : "\"Infinity\""
  }

  @Test("a date's text reads back as the very same number")
  func randomDates() {
    var generator = SeededGenerator(seed: 3)
    var texts = 0
    for round in 0..<20_000 {
      let range = [1e9, 1e3, 1, 6.3e10][round % 4]
      let seconds = Double.random(in: -range...range, using: &generator)
      guard let text = StoredValueText.exactText(ofDate: seconds) else { continue }
      texts += 1
      #expect(DateParser.iso8601.parse(text) == seconds, "\(seconds)")
      #expect(text.wholeMatch(of: /[0-9-]+T[0-9:]+(\.[0-9]{6,15})?Z/) != nil)
    }
    #expect(texts > 12_000)
  }

  // MARK: - A store with values of every storage class

  private static let xml = """
    <model type="com.apple.IDECoreDataModeler.DataModel">
      <entity name="Thing">
        <attribute name="_id" optional="YES" attributeType="String"/>
        <attribute name="date" optional="YES" attributeType="Date"/>
        <attribute name="decimal" optional="YES" attributeType="Decimal"/>
        <attribute name="double" optional="YES" attributeType="Double"/>
        <attribute name="flag" optional="YES" attributeType="Boolean"/>
        <attribute name="float" optional="YES" attributeType="Float"/>
        <attribute name="null" optional="YES" attributeType="Integer 64" defaultValueString="3"/>
        <attribute name="place" optional="YES" attributeType="Composite" composite="Place"/>
        <attribute name="small" optional="YES" attributeType="Integer 16"/>
        <attribute name="text" optional="YES" attributeType="String" defaultValueString="none"/>
        <attribute name="transformed" optional="YES" attributeType="Transformable"/>
        <attribute name="uuid" optional="YES" attributeType="UUID"/>
      </entity>
      <entity name="Bare"/>
      <composite name="Place">
        <attribute name="city" optional="YES" attributeType="String"/>
        <attribute name="spot" optional="YES" attributeType="Composite" composite="Spot"/>
        <attribute name="zip" optional="YES" attributeType="String"/>
      </composite>
      <composite name="Spot"><attribute name="x" optional="YES" attributeType="Double"/></composite>
    </model>
    """

  private func store(_ sql: String...) throws -> (run: DumpRun, model: ManagedObjectModel) {
    let run = try DumpRun()
    try run.workspace.write(Self.xml, to: "M.xcdatamodel/contents")
    let model = try ModelReader.readFile(path: run.workspace.path("M.xcdatamodel")).model
    let store = try SQLiteStore.create(path: run.workspace.path("Store.sqlite"), model: model)
    try store.seal(journal: .delete)
    let connection = try Connection(path: run.workspace.path("Store.sqlite"))
    for line in sql { try connection.execute(line) }
    try connection.close()
    return (run, model)
  }

  private func dump(_ run: DumpRun) throws -> String {
    try run.dump("Store.sqlite", to: "dump", model: run.workspace.path("M.xcdatamodel"))
    return try run.text("dump/Thing.ndjson")
  }

  @Test("a field for every property, composites as objects, null and the empty text apart, objects without properties")
  func form() throws {
    let (run, model) = try store(
      "INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZTEXT, ZZIP, ZX, ZFLAG) VALUES (5, 2, 1, '', '12', 0.5, 0)",
      "INSERT INTO ZBARE (Z_PK, Z_ENT, Z_OPT) VALUES (3, 1, 1), (8, 1, 1)")
    #expect(
      try dump(run) == """
        {"__id":"Thing/p5","_id":null,"date":null,"decimal":null,"double":null,"flag":false,"float":null,"null":null,\
        "place":{"city":null,"spot":{"x":0.5},"zip":"12"},"small":null,"text":"","transformed":null,"uuid":null}

        """)
    #expect(try run.text("dump/Bare.ndjson") == "{\"__id\":\"Bare/p3\"}\n{\"__id\":\"Bare/p8\"}\n")
    let yaml = try run.text("dump/restore.yaml")
    #expect(yaml.contains("      place.spot.x: place.spot.x\n"))
    #expect(yaml.contains("      \"null\": /null\n"))
    #expect(yaml.contains("      transformed: transformed.base64\n"))
    let copy = try StoreGraph(try run.restore("dump").store, model)
    #expect(copy.differences(from: try StoreGraph(run.workspace.path("Store.sqlite"), model)) == [])
  }

  @Test(
    "values in other storage classes are what they are read as",
    arguments: [
      ("ZDATE", "12"), ("ZDATE", "x'31'"), ("ZSMALL", "1.9"), ("ZSMALL", "x'3132'"), ("ZNULL", "99999999999999999999"),
      ("ZFLAG", "2"), ("ZFLAG", "0.5"), ("ZFLOAT", "0.1"), ("ZFLOAT", "1e300"), ("ZDOUBLE", "7"), ("ZDOUBLE", "'abc'"),
      ("ZTEXT", "12"), ("ZTEXT", "x'414243'"), ("ZTEXT", "1.5"), ("ZDECIMAL", "'12.50'"), ("ZDECIMAL", "7"),
    ])
  func storageClasses(column: String, value: String) throws {
    let (run, model) = try store("INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, \(column)) VALUES (1, 2, 1, \(value))")
    _ = try dump(run)
    let copy = try StoreGraph(try run.restore("dump").store, model, isExact: false)
    #expect(copy.differences(from: try StoreGraph(run.workspace.path("Store.sqlite"), model, isExact: false)) == [])
  }

  @Test(
    "what is no value of its type stops the dump with the row",
    arguments: [
      ("ZTEXT", "CAST(x'ff41' AS TEXT)", "Thing.text in row 4 is no UTF-8 text"),
      ("ZUUID", "x'0102'", "Thing.uuid in row 4 has 2 bytes, which is no UUID"),
      ("ZDECIMAL", "'many'", "Thing.decimal in row 4 is no number"),
    ])
  func damaged(column: String, value: String, message: String) throws {
    let (run, _) = try store("INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, \(column)) VALUES (4, 2, 1, \(value))")
    let error = #expect(throws: RunError.self) { try dump(run) }
    #expect(error?.kind == .badData)
    #expect(error?.message.hasSuffix(message) == true, "\(error?.message ?? "")")
    #expect(try run.workspace.names() == ["M.xcdatamodel", "Store.sqlite"])
  }

  // MARK: - Transformables

  @Test("a Transformable of plain classes is shown beside its bytes, and in exports")
  func transformable() throws {
    let value: NSDictionary = ["colors": ["red", "green"] as NSArray]
    let archive = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: false)
    let hex = archive.map { String(format: "%02x", $0) }.joined()
    let (run, model) = try store(
      "INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZTRANSFORMED) VALUES (1, 2, 1, x'\(hex)'), (2, 2, 1, x'0102'), "
        + "(3, 2, 1, NULL)")
    let lines = try dump(run).split(separator: "\n")
    #expect(
      lines[0].contains(
        "\"transformed\":{\"base64\":\"\(archive.base64EncodedString())\",\"value\":{\"colors\":[\"red\",\"green\"]}}"))
    #expect(lines[1].contains("\"transformed\":{\"base64\":\"AQI=\"}"))
    #expect(lines[2].contains("\"transformed\":null"))
    let copy = try StoreGraph(try run.restore("dump").store, model)
    #expect(copy.differences(from: try StoreGraph(run.workspace.path("Store.sqlite"), model)) == [])

    func export(_ name: String) throws -> String {
      _ = try StoreExport(
        storePath: run.workspace.path("Store.sqlite"), model: model, modelPath: nil, entity: "Thing",
        columns: ["transformed"], order: [], output: run.workspace.path(name), format: nil, safeForSpreadsheets: false
      ).run()
      return try run.text(name)
    }
    #expect(
      try export("t.ndjson") == """
        {"transformed":{"colors":["red","green"]}}
        {"transformed":"AQI="}
        {"transformed":null}

        """)
    #expect(try export("t.csv") == "transformed\n\"{\"\"colors\"\":[\"\"red\"\",\"\"green\"\"]}\"\nAQI=\n\n")
  }
}
