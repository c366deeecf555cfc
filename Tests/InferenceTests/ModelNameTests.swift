import ImportEngine
import ObjectModel
import Pipelines
import TestSupport
import Testing

@testable import Inference

@Suite("Names for entities and properties")
struct ModelNameTests {
  @Test(
    "files and keys become entities",
    arguments: [
      ("stops", "Stop"), ("stop_times", "StopTime"), ("stopTimes", "StopTime"), ("cities", "City"),
      ("people", "Person"),
      ("boxes", "Box"), ("addresses", "Address"), ("series", "Series"), ("movies", "Movie"), ("bus", "Bus"),
      ("2024-01-orders", "Order"), ("sets", "SetRecord"), ("data", "DataRecord"), ("dates", "DateRecord"),
      ("Größen", "Grossen"), ("-", "Record"), ("1", "Record1"), ("名前", "名前"), ("URLs", "UrLs"),
      ("user profiles", "UserProfile"),
    ])
  func entities(file: String, name: String) {
    var names = ModelNames()
    #expect(names.entity(file) == name)
  }

  @Test(
    "columns become properties",
    arguments: [
      ("stop_id", "stopId"), ("Stop ID", "stopId"), ("name", "name"), ("SKU", "sku"), ("Product Name", "productName"),
      ("description", "shopDescription"), ("hash", "shopHash"), ("class", "shopClass"), ("objectID", "shopObjectID"),
      ("2000", "x2000"), ("", "column7"), ("%", "column7"), ("größe", "grosse"), ("imageURL", "imageURL"),
      ("ImageURL", "imageUrl"), ("a.b", "aB"), ("名前", "名前"), ("é", "e"), ("_id", "id"), ("price ($)", "price"),
      ("volume m³", "volumeM3"), ("CO₂", "co2"), ("½", "x12"), ("x²", "x2"), ("1️⃣ first", "x1First"), ("¼O", "x14O"),
      ("٣ نام", "x٣نام"), ("می‌خواهم", "میخواهم"), ("Ⅳ", "ⅳ"), ("①", "x1"),
    ])
  func properties(column: String, name: String) {
    var names = ModelNames()
    #expect(names.property(column, of: "Shop", fallback: "column7") == name)
  }

  @Test("whatever a name holds, a model takes what becomes of it", arguments: 1...4)
  func anyNames(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let scalars: [ClosedRange<UInt32>] = [
      0x20...0x7E, 0xA0...0x24F, 0x300...0x36F, 0x600...0x6FF, 0x900...0x97F,
      0x2000...0x21FF, 0x2460...0x24FF, 0x3000...0x30FF, 0xFE00...0xFE2F, 0xFF00...0xFFEF, 0x1F300...0x1F6FF,
    ]
    var names = ModelNames()
    var entity = EntityDefinition(names.entity("things"))
    for _ in 0..<400 {
      let text = (0..<Int.random(in: 1...4, using: &random)).compactMap { _ in
        scalars[Int.random(in: scalars.indices, using: &random)].randomElement(using: &random).flatMap(
          Unicode.Scalar.init)
      }
      let name = names.property(String(String.UnicodeScalarView(text)), of: "Thing", fallback: "column")
      entity.attributes.append(AttributeDefinition(name, .string))
    }
    #expect(try ManagedObjectModel(entities: [entity])["Thing"]?.attributes.count == 400)
  }

  @Test("one name for two gets a number, whatever the case of its letters")
  func clashes() {
    var names = ModelNames()
    #expect(names.property("Name", of: "A", fallback: "x") == "name")
    #expect(names.property("name", of: "A", fallback: "x") == "name2")
    #expect(names.property("NAME", of: "A", fallback: "x") == "name3")
    #expect(names.property("name", of: "B", fallback: "x") == "name")
    #expect(names.entity("stops") == "Stop")
    #expect(names.entity("Stop") == "Stop2")
    #expect(names.entity("stop", owner: "Trip") == "TripStop")
  }

  @Test(
    "columns that refer to a key are told by their names",
    arguments: [
      ("stop_id", "id", "stops", true), ("stopId", "stop_id", "stops", true),
      ("parent_stop_id", "stop_id", "stops", true),
      ("customer", "id", "customers", true), ("home_team", "code", "teams", true), ("quantity", "id", "orders", false),
      ("id", "id", "orders", false), ("parent_id", "id", "folders", true), ("manager_id", "id", "employees", true),
      ("name", "name", "people", false), ("isbn", "isbn", "books", true), ("SKU", "sku", "products", true),
      ("Artikelnummer", "artikelnummer", "artikel", true), ("number", "number", "rooms", false),
      ("zone_id", "stop_id", "stops", false),
    ])
  func references(column: String, key: String, list: String, expected: Bool) {
    #expect(ReferenceSearch.names(NameInWords(column), key: NameInWords(key), list: NameInWords(list)) == expected)
  }

  @Test(
    "fields and properties are alike in spite of spelling",
    arguments: [
      ("stop_name", "name", "Stop", true), ("Stop Name", "stopName", "Stop", true), ("id", "identifier", "Stop", true),
      ("stop_lat", "latitude", "Stop", true), ("categories", "category", "Venue", true),
      ("adress", "address", "Shop", true),
      ("color", "colour", "Shop", true), ("color", "kolor", "Shop", false), ("score1", "score2", "Shop", false),
      ("price", "name", "Shop", false), ("zone", "stone", "Shop", false),
    ])
  func similarity(field: String, property: String, entity: String, expected: Bool) {
    let score = NameSimilarity.score(field, property, owner: NameSimilarity.words(entity))
    #expect((score >= NameSimilarity.enough) == expected, "\(score)")
  }

  @Test("names and fields come through YAML and expressions as they are")
  func yaml() throws {
    let names = [
      "a", "a b", "a`b", "`", "a\"b", "a\\b", "$x", "${HOME}", "12", "true", "null", "é", "a:b", "# x", "- x", "a'b",
      "\t",
      "x\u{85}y",
    ]
    for name in names {
      let field = try #require(YAMLText.field(name))
      let text = """
        model: M.xcdatamodeld
        store: { path: s.sqlite }
        import: [{ from: { path: a.csv, columns: [\(YAMLText.name(name))] }, entity: A, map: { x: \(field) } }]
        """
      let file = try PipelineReader.read(text: text, path: "/tmp/p.yaml", environment: [:])
      #expect(file.imports[0].source.columns == [name])
      guard case .attribute(let mapped) = file.imports[0].map[0].value else {
        Issue.record("\(name) is mapped to no attribute")
        continue
      }
      #expect(mapped.expression.root == .field(name), "\(name)")
    }
    #expect(YAMLText.field("") == nil)
  }
}
