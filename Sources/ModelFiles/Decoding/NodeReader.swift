import ObjectModel

/// Reads the XML attributes of one element, and reports the ones that were not asked for.
struct NodeReader {
  let node: XMLNode
  /// The subject of mistakes.
  let entity: String?
  let property: String?
  private var used: Set<String> = []

  init(_ node: XMLNode, entity: String? = nil, property: String? = nil) {
    self.node = node
    self.entity = entity
    self.property = property
  }

  /// The attribute's text, nil when it is absent.
  mutating func text(_ name: String) -> String? {
    used.insert(name)
    return node.attributes[name]
  }

  /// The attribute's text, nil when it is absent or empty.
  mutating func nonEmptyText(_ name: String) -> String? {
    text(name).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A text that must be there; a mistake and nil when it is not.
  mutating func requiredText(_ name: String, _ log: inout DecodingLog) -> String? {
    if let text = nonEmptyText(name) { return text }
    fail(.missingAttribute, "<\(node.name)> has no \(name)", hint: "add \(name)=\"…\"", &log)
    return nil
  }

  /// YES or NO.
  mutating func flag(_ name: String, default fallback: Bool = false, _ log: inout DecodingLog) -> Bool {
    guard let text = text(name) else { return fallback }
    switch text {
    case "YES", "true", "1": return true
    case "NO", "false", "0": return false
    default:
      fail(.invalidValue, "\(name)=\"\(text)\" is not YES or NO", hint: "write YES or NO", &log)
      return fallback
    }
  }

  mutating func integer(_ name: String, _ log: inout DecodingLog) -> Int? {
    guard let text = text(name) else { return nil }
    if let number = Int(text) { return number }
    fail(.invalidValue, "\(name)=\"\(text)\" is not a whole number", hint: "write a number such as 1", &log)
    return nil
  }

  /// Names that only Xcode's editor or other tools use.
  mutating func ignore(_ names: String...) { used.formUnion(names) }

  func fail(_ code: ModelError.Code, _ message: String, hint: String, _ log: inout DecodingLog) {
    log.fail(code, entity: entity, property: property, line: node.line, owned(message), hint: hint)
  }

  /// Something that Apple's tools take, though it means nothing or not what it says.
  func warn(_ code: ModelError.Code, _ message: String, hint: String, _ log: inout DecodingLog) {
    log.warn(
      ModelError.Problem(
        code, entity: entity, property: property, file: log.path, line: node.line, message: owned(message),
        hint: hint))
  }

  private func owned(_ message: String) -> String {
    let owner = [entity, property].compactMap { $0 }.joined(separator: ".")
    return owner.isEmpty ? message : "\(owner): \(message)"
  }

  /// Warns of every attribute that was not asked for, and of text.
  func finish(_ log: inout DecodingLog) {
    for name in node.attributes.keys.sorted(by: { $0.precedesByCodePoint($1) }) where !used.contains(name) {
      log.warn(line: node.line, "the attribute \(name) of <\(node.name)> is not known and was left out")
    }
    if node.hasText { log.warn(line: node.line, "the text inside <\(node.name)> was left out") }
  }

  /// Warns of a child element that this place does not have.
  func unknown(_ child: XMLNode, _ log: inout DecodingLog) {
    log.warn(line: child.line, "<\(child.name)> inside <\(node.name)> is not known and was left out")
  }
}
