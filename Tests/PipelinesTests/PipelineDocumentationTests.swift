import Foundation
import TestSupport
import Testing

@testable import Pipelines

@Suite("Documentation of pipeline files")
struct PipelineDocumentationTests {
  @Test(
    "the committed documents say what the specifications say (SEEDBED_UPDATE_DOCS=1 rewrites them)",
    arguments: [
      ("docs/PIPELINE.md", PipelineDocumentation.markdown()), ("docs/pipeline.schema.json", PipelineSchema.json()),
    ])
  func documents(file: String, text: String) throws {
    let url = FixtureFolder.packageRoot.appendingPathComponent(file)
    if ProcessInfo.processInfo.environment["SEEDBED_UPDATE_DOCS"] == "1" {
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    }
    #expect(try String(contentsOf: url, encoding: .utf8) == text)
  }

  @Test("the schema is JSON whose references lead somewhere")
  func schemaIsJSON() throws {
    let object = try JSONSerialization.jsonObject(with: Data(PipelineSchema.json().utf8)) as? [String: Any]
    let definitions = try #require(object?["$defs"] as? [String: Any])
    for part in PipelineSchema.json().split(separator: "#/$defs/").dropFirst() {
      #expect(definitions[String(part.prefix { $0 != "\"" })] != nil)
    }
  }

  @Test("no definition of the schema has the name of another, and constants are scalars")
  func definitions() throws {
    let text = PipelineSchema.json()
    let start = try #require(text.range(of: "\"$defs\""))
    let names = text[start.upperBound...].split(separator: "\n").filter { $0.hasPrefix("    \"") }
    #expect(names.count > PipelineSection.allCases.count && Set(names).count == names.count)
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    let definitions = try #require(object?["$defs"] as? [String: [String: Any]])
    #expect(definitions["constant"]?["type"] as? String == "object")
    #expect(definitions["constantValue"]?["type"] as? [String] == ["string", "number", "boolean", "null"])
  }

  @Test("every example in a specification is accepted", arguments: PipelineSection.allCases)
  func examples(section: PipelineSection) throws {
    let project = try ProjectFolder(files: ["seeds/stops-1.csv.gz"])
    for field in section.fields {
      var lines = section.fields.filter { $0.whenMissing == .required && $0.name != field.name }
        .map { "\($0.name): \($0.example)" }
      lines.append("\(field.name): \(field.example)")
      // JSON sources have other fields than CSV.
      if section == .source, ["pointer", "lenient", "keyed-by"].contains(field.name) { lines.append("format: json") }
      // Only a store that is copied is migrated.
      if section == .store, field.name == "migrate" || field.name == "mapping" { lines.append("seed: Old.sqlite") }
      if section == .store, field.name == "mapping" { lines.append("migrate: true") }
      // Without a header the columns need names.
      if section == .source, field.name == "header" { lines.append("columns: [a, b]") }
      if section == .reference, field.name == "match" || field.name == "from" {
        lines = ["match: [source, externalID]", "from: [\"'osm'\", stop_id]"]
      } else if section == .reference {
        lines = ["match: identifier", "from: stop_id", "\(field.name): \(field.example)"]
      }
      // Objects that are added to others need a key.
      if section == .nested, field.name == "members" { lines.append("match: identifier") }
      let yaml = Self.pipeline(section, lines.map { "    " + $0 }.joined(separator: "\n"))
      #expect(project.problems(yaml) == [], "\(field.name)")
    }
  }

  private static func pipeline(_ section: PipelineSection, _ body: String) -> String {
    let model = "model: M.xcdatamodel\n"
    let store = "store: { path: S.sqlite }\n"
    let step = "import:\n - entity: E\n   match: k\n   from: a.json\n   map:\n    k: k\n    x:\n"
    let deeper = body.replacing("    ", with: "     ")
    switch section {
    case .pipeline: return body.replacing("    ", with: "")
    case .model: return store + "model:\n" + body
    case .store: return model + "store:\n" + body
    case .rejects: return model + store + "rejects:\n" + body
    case .importStep: return model + store + "import:\n  -\n" + body
    case .exportStep: return model + store + "export:\n  -\n" + body
    case .source: return model + store + "import:\n - entity: E\n   map: { a: b }\n   from:\n" + body
    case .attribute, .constant, .reference, .keyReference, .nested: return model + store + step + deeper
    case .stepExpectation:
      return model + store + "import:\n - entity: E\n   from: a.csv\n   map: { a: b }\n   expect:\n" + body
    case .storeExpectation: return model + store + "expect:\n  -\n" + body
    case .lookup: return model + store + "lookups:\n  zones:\n" + body
    case .column: return model + store + "export:\n - entity: E\n   to: a.csv\n   columns:\n   -\n" + body
    case .order: return model + store + "export:\n - entity: E\n   to: a.csv\n   order:\n   -\n" + body
    }
  }

  @Test(
    "the schema takes characters and percentages that the reader takes, and no others",
    arguments: [
      (.source, "delimiter", [";", "||", "12345678", "\t"], ["", "é", "123456789", "a\nb"]),
      (.source, "quote", ["'"], ["", "é", "ab"]),
      (
        .stepExpectation, "shrink", ["0%", "20%", "0.5%", "99.9%", "100%", "100.0%"],
        ["120%", "100.1%", "1000%", "5", "%"]
      ),
      (.stepExpectation, "rejects", ["0.5%"], ["120%", "x"]),
    ] as [(PipelineSection, String, [String], [String])])
  func texts(section: PipelineSection, field: String, taken: [String], refused: [String]) throws {
    let project = try ProjectFolder()
    let schema = try JSONSerialization.jsonObject(with: Data(PipelineSchema.json().utf8)) as? [String: Any]
    let definition = (schema?["$defs"] as? [String: [String: Any]])?[section.rawValue]
    let property = (definition?["properties"] as? [String: [String: Any]])?[field]
    let patterns = try #require(property?["anyOf"] as? [[String: Any]]).compactMap { $0["pattern"] as? String }
    let expression = try NSRegularExpression(pattern: try #require(patterns.first))
    for (text, isTaken) in taken.map({ ($0, true) }) + refused.map({ ($0, false) }) {
      let line = section == .source ? "path: a.csv\n    \(field)" : field
      let yaml = Self.pipeline(section, "    \(line): \(try Self.quoted(text))")
      #expect(project.problems(yaml).allSatisfy { !$0.contains("\"\(field)\"") } == isTaken, "\(text)")
      let found = expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text))
      #expect((found != nil) == isTaken, "\(text) and \(expression.pattern)")
    }
  }

  @Test("an expectation of a step that expects nothing is refused by the reader and the schema")
  func emptyExpectation() throws {
    let yaml = Self.pipeline(.importStep, "    entity: E\n    from: a.csv\n    map: { a: b }\n    expect: {}")
    let problems = try ProjectFolder().problems(yaml)
    #expect(problems.count == 1 && problems[0].hasSuffix("\"expect\" expects nothing"), "\(problems)")
    let schema = try JSONSerialization.jsonObject(with: Data(PipelineSchema.json().utf8)) as? [String: Any]
    let definition = (schema?["$defs"] as? [String: [String: Any]])?[PipelineSection.stepExpectation.rawValue]
    #expect(definition?["minProperties"] as? Int == 1)
  }

  /// A text as JSON and YAML both write it.
  private static func quoted(_ text: String) throws -> String {
    String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
  }

  @Test("every function's example yields what is documented", arguments: RecordExpression.Function.allCases)
  func functions(function: RecordExpression.Function) throws {
    let example = function.specification.example
    let project = try ProjectFolder(files: ["pipelines/faces/ada.jpg"])
    var zones = LookupTable()
    try zones.add(key: .string("A"), .string("Inner city"))
    let resources = RecordExpressionResources(
      files: FolderFiles(folder: project.path + "/pipelines"), lookups: ["zones": zones])
    let evaluator = try RecordExpressionEvaluator(
      try RecordExpressionParser.parse(example.expression), slots: function == .first ? ["categories": 0] : [:],
      resources: resources)
    // The tests of first() run it on arrays.
    if function == .first { return #expect(try evaluator.evaluate(FieldTable([.string("bread")])) == .string("bread")) }
    if function == .file {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: project.path + "/pipelines/faces/ada.jpg"))
      return #expect(try evaluator.evaluate(FieldTable([])) == .data(bytes))
    }
    let value = try evaluator.evaluate(FieldTable([]))
    if case .list(let elements) = value {
      return #expect(try elements.map { try $0.asText() }.joined(separator: ", ") == example.result)
    }
    #expect(try value.asText() == example.result)
  }
}

/// The files below a folder.
private struct FolderFiles: ValueFiles {
  let folder: String

  func read(_ name: String) throws(RecordExpressionFailure) -> Data {
    guard let data = FileManager.default.contents(atPath: folder + "/" + name) else {
      throw RecordExpressionFailure(code: "file.missing", message: name)
    }
    return data
  }
}
