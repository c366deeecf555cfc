import ObjectModel
internal import Yams

extension SectionReader {
  /// Deeper than any real data nests its objects.
  private static let maximumDepth = 32

  /// The entries of `map:`.
  /// - Parameter allowsNone: whether it may be an empty mapping.
  mutating func properties(
    _ node: Node, at position: FilePosition, allowsNone: Bool = false, depth: Int = 0
  ) -> [MapEntry] {
    guard depth < Self.maximumDepth else {
      add("depth", "map nests deeper than \(Self.maximumDepth) levels", at: node.position)
      return []
    }
    if case .scalar(let scalar) = node, ScalarValue(scalar) == .null {
      add("type", "expected a mapping of property names, found nothing", at: position)
      return []
    }
    guard
      let pairs = pairs(
        node, what: "a mapping of property names", hint: "write a line for each property, such as name: stop_name")
    else { return [] }
    if pairs.isEmpty, !allowsNone {
      add("empty-map", "map is empty", hint: "add a line such as name: stop_name", at: node.position)
    }
    return pairs.compactMap { key, keyPosition, value in
      mapValue(value, of: key, at: keyPosition, depth: depth).map {
        MapEntry(property: key, value: $0, position: keyPosition)
      }
    }
  }

  private mutating func mapValue(
    _ node: Node, of property: String, at keyPosition: FilePosition, depth: Int
  ) -> MapValue? {
    switch node {
    case .scalar: return expression(node, at: keyPosition).map { .attribute(MappedAttribute(expression: $0)) }
    case .sequence, .alias:
      add(
        "type", "expected an expression or a mapping for \"\(property)\", found \(node.kindName)",
        hint: "join values with &, or write { from: ... }", at: node.position)
      return nil
    case .mapping(let mapping):
      let keys = Set(mapping.keys.compactMap { $0.scalar?.string })
      let form: PipelineSection =
        keys.contains("map")
        ? .nested
        : keys.contains("match")
          ? .reference : keys.contains("key") ? .keyReference : keys.contains("value") ? .constant : .attribute
      let others = PipelineSection.mapForms.flatMap { $0.fields.map(\.name) }
      guard let values = section(form, node, suggesting: others) else { return nil }
      switch form {
      case .nested: return mappedObjects(values, depth: depth).map(MapValue.nested)
      case .reference: return mappedReference(values).map(MapValue.reference)
      case .keyReference: return mappedKeyReference(values).map(MapValue.reference)
      case .constant:
        return values.nodes["value"].flatMap { constant($0, at: values.position("value")) }.map {
          .attribute(MappedAttribute(expression: $0))
        }
      default: return mappedAttribute(values).map(MapValue.attribute)
      }
    }
  }

  private mutating func mappedAttribute(_ values: SectionValues) -> MappedAttribute? {
    checkDates(format: values.text("date"), zone: values.text("time-zone"), values, formatField: "date")
    let defaultValue = values.nodes["default"].flatMap { constant($0, at: values.position("default")) }
    guard let from = values.nodes["from"], let expression = expression(from, at: values.position("from")) else {
      return nil
    }
    return MappedAttribute(
      expression: expression, nulls: values.texts("nulls"), dateFormat: values.text("date"),
      timeZone: values.text("time-zone"), defaultValue: defaultValue, isOptional: values.boolean("optional") ?? false)
  }

  private mutating func mappedReference(_ values: SectionValues) -> MappedReference? {
    guard let from = values.nodes["from"] else { return nil }
    let nodes = from.sequence == nil ? [from] : items(from, what: "a list")
    let expressions = nodes.compactMap { node in
      expression(node, at: from.sequence == nil ? values.position("from") : node.position)
    }
    if values.text("separator") == "" {
      add("separator", "the separator is empty", at: values.position("separator"))
    }
    guard let match = values.texts("match"), expressions.count == nodes.count else { return nil }
    checkRepeats(match, "match", values)
    guard !match.isEmpty, match.count == expressions.count else {
      add(
        "count", "\"match\" has \(match.count) attributes, but \"from\" has \(expressions.count) expressions",
        hint: "give one expression per attribute", at: values.position("from"))
      return nil
    }
    guard let missing: MappedReference.Missing = values.choice("missing"),
      let members: MembersGiven = values.choice("members")
    else { return nil }
    return MappedReference(
      match: match, from: expressions, separator: values.text("separator"), onMissing: missing, members: members,
      isOptional: values.boolean("optional") ?? false)
  }

  private mutating func mappedKeyReference(_ values: SectionValues) -> MappedReference? {
    if values.text("separator") == "" {
      add("separator", "the separator is empty", at: values.position("separator"))
    }
    guard let node = values.nodes["key"], let key = expression(node, at: values.position("key")),
      let missing: MappedReference.Missing = values.choice("missing"),
      let members: MembersGiven = values.choice("members")
    else { return nil }
    return MappedReference(
      match: [], from: [key], isByRecordKey: true, separator: values.text("separator"), onMissing: missing,
      members: members, isOptional: values.boolean("optional") ?? false)
  }

  private mutating func mappedObjects(_ values: SectionValues, depth: Int) -> MappedObjects? {
    let map = values.nodes["map"].map { properties($0, at: values.position("map"), depth: depth + 1) } ?? []
    var from = values.text("from") ?? ""
    // Anything else is the path of a field, which may stand in backticks.
    let parsed = try? RecordExpressionParser.parseField(from)
    if from.hasPrefix("`"), case .field(let name)? = parsed?.root { from = name }
    let elements = parsed?.root.yieldsList == true ? parsed : nil
    guard let match = values.texts("match"), let members: MembersGiven = values.choice("members") else { return nil }
    checkRepeats(match, "match", values)
    checkAdded(map, match: match)
    if members == .add, match.isEmpty {
      add(
        "members", "\"members: add\" needs \"match\": without it each import would add the objects anew",
        at: values.position("members"))
    }
    return MappedObjects(
      from: elements == nil ? from : "", elements: elements, entity: values.text("entity"), match: match, map: map,
      members: members, isOptional: values.boolean("optional") ?? false, fieldPositions: values.positions)
  }

  /// Members are added to an object that is there, so the object needs a key.
  mutating func checkAdded(_ map: [MapEntry], match: [String]) {
    guard match.isEmpty else { return }
    for entry in map where entry.addsMembers {
      add(
        "members", "\(entry.property): \"members: add\" needs \"match\": without it every record is a new object",
        hint: "add match: with what tells the object that gets the members", at: entry.position)
    }
  }

  /// An expression: what a scalar says, YAML's own numbers, booleans and null as constants.
  mutating func expression(_ node: Node, at position: FilePosition) -> RecordExpression? {
    guard case .scalar(let scalar) = node else {
      add("type", "expected an expression, found \(node.kindName)", at: node.position)
      return nil
    }
    switch ScalarValue(scalar) {
    case .text(let text):
      do {
        return try RecordExpressionParser.parseField(text)
      } catch {
        // A column may have any name.
        let columns = sourceColumns()
        if columns.contains(text) { return RecordExpression(source: text, root: .field(text)) }
        add(
          "expression", "\(error.message), in the expression \(RecordExpressionFailure.quoted(text))",
          hint: Suggestion.nearest(to: text, among: columns.sorted()).map { "did you mean the column \"\($0)\"?" }
            ?? error.hint,
          at: yaml.position(inside: scalar, column: error.column))
        return nil
      }
    case .null where scalar.string.isEmpty:
      add(
        "type", "expected an expression, found nothing", hint: "write null for a value that is always null",
        at: position)
      return nil
    case .null, .boolean, .integer, .double, .unusableNumber:
      return constant(node, at: position, isLiteral: false)
    }
  }

  /// A constant as YAML has it.
  /// - Parameter isLiteral: whether only a constant is allowed there.
  private mutating func constant(_ node: Node, at position: FilePosition, isLiteral: Bool = true) -> RecordExpression? {
    guard case .scalar(let scalar) = node else {
      add("type", "expected a constant, found \(node.kindName)", at: node.position)
      return nil
    }
    let value: RecordExpressionValue
    switch ScalarValue(scalar) {
    case .null:
      guard !scalar.string.isEmpty else {
        add("type", "expected a constant, found nothing", hint: "write null, or \"\" for the empty text", at: position)
        return nil
      }
      value = .null
    case .boolean(let flag): value = .boolean(flag)
    case .integer(let integer): value = .integer(integer)
    case .double(let double): value = .double(double)
    case .text(let text): value = .string(text)
    case .unusableNumber:
      add("number", "the number \(scalar.string) is out of range", hint: "quote it when it is text", at: node.position)
      return nil
    }
    var expression = RecordExpression(source: scalar.string, root: .constant(value))
    expression.isLiteral = isLiteral
    return expression
  }
}
