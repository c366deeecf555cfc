import Foundation
import ObjectModel
import SeedFormats
import StoreInterface
import TestSupport
import Testing

@testable import ImportEngine
@testable import Pipelines

@Suite("References and nested objects, decoded")
struct StructureDecodingTests {
  static func model() throws -> ManagedObjectModel {
    func optional(_ name: String, _ type: AttributeType) -> AttributeDefinition {
      var attribute = AttributeDefinition(name, type)
      attribute.isOptional = true
      return attribute
    }
    var venue = EntityDefinition("Venue")
    venue.attributes = [optional("name", .string), optional("rank", .integer16)]
    venue.relationships = [
      RelationshipDefinition("place", toOne: "Place", inverse: "venues"),
      RelationshipDefinition("menu", toMany: "Dish", inverse: "venue"),
      RelationshipDefinition("tags", toMany: "Tag", inverse: "venues"),
      RelationshipDefinition("numbers", toMany: "Number", inverse: "venues"),
    ]
    var place = EntityDefinition("Place")
    place.attributes = [optional("city", .string), optional("code", .integer32), optional("latitude", .double)]
    place.relationships = [RelationshipDefinition("venues", toMany: "Venue", inverse: "place")]
    var dish = EntityDefinition("Dish")
    dish.attributes = [optional("title", .string), optional("price", .decimal)]
    dish.relationships = [
      RelationshipDefinition("venue", toOne: "Venue", inverse: "menu"),
      RelationshipDefinition("parts", toMany: "Part", inverse: "dish"),
    ]
    var part = EntityDefinition("Part")
    part.attributes = [optional("weight", .integer32)]
    part.relationships = [RelationshipDefinition("dish", toOne: "Dish", inverse: "parts")]
    var tag = EntityDefinition("Tag")
    tag.attributes = [optional("name", .string)]
    tag.relationships = [RelationshipDefinition("venues", toMany: "Venue", inverse: "tags")]
    var number = EntityDefinition("Number")
    number.attributes = [optional("value", .integer16)]
    number.relationships = [RelationshipDefinition("venues", toMany: "Venue", inverse: "numbers")]
    return try ManagedObjectModel(entities: [venue, place, dish, part, tag, number])
  }

  private func decode(_ source: String, _ format: String = "ndjson", _ map: String..., from: String = "") throws
    -> Decoding
  {
    try Decoding(source, as: format, model: Self.model(), entity: "Venue", map: map, from: from)
  }

  // MARK: - Keys

  @Test(
    "the keys of a to-many relationship come from an array, a text with separators, or one value",
    arguments: [
      (#"["a", "b c", ""]"#, "tags: { match: name, from: t }", ["a", "b c", ""]),
      (#"[]"#, "tags: { match: name, from: t }", []), (#"null"#, "tags: { match: name, from: t }", []),
      (#""a""#, "tags: { match: name, from: t }", ["a"]),
      (#""a;b""#, "tags: { match: name, from: t }", ["a;b"]),
      (#"" a ; b;;c; ""#, "tags: { match: name, from: t, separator: ';' }", ["a", "b", "c"]),
      (#"["a;b"]"#, "tags: { match: name, from: t, separator: ';' }", ["a;b"]),
      (#"5"#, "tags: { match: name, from: t }", ["5"]),
      (#"[1, "2", 3.0]"#, "numbers: { match: value, from: t }", ["1", "2", "3"]),
      (#""1,2""#, "numbers: { match: value, from: t, separator: ',' }", ["1", "2"]),
      (#"["é\n\"", "\u00e9"]"#, "tags: { match: name, from: t }", ["é\n\"", "é"]),
    ])
  func toManyKeys(_ value: String, _ line: String, _ expected: [String]) throws {
    let decoding = try decode("{\"n\": 1, \"t\": \(value)}\n", "ndjson", line)
    #expect(decoding.decoded.problems.isEmpty)
    #expect(decoding.keys(0, row: 0) == expected)
  }

  @Test(
    "what is no key of the attribute's type is a problem at its place",
    arguments: [
      (#"[1, "x", 99999]"#, "value.not-a-number@11 value.out-of-range@16"), (#"[[1]]"#, "value.structured@8"),
      (#"[{"a": 1}]"#, "value.structured@8"), (#"[1, {"#, "json.malformed@9"),
    ])
  func toManyProblems(_ value: String, _ expected: String) throws {
    let decoding = try decode("{\"t\": \(value)}\n", "ndjson", "numbers: { match: value, from: t }")
    if decoding.decoded.records.faults.isEmpty {
      #expect(decoding.outcome("x") == expected)
    } else {
      #expect(decoding.decoded.records.faults[0].code == "json.malformed")
    }
  }

  @Test("a CSV field with separators keeps the place of each key")
  func csvSeparators() throws {
    let decoding = try decode(
      "n,t\na,\"1; 22 ;x\"\nb,\nc,7\n", "csv", "numbers: { match: value, from: t, separator: ';' }")
    #expect(decoding.outcome("x", record: 0) == "value.not-a-number@10")
    #expect(decoding.keys(0, row: 0) == [])
    #expect(decoding.keys(0, row: 1) == ["7"])
    #expect(decoding.decoded.root.keys[0].states == [.null, .value])
  }

  @Test(
    "a composite key is there, not there, or refused because a part is empty",
    arguments: [
      ("Rome,5", "Rome, 5"), (",", "null"), ("Rome,", "reference.incomplete@1"), (",5", "reference.incomplete@1"),
      ("Rome,x", "value.not-a-number@6"), ("\"\",5", ", 5"),
    ])
  func compositeKey(_ fields: String, _ expected: String) throws {
    let decoding = try decode("c,k\n\(fields)\n", "csv", "place: { match: [city, code], from: [c, k] }")
    if expected.contains("@") {
      #expect(decoding.outcome("x") == expected)
    } else {
      #expect(decoding.keys(0, row: 0) == [expected])
    }
  }

  @Test("a key that the record lacks is absent, and a key may be an expression")
  func absentKey() throws {
    let line = "place: { match: city, from: c }"
    #expect(try decode("{}\n", "ndjson", line).keys(0, row: 0) == ["absent"])
    #expect(try decode("{\"c\": null}\n", "ndjson", line).keys(0, row: 0) == ["null"])
    let expression = "place: { match: [city, code], from: [\"concat('a', c)\", \"3\"] }"
    #expect(try decode("{\"c\": \"b\"}\n", "ndjson", expression).keys(0, row: 0) == ["ab, 3"])
  }

  // MARK: - Nested objects

  private static let nested = [
    "name: n", "place: { from: at, map: { city: city, latitude: geo.lat } }",
    "menu: { from: dishes, map: { title: t, price: p, parts: { from: parts, map: { weight: w } } } }",
  ]

  @Test("objects and arrays of objects become rows that know their owners")
  func nestedRows() throws {
    let source = """
      {"n": "a", "at": {"city": "x\\u0041", "geo": {"lat": 1.5}}, "dishes": [{"t": "p", "parts": [{"w": 1}, {"w": 2}]}, {"t": "q"}]}
      {"n": "b", "at": null, "dishes": []}
      {"n": "c", "dishes": {"t": "r", "parts": {"w": 3}}}

      """
    let decoding = try Decoding(source, as: "ndjson", model: Self.model(), entity: "Venue", map: Self.nested)
    let root = decoding.decoded.root
    #expect(decoding.decoded.problems.isEmpty)
    #expect(root.childStates == [[.value, .null, .absent], [.value, .value, .value]])
    let (place, menu) = (root.children[0], root.children[1])
    #expect(place.owners == [0])
    #expect(decoding.cell(place, "city", row: 0) == "text xA")
    #expect(decoding.cell(place, "latitude", row: 0) == "real 1.5")
    #expect(menu.owners == [0, 0, 2])
    #expect(menu.records == [0, 0, 2])
    #expect((0..<3).map { decoding.cell(menu, "title", row: $0) } == ["text p", "text q", "text r"])
    let parts = menu.children[0]
    #expect(parts.owners == [0, 0, 2])
    #expect(parts.records == [0, 0, 2])
    #expect((0..<3).map { decoding.cell(parts, "weight", row: $0) } == ["int 1", "int 2", "int 3"])
    #expect(menu.childStates == [[.value, .absent, .value]])
  }

  @Test(
    "problems inside nested values have the position of the value, however deep",
    arguments: [
      (#"{"n": "a", "at": {"geo": {"lat": "x"}}}"#, "value.not-a-number@34"), (#"{"at": [1]}"#, "json.not-an-object@8"),
      (#"{"at": "x"}"#, "json.not-an-object@8"),
      (#"{"dishes": [{"t": "ok"}, 5, null]}"#, "json.not-an-object@26 json.not-an-object@29"),
      (#"{"dishes": [{"p": "1"}, {"p": "é", "parts": [{"w": true}]}]}"#, "value.not-a-number@31 value.not-a-number@52"),
      (#"{"dishes": [{"t": {}}]}"#, "value.structured@19"), (#"{"dishes": true}"#, "json.not-an-object@12"),
      (#"{"dishes": [{"t": "\ud800"}]}"#, "json.lone-surrogate"),
      (#"{"dishes": [{"t": 1, "t": 2}]}"#, "json.duplicate-key"),
    ])
  func nestedProblems(_ record: String, _ expected: String) throws {
    let decoding = try Decoding(
      record + "\n", as: "ndjson", model: Self.model(), entity: "Venue", map: Self.nested)
    if let fault = decoding.decoded.records.faults.first {
      #expect(fault.code == expected)
    } else if expected.contains("@") {
      #expect(decoding.outcome("name") == expected)
    } else {
      #expect(decoding.outcome("name").hasPrefix(expected))
    }
  }

  @Test("a path that is no JSON Pointer is a mistake of the pipeline, not a crash")
  func badPath() {
    #expect(throws: (any Error).self) {
      try decode("{}\n", "ndjson", "place: { from: at, map: { city: \"`/a~2b`\" } }")
    }
    #expect(throws: (any Error).self) { try decode("{}\n", "ndjson", "name: \"`/a~2b`\"") }
  }

  @Test("a separator has any number of bytes, but at least one", arguments: [";", "ab", "é", " - ", "\t"])
  func separators(_ separator: String) throws {
    let text = ["1", "", "23", "4"].joined(separator: separator)
    let line = "numbers: { match: value, from: t, separator: \"\(separator)\" }"
    let decoding = try decode("n,t\n1,\"\(text)\"\n2,\n3,5\n4,x\n", "csv", line)
    #expect((0..<3).map { decoding.keys(0, row: $0) } == [["1", "23", "4"], [], ["5"]])
    #expect(decoding.outcome("x", record: 3) == "value.not-a-number@3")
    #expect(throws: PipelineError.self) {
      try decode("n,t\n", "csv", "numbers: { match: value, from: t, separator: '' }")
    }
  }

  // MARK: - Keeping and copying rows

  /// What a node and those below it hold, by record, in a form that does not know row numbers.
  private func contents(_ node: DecodedNode, _ decoding: Decoding) -> [String] {
    var lines: [String] = []
    for row in 0..<node.batch.count {
      var line = "\(node.plan.entity.name) record \(node.records[row])"
      for cell in node.plan.cells { line += " \(cell.property)=\(decoding.cell(node, cell.property, row: row))" }
      for (index, child) in node.children.enumerated() {
        line += " \(node.childStates[index][row]) \(child.owners.count { Int($0) == row })"
      }
      for (index, keys) in node.keys.enumerated() {
        line += " keys \(keys.states.isEmpty ? "" : "\(keys.states[row])")"
        for entry in keys.entries where Int(entry.row) == row {
          line += entry.state == .value ? " " + node.plan.references[index].shownKey(keys, entry) : " \(entry.state)"
        }
      }
      if let problem = node.insertProblems[Int32(row)]?.first { line += " \(problem.code)" }
      lines.append(line)
    }
    return lines + node.children.flatMap { contents($0, decoding) }
  }

  @Test("rows of some records can be kept or copied, with nested rows, keys and owners", arguments: [1, 2, 3, 4, 5, 6])
  func keepAndCopy(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var lines: [String] = []
    for record in 0..<60 {
      let dishes = (0..<Int.random(in: 0...3, using: &generator)).map { dish in
        let parts = (0..<Int.random(in: 0...2, using: &generator)).map { "{\"w\": \($0 + record)}" }
        return "{\"t\": \"d\(record).\(dish)\", \"parts\": [\(parts.joined(separator: ", "))]}"
      }
      let tags = (0..<Int.random(in: 0...3, using: &generator)).map { "\"t\($0)\"" }.joined(separator: ", ")
      var fields = ["\"n\": \"venue \(record)\""]
      if Bool.random(using: &generator) { fields.append("\"dishes\": [\(dishes.joined(separator: ", "))]") }
      if Bool.random(using: &generator) { fields.append("\"tags\": [\(tags)]") }
      if Bool.random(using: &generator) { fields.append("\"at\": {\"city\": \"c\(record)\"}") }
      lines.append("{\(fields.joined(separator: ", "))}")
    }
    let decoding = try Decoding(
      lines.joined(separator: "\n") + "\n", as: "ndjson", model: Self.model(), entity: "Venue",
      map: Self.nested + ["tags: { match: name, from: tags }", "numbers: { match: value, from: n2, separator: ',' }"])
    let decoded = decoding.decoded
    #expect(decoded.problems.isEmpty)
    let whole = contents(decoded.root, decoding)
    let wanted = Set((0..<60).filter { _ in Int.random(in: 0..<3, using: &generator) > 0 })
    func isWanted(_ line: String) -> Bool {
      let number = line.firstMatch(of: /record ([0-9]+)/).flatMap { Int($0.1) }
      return number.map(wanted.contains) ?? false
    }
    let expected = whole.filter(isWanted)
    let copy = decoded.copy(records: wanted)
    #expect(contents(copy.root, decoding) == expected)
    #expect(contents(decoded.root, decoding) == whole, "a copy leaves the original as it was")
    #expect(decoded.recordsAreRetained)
    decoded.root.keep(records: (0..<60).map { wanted.contains($0) })
    #expect(contents(decoded.root, decoding) == expected)
    #expect(contents(copy.root, decoding) == expected)
    // To the last row, and once more when nothing is left.
    decoded.root.keep(records: Array(repeating: false, count: 60))
    #expect(contents(decoded.root, decoding).isEmpty)
    decoded.root.keep(records: Array(repeating: false, count: 60))
    #expect(decoded.root.withDescendants.allSatisfy { $0.batch.count == 0 })
  }

  @Test("a row batch keeps the rows of a mask and copies itself, whatever its columns", arguments: [1, 2, 3])
  func rowBatches(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let entity = try #require(try Self.model()["Place"])
    let batch = RowBatch(
      entity: entity,
      columns: [
        RowBatch.Column(.attribute("city"), .bytes), RowBatch.Column(.attribute("code"), .integer),
        RowBatch.Column(.attribute("latitude"), .real),
      ], capacity: 200, arenaCapacity: 16)
    batch.count = 150
    func text(_ batch: RowBatch, _ row: Int) -> String {
      var line = ""
      for column in 0..<3 {
        let state = unsafe batch.states[column][row]
        line += " \(state)"
        guard state == RowBatch.State.value.rawValue else { continue }
        switch column {
        case 0: line += unsafe " " + String(decoding: batch.cellBytes(column, row), as: UTF8.self)
        case 1: line += unsafe " \(batch.integers(column)[row])"
        default: line += unsafe " \(batch.reals(column)[row])"
        }
      }
      return line
    }
    for row in 0..<150 {
      for column in 0..<3 {
        let state = UInt8.random(in: 0...2, using: &generator)
        unsafe batch.states[column][row] = state
        switch column {
        case 0:
          unsafe batch.store(
            text: String(repeating: "é", count: Int.random(in: 0...20, using: &generator)), column: column, row: row)
        case 1: unsafe batch.integers(column)[row] = Int64.random(in: .min ... .max, using: &generator)
        default: unsafe batch.reals(column)[row] = Double.random(in: -1...1, using: &generator)
        }
      }
    }
    let whole = (0..<150).map { text(batch, $0) }
    let copy = batch.copy()
    #expect((0..<copy.count).map { text(copy, $0) } == whole)
    let mask = (0..<150).map { _ in Bool.random(using: &generator) }
    batch.keepRows(mask)
    #expect((0..<batch.count).map { text(batch, $0) } == zip(whole, mask).filter { $1 }.map { $0.0 })
    for row in batch.count..<150 { #expect(text(batch, row) == " 0 0 0", "rows that went are absent") }
    #expect((0..<copy.count).map { text(copy, $0) } == whole, "the copy is its own")
  }
}
