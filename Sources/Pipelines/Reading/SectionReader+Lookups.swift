internal import Yams

extension SectionReader {
  /// The lookups of a pipeline, by their names.
  mutating func lookups(_ node: Node) -> [LookupSettings] {
    guard let pairs = pairs(node, what: "a mapping of names") else { return [] }
    return pairs.compactMap { name, position, value in lookup(value, named: name, at: position) }
  }

  private mutating func lookup(_ node: Node, named name: String, at position: FilePosition) -> LookupSettings? {
    guard let values = section(.lookup, node) else { return nil }
    let source = values.nodes["from"].flatMap { sourceSettings($0) }
    self.source = source
    defer { self.source = nil }
    let key = values.nodes["key"].flatMap { expression($0, at: values.position("key")) }
    let value = values.nodes["value"].flatMap { expression($0, at: values.position("value")) }
    guard let source, let key, let value else { return nil }
    for (name, expression) in [("key", key), ("value", value)]
    where expression.root.withOperands.contains(where: { $0.lookupName != nil }) {
      add(
        "lookup-nested", "a lookup's own expressions cannot look into other lookups",
        hint: "write lookup(..., lookup(...)) where the value is used", at: values.position(name))
      return nil
    }
    if source.paths.contains(where: { SourceKind($0).isStream }) {
      add(
        "lookup-stream", "a lookup reads files, no stream", hint: "keep the table in a file",
        at: values.position("from"))
      return nil
    }
    return LookupSettings(name: name, source: source, key: key, value: value, position: position)
  }
}
