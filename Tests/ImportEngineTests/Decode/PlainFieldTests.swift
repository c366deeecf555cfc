import Foundation
import ObjectModel
import SeedFormats
import TestSupport
import Testing

@testable import ImportEngine
@testable import Pipelines
@testable import Reports

/// The loops for plain numbers, times and texts against the general ones, which a second text for null brings about.
@Suite("Plain fields")
struct PlainFieldTests {
  private static func model() throws -> ManagedObjectModel {
    var thing = EntityDefinition("Thing")
    var owner = EntityDefinition("Owner")
    var name = AttributeDefinition("name", .string)
    name.isOptional = true
    owner.attributes = [name]
    for (name, type) in [("number", AttributeType.integer16), ("time", .integer32), ("text", .string)] {
      var attribute = AttributeDefinition(name, type)
      attribute.isOptional = true
      thing.attributes.append(attribute)
    }
    thing.attributes[0].minimumValue = .integer(-3)
    thing.attributes[0].maximumValue = .integer(30_000)
    var must = AttributeDefinition("must", .string)
    must.isOptional = false
    thing.attributes.append(must)
    var toOwner = RelationshipDefinition("owner", toOne: "Owner", inverse: "things")
    toOwner.isOptional = true
    var toThings = RelationshipDefinition("things", toMany: "Thing", inverse: "owner")
    toThings.isOptional = true
    thing.relationships = [toOwner]
    owner.relationships = [toThings]
    return try ManagedObjectModel(entities: [thing, owner])
  }

  private static let pieces: [String] = [
    "", "0", "1", "-1", "+7", "12", "007", "30000", "30001", "999999999999999999", "9999999999999999999", "1.5", "x",
    "é",
    "00:00:00", "23:59:59", "25:10:00", "99:59:59", "24:60:00", "24:00:60", "2:03:04", "24-00-00", "240:00:00",
    "::::::::",
    "/0:00:00", "00:00:0:", "a b", "tab\\t", "true", "null",
  ]

  private static func csv(_ generator: inout SeededGenerator) -> String {
    var text = "number,time,text,must,owner\n"
    for _ in 0..<60 {
      text += (0..<5).map { _ in
        let piece = pieces.randomElement(using: &generator) ?? ""
        return Int.random(in: 0..<6, using: &generator) == 0 ? "\"\(piece)\"" : piece
      }.joined(separator: ",")
      text += "\n"
    }
    return text
  }

  private static func json(_ generator: inout SeededGenerator) -> String {
    let bare = ["null", "true", "12", "-1", "1.5", "30001", "[1]", "{}", "\"\\u0000\"", "\"\\u0031\"", "1e2"]
    return (0..<60).map { _ in
      let fields = ["number", "time", "text", "must", "owner"].compactMap { name -> String? in
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: nil
        case 1, 2: "\"\(name)\":\(bare.randomElement(using: &generator) ?? "0")"
        default: "\"\(name)\":\"\(pieces.randomElement(using: &generator) ?? "")\""
        }
      }
      return "{" + fields.joined(separator: ",") + "}"
    }.joined(separator: "\n")
  }

  @Test("random records come out as from the general loops", arguments: Array(1...20), ["csv", "ndjson"])
  func twins(seed: Int, format: String) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let source = format == "csv" ? Self.csv(&generator) : Self.json(&generator)
    let map = [
      "number: number", "time: duration(time)", "text: text", "must: must", "owner: { match: name, from: owner }",
    ]
    let fast = try Decoding(source, as: format, model: Self.model(), map: map)
    let slow = try Decoding(
      source, as: format, model: Self.model(), map: map,
      from: format == "csv" ? ", nulls: [\"\", \"never in the data\"]" : ", nulls: [\"never in the data\"]")
    #expect(fast.decoded.root.records == slow.decoded.root.records)
    #expect(fast.decoded.records.count == 60)
    for record in 0..<60 {
      for property in ["number", "time", "text", "must"] {
        #expect(fast.outcome(property, record: record) == slow.outcome(property, record: record))
      }
    }
    for row in fast.decoded.root.records.indices {
      #expect(fast.keys(0, row: row) == slow.keys(0, row: row))
      #expect(
        fast.decoded.root.keys[0].entries[row].rawOffset == slow.decoded.root.keys[0].entries[row].rawOffset)
    }
  }

  @Test("eight bytes are a time of day when the parser of durations says so, byte by byte")
  func times() {
    var generator = SeededGenerator(seed: 8)
    let characters = Array("0123456789:;/.5 \u{80}".utf8)
    for round in 0..<200_000 {
      var bytes = Array("\(round % 10)\(round / 7 % 10):\(round % 7)\(round % 9):\(round / 3 % 7)\(round % 10)".utf8)
      for _ in 0..<Int.random(in: 0...2, using: &generator) {
        bytes[Int.random(in: 0..<8, using: &generator)] = characters.randomElement(using: &generator) ?? 0
      }
      let fast = unsafe withRaw(bytes) { bytes in
        unsafe bytes.baseAddress.map { unsafe PlainNumber.timeOfDay($0, count: bytes.count) } ?? -1
      }
      let isWritten = bytes[2] == 0x3A && bytes[5] == 0x3A && bytes[0] != 0x2B && bytes[0] != 0x2D
      let slow = isWritten ? unsafe withRaw(bytes) { unsafe DurationParser.parse($0) } ?? -1 : -1
      #expect(fast == slow, "\(String(decoding: bytes, as: UTF8.self))")
    }
  }

  @Test("digits are read as the parser of numbers reads them")
  func digits() {
    var generator = SeededGenerator(seed: 9)
    for _ in 0..<50_000 {
      let count = Int.random(in: 0...20, using: &generator)
      let digits = Bool.random(using: &generator) ? "0123456789" : "01234567899a-+/:"
      let text = String((0..<count).map { _ in digits.randomElement(using: &generator) ?? "0" })
      // Whatever follows the digits must not count.
      let followers = (0..<8).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let fast = unsafe withRaw(Array(text.utf8) + followers) { bytes in
        unsafe bytes.baseAddress.map { unsafe PlainNumber.digits($0, count: count) } ?? -1
      }
      let isPlain = (1...18).contains(count) && text.allSatisfy(\.isNumber)
      #expect(fast == (isPlain ? Int64(text) : -1), "\(text)")
    }
  }
}
