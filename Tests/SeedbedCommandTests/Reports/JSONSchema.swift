import Foundation

/// As much of JSON Schema as the schemas of the project use: types, constants, lists of words, properties, items,
/// references to definitions, and alternatives. A keyword that it does not know is a problem, so that none is passed
/// over.
struct JSONSchema {
  private let root: [String: Any]
  private let annotations: Set = ["$schema", "$defs", "title", "description"]

  init(_ json: [UInt8]) throws {
    guard let root = try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any] else {
      throw Failure(message: "the schema is no object")
    }
    self.root = root
  }

  struct Failure: Error {
    var message: String
  }

  /// Every way in which a document breaks the schema, each with its place in the document.
  func problems(of json: [UInt8]) throws -> [String] {
    problems(try JSONSerialization.jsonObject(with: Data(json), options: .fragmentsAllowed), root, at: "")
  }

  private func problems(_ value: Any, _ schema: [String: Any], at path: String) -> [String] {
    schema.flatMap { keyword, rule -> [String] in
      switch (keyword, rule) {
      case ("type", let name as String): return hasType(value, name) ? [] : ["\(path): no \(name)"]
      case ("type", let names as [String]):
        return names.contains { hasType(value, $0) } ? [] : ["\(path): none of \(names)"]
      case ("const", let expected as Int): return value as? Int == expected ? [] : ["\(path): not \(expected)"]
      case ("enum", let words as [String]):
        return (value as? String).map(words.contains) == true ? [] : ["\(path): none of \(words)"]
      case ("required", let names as [String]):
        guard let object = value as? [String: Any] else { return [] }
        return names.filter { object[$0] == nil }.map { "\(path): no \($0)" }
      case ("properties", let properties as [String: [String: Any]]):
        guard let object = value as? [String: Any] else { return [] }
        // The reports of this version have nothing that its schema does not name.
        return object.flatMap { name, value in
          properties[name].map { problems(value, $0, at: "\(path)/\(name)") } ?? ["\(path): \(name) is not known"]
        }
      case ("items", let items as [String: Any]):
        guard let array = value as? [Any] else { return [] }
        return array.enumerated().flatMap { problems($0.element, items, at: "\(path)/\($0.offset)") }
      case ("anyOf", let choices as [[String: Any]]):
        let found = choices.map { problems(value, $0, at: path) }
        return found.contains { $0.isEmpty } ? [] : found[0]
      case ("$ref", let name as String):
        let definitions = root["$defs"] as? [String: [String: Any]]
        guard let definition = definitions?[String(name.dropFirst("#/$defs/".count))] else { return ["no \(name)"] }
        return problems(value, definition, at: path)
      default: return annotations.contains(keyword) ? [] : ["the schema's \(keyword) is not known"]
      }
    }.sorted()
  }

  private func hasType(_ value: Any, _ name: String) -> Bool {
    // Numbers and booleans are one class in Foundation; their descriptions in JSON tell them apart.
    let text = (try? JSONSerialization.data(withJSONObject: value, options: .fragmentsAllowed)).map {
      String(decoding: $0, as: UTF8.self)
    }
    switch name {
    case "object": return value is [String: Any]
    case "array": return value is [Any]
    case "string": return value is String
    case "null": return value is NSNull
    case "boolean": return text == "true" || text == "false"
    case "number": return value is NSNumber && text != "true" && text != "false"
    case "integer": return text.map { Int($0) != nil } == true && !(value is String)
    default: return false
    }
  }
}
