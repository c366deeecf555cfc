import Foundation
import ImportEngine
import ObjectGraph
import ObjectModel
import PropertyLists
import Testing

/// Counts the elements of what it is given; it stands in for a transformer of a program.
private struct CountTransformer: AttributeTransformer {
  func value(from data: Data) -> [Any] { [] }
  func data(from value: [Any]) -> Data { Data([UInt8(value.count)]) }
}

@Suite("JSON values in Transformable attributes")
struct TransformableDecodingTests {
  private func model(_ transformer: String? = nil) throws -> ManagedObjectModel {
    var entity = EntityDefinition("Thing")
    var shape = AttributeDefinition("shape", .transformable)
    shape.valueTransformerName = transformer
    entity.attributes = [shape]
    return try ManagedObjectModel(entities: [entity])
  }

  private func outcome(_ json: String, _ transformer: String? = nil) throws -> String {
    try Decoding("{\"f\":\(json)}\n", as: "ndjson", model: try model(transformer), map: ["shape: f"]).outcome("shape")
  }

  @Test(
    "arrays and objects become archives of their values",
    arguments: [
      ("[]", .list([])),
      (
        "[ \"a\" , 1, -2.5, 1e3, true,false , null]",
        .list([.string("a"), .integer(1), .real(-2.5), .real(1000), .boolean(true), .boolean(false), .null])
      ),
      (
        "{\"b\": {\"c\": [\"\\u00e9\\ud83c\\udf0a\\n\"]}, \"a\": \"x\\\"\\\\\"}",
        .dictionary([
          .init(key: "a", value: .string("x\"\\")),
          .init(key: "b", value: .dictionary([.init(key: "c", value: .list([.string("é🌊\n")]))])),
        ])
      ),
      ("[9223372036854775807]", .list([.integer(.max)])),
      ("[\"\\ufeffa\\n\\ufeff\"]", .list([.string("\u{FEFF}a\n\u{FEFF}")])),
    ] as [(String, ArchivedContent)])
  func archives(json: String, content: ArchivedContent) throws {
    let expected = "data \(Array(try content.archived()))"
    #expect(try outcome(json) == expected)
    #expect(try outcome(json, "NSSecureUnarchiveFromData") == expected)
  }

  @Test(
    "expressions and paths give them too",
    arguments: [
      ("shape: coalesce(g, f)", #"{"f":["a",1]}"#), ("shape: coalesce(g, f)", #"{"f":"[\"a\",1]"}"#),
      ("shape: f.g", #"{"f":{"g":["a",1]}}"#), ("shape: /f/0", #"{"f":[["a",1]]}"#),
      ("shape: 'g == 1 ? f : null'", #"{"f":["a",1],"g":1}"#), ("shape: text(f)", #"{"f":["a",1]}"#),
    ])
  func expressions(line: String, json: String) throws {
    let expected = "data \(Array(try ArchivedContent.list([.string("a"), .integer(1)]).archived()))"
    #expect(try Decoding(json + "\n", as: "ndjson", model: try model(), map: [line]).outcome("shape") == expected)
  }

  @Test("a text that an expression gives and that is no JSON is a problem")
  func wrongExpression() throws {
    let outcome = try Decoding(
      "{\"f\":\"[a\"}\n", as: "ndjson", model: try model(), map: ["shape: coalesce(f, f)"]
    ).outcome("shape")
    #expect(outcome.hasPrefix("value.not-transformable"))
  }

  @Test(
    "what no archive holds as it is, and what has no transformer, is a problem of the record",
    arguments: [
      ("[9223372036854775808]", nil), ("[1e999]", nil), ("{\"a\":1,\"a\":2}", nil),
      (String(repeating: "[", count: 70) + String(repeating: "]", count: 70), nil), ("[1]", "NobodyRegisteredThis"),
    ] as [(String, String?)])
  func refused(json: String, transformer: String?) throws {
    #expect(try outcome(json, transformer).hasPrefix("value.not-transformable"))
  }

  @Test(
    "a field of CSV may hold an array or an object as JSON",
    arguments: [
      ("\"[\"\"a\"\",1]\"", "data \(Array(try! ArchivedContent.list([.string("a"), .integer(1)]).archived()))"),
      ("{}", "data \(Array(try! ArchivedContent.dictionary([]).archived()))"), ("QQ==", "data [65]"),
      ("[1", "value.not-transformable"), ("{a}", "value.not-transformable"), ("-", "value.not-base64"),
    ])
  func csv(field: String, expected: String) throws {
    let found = try Decoding("f\n\(field)\n", as: "csv", model: try model(), map: ["shape: f"]).outcome("shape")
    #expect(found.hasPrefix(expected), "\(found)")
  }

  @Test("a transformer that the program registered gets the value, and texts stay base64 of stored bytes")
  func registered() throws {
    AttributeTransformers.register(CountTransformer(), forName: "TransformableDecodingTestsCount")
    #expect(try outcome("[\"a\", \"b\", 3]", "TransformableDecodingTestsCount") == "data [3]")
    #expect(try outcome("{}", "TransformableDecodingTestsCount").hasPrefix("value.not-transformable"))
    #expect(try outcome("\"QQ==\"", "TransformableDecodingTestsCount") == "data [65]")
  }

  @Test("the pieces of a text become an archive of an array, also in an element of a composite")
  func pieces() throws {
    var entity = EntityDefinition("Thing")
    var spot = AttributeDefinition("spot", .composite)
    spot.composite = .init(name: "Spot", elements: [.init("marks", .transformable)])
    entity.attributes = [AttributeDefinition("shape", .transformable), spot, AttributeDefinition("name", .string)]
    let model = try ManagedObjectModel(entities: [entity])
    let csv = "f,g\nsea|surf||é,sun\n"
    let expected = "data \(Array(try ArchivedContent.list(["sea", "surf", "", "é"].map { .string($0) }).archived()))"
    for (property, map) in [("shape", "shape: split(f, \"|\")"), ("spot.marks", "spot.marks: split(f, \"|\")")] {
      #expect(try Decoding(csv, as: "csv", model: model, map: [map]).outcome(property) == expected)
    }
    #expect(
      try Decoding(csv, as: "csv", model: model, map: ["name: split(f, \"|\", 2)"]).outcome("name") == "text surf")
    for map in ["name: split(f, \"|\")", "shape: upper(split(f, \"|\"))", "name: 'f == \"\" ? g : split(f, \"|\")'"] {
      #expect(throws: RunError.self, "\(map)") { try Decoding(csv, as: "csv", model: model, map: [map]) }
    }
  }
}
