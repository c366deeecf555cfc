import ObjectModel
internal import Yams

/// Reads mappings of a pipeline file against the specifications of their fields, and collects every mistake.
struct SectionReader {
  let file: String
  let yaml: PipelineYAML
  let environment: [String: String]
  let paths: ProjectPaths
  var problems: [PipelineProblem] = []
  /// The source of the step that is being read, for the names of its columns.
  var source: SourceSettings?
  /// Nodes still to be looked at: aliases can make a small file endless.
  private var nodesLeft = 100_000
  private var isExhausted = false

  init(file: String, yaml: PipelineYAML, environment: [String: String], paths: ProjectPaths) {
    self.file = file
    self.yaml = yaml
    self.environment = environment
    self.paths = paths
  }

  mutating func add(
    _ code: String, _ message: String, hint: String? = nil, at position: FilePosition,
    kind: PipelineProblem.Kind = .configuration
  ) {
    let problem = PipelineProblem(
      kind: kind, code: "pipeline.\(code)", message: message, hint: hint, file: file, position: position)
    // An alias shows the same mistake many times.
    if !problems.contains(problem) { problems.append(problem) }
  }

  /// Counts a node; false once the file has too many.
  private mutating func spend(at position: FilePosition) -> Bool {
    nodesLeft -= 1
    if nodesLeft < 0, !isExhausted {
      isExhausted = true
      add(
        "aliases", "the file has more than 100000 values once its aliases are followed",
        hint: "write out what the aliases stand for, or split the pipeline", at: position)
    }
    return !isExhausted
  }

  /// Refuses tags: types come from the specification. Not for keys, because comparing them has filled in their tags.
  private mutating func checkTag(of node: Node) {
    let tag: String
    var implied = ""
    switch node {
    case .scalar(let scalar):
      tag = scalar.tag.description
      if scalar.style != .plain { implied = "tag:yaml.org,2002:str" }
    case .mapping(let mapping): tag = mapping.tag.description
    case .sequence(let sequence): tag = sequence.tag.description
    case .alias: return
    }
    if !tag.isEmpty, tag != implied {
      add("tag", "tags are not supported", hint: "quote a value to make it text", at: node.position)
    }
  }

  /// The pairs of a mapping with text keys, repeated and odd keys reported.
  mutating func pairs(
    _ node: Node, what: String, hint: String? = nil
  ) -> [(key: String, keyPosition: FilePosition, value: Node)]? {
    guard spend(at: node.position) else { return nil }
    guard case .mapping(let mapping) = node else {
      add("type", "expected \(what), found \(node.kindName)", hint: hint, at: node.position)
      return nil
    }
    var pairs: [(key: String, keyPosition: FilePosition, value: Node)] = []
    var firstPositions: [String: FilePosition] = [:]
    for (key, value) in mapping {
      guard spend(at: key.position) else { return nil }
      guard case .scalar(let scalar) = key else {
        add("type", "expected a name, found \(key.kindName)", at: key.position)
        continue
      }
      checkTag(of: value)
      let name = yaml.repeatedKeys[key.position] ?? scalar.string
      if name == "<<", scalar.style == .plain {
        add("merge-key", "merge keys (<<) are not supported", hint: "write the fields out", at: key.position)
        continue
      }
      if let first = firstPositions[name] {
        add(
          "duplicate-key", "\"\(name)\" is given twice", hint: "the first is in line \(first.line)", at: key.position)
        continue
      }
      firstPositions[name] = key.position
      pairs.append((name, key.position, value))
    }
    return pairs
  }

  /// Checks a mapping's keys and the types of its values.
  mutating func section(_ section: PipelineSection, _ node: Node, suggesting: [String] = []) -> SectionValues? {
    guard let pairs = pairs(node, what: "a mapping", hint: Self.hint(for: node, as: section)) else { return nil }
    var result = SectionValues(section: section, position: node.position)
    let fields = section.fields
    let names = fields.map(\.name)
    var meant: Set<String> = []
    for (key, keyPosition, value) in pairs {
      guard let field = fields.first(where: { $0.name == key }) else {
        if let near = Suggestion.nearest(to: key, among: names) { meant.insert(near) }
        add(
          "unknown-key", "unknown key \"\(key)\"",
          hint: ForeignVocabulary.hint(forKey: key, among: names) ?? Suggestion.hint(
            for: key, among: names + suggesting)
            ?? "known here: \(names.joined(separator: ", "))", at: keyPosition)
        continue
      }
      // A missing value has its key's position, not that of the next token.
      result.positions[key] =
        value.scalar.map { $0.string.isEmpty && $0.style == .plain } == true
        ? keyPosition : value.position
      if Self.isReadFurther(field.type) {
        result.nodes[key] = value
      } else if let checked = self.value(value, field, at: result.position(key)) {
        result.values[key] = checked
        if field.type == .path { result.written[key] = value.scalar?.string }
      }
    }
    // One that is there under a misspelt name is not missing.
    for field in fields
    where field.whenMissing == .required && result.positions[field.name] == nil && !meant.contains(field.name) {
      add(
        "missing-key", "\"\(field.name)\" is missing", hint: "add \(field.name): \(field.example)", at: node.position)
    }
    return result
  }

  /// A hint for a value that is not a mapping.
  private static func hint(for node: Node, as section: PipelineSection) -> String? {
    let name = section == .store || section == .rejects ? "\(section.title): " : ""
    switch node {
    case .scalar(let scalar):
      let field = section.fields.first { $0.whenMissing == .required } ?? section.fields.first
      guard let field, !scalar.string.isEmpty else { return nil }
      if section == .rejects, Int(scalar.string) != nil { return "write rejects: { limit: \(scalar.string) }" }
      return "write \(name){ \(field.name): \(scalar.string) }"
    case .sequence:
      return section == .source
        ? "a step reads one source: name several files with a pattern such as products-*.csv, or write a step for each"
        : "write its keys without \"- \" before them"
    case .mapping, .alias: return nil
    }
  }

  private static func isReadFurther(_ type: FieldType) -> Bool {
    switch type {
    case .section, .pathOrSection, .sections, .namedSections, .textsOrSections, .properties, .expression, .expressions,
      .constant:
      true
    case .text, .path, .boolean, .integer, .number, .percentage, .countOrPercentage, .character, .characters, .choice,
      .texts,
      .names:
      false
    }
  }

  /// The items of a list.
  mutating func items(_ node: Node, what: String) -> [Node] {
    guard spend(at: node.position) else { return [] }
    guard case .sequence(let sequence) = node else {
      let isMapping = if case .mapping = node { true } else { false }
      add(
        "type", "expected \(what), found \(node.kindName)",
        hint: isMapping ? "put \"- \" before the first key of each" : "write [\(node.scalar?.string ?? "...")]",
        at: node.position)
      return []
    }
    var items: [Node] = []
    for item in sequence {
      guard spend(at: item.position) else { return [] }
      checkTag(of: item)
      items.append(item)
    }
    return items
  }

  /// A scalar's text with its variables put in, and what type it then has.
  mutating func expanded(_ node: Node) -> (expansion: EnvironmentExpansion, value: ScalarValue)? {
    guard case .scalar(let scalar) = node else { return nil }
    do {
      let expansion = try EnvironmentExpansion(scalar.string, environment: environment)
      // YAML needs quotes around braces, so quotes around a variable do not make its value text.
      let hasVariable = expansion.text != scalar.string
      return (expansion, ScalarValue(expansion.text, style: hasVariable ? .plain : scalar.style))
    } catch {
      let column = node.scalar.flatMap { Self.column(of: "${", in: $0.string) } ?? 1
      let position = node.scalar.map { yaml.position(inside: $0, column: column) } ?? node.position
      add("environment", error.message, hint: error.hint, at: position)
      return nil
    }
  }

  private static func column(of mark: String, in text: String) -> Int? {
    text.firstRange(of: mark).map { text.unicodeScalars.distance(from: text.startIndex, to: $0.lowerBound) + 1 }
  }

  /// Checks a value of a simple type; nil when a problem was reported.
  private mutating func value(_ node: Node, _ field: FieldSpec, at position: FilePosition) -> FieldValue? {
    if field.type == .texts || field.type == .names { return texts(node, field, at: position).map(FieldValue.texts) }
    let problemsBefore = problems.count
    guard spend(at: position) else { return nil }
    guard let (expansion, scalar) = expanded(node) else {
      if problems.count == problemsBefore { addTypeProblem(field, found: node.kindName, at: position) }
      return nil
    }
    switch (field.type, scalar) {
    case (_, .null) where field.whenMissing.allowsNull && !expansion.text.isEmpty: return .null
    case (.text, .text(let text)): return .text(text)
    case (.text, .integer), (.text, .double), (.text, .boolean), (.text, .unusableNumber): return .text(expansion.text)
    case (.text, .null), (.path, .null):
      // An empty text in quotes, or what a variable made of one, is text; nothing at all is not.
      if node.scalar?.string.isEmpty == false, expansion.text != node.scalar?.string { return .text(expansion.text) }
    case (.path, .text), (.path, .integer), (.path, .double): return .text(expansion.text)
    case (.boolean, .boolean(let flag)): return .boolean(flag)
    case (.integer(let minimum), .integer(let integer)):
      if integer >= minimum, let value = Int(exactly: integer) { return .integer(value) }
    case (.number(let range), .integer(let integer)):
      if range.contains(Double(integer)) { return .number(Double(integer)) }
    case (.number(let range), .double(let double)):
      if range.contains(double) { return .number(double) }
    case (.countOrPercentage, .integer(let integer)):
      if integer >= 0, let value = Int(exactly: integer) { return .integer(value) }
    case (.percentage, .text(let text)), (.countOrPercentage, .text(let text)):
      if text.hasSuffix("%"), let number = Self.number(text.dropLast()), (0...100).contains(number) {
        return .percentage(number)
      }
    case (.character(let allowsNull), .null):
      if allowsNull { return .null }
    case (.character, .text), (.character, .integer):
      if let byte = expansion.text.utf8.first, expansion.text.utf8.count == 1, byte < 0x80, byte != 10, byte != 13,
        byte != 0
      {
        return .character(byte)
      }
    case (.characters, .text(let text)) where text.hasPrefix("\\") && text.count > 1 && Self.escapes[text] != nil:
      add(
        "type", "\"\(field.name)\" is the two characters \(text): only double quotes make one of them",
        hint: "write \(field.name): \"\(text)\"", at: position)
      return nil
    case (.characters, .text), (.characters, .integer):
      let bytes = Array(expansion.text.utf8)
      let isUsable = bytes.allSatisfy { $0 < 0x80 && $0 != 10 && $0 != 13 && $0 != 0 }
      if let meant = Self.characterNames[expansion.text.lowercased()] {
        add(
          "type", "\"\(field.name)\" is the character itself, not its name \"\(expansion.text)\"",
          hint: "write \(field.name): \(meant)", at: position)
        return nil
      }
      if (1...8).contains(bytes.count), isUsable { return .text(expansion.text) }
    case (.choice(let words), _):
      if words.contains(expansion.text) { return .text(expansion.text) }
      if let word = ForeignVocabulary.synonym(expansion.text, of: field), words.contains(word) { return .text(word) }
      add(
        "choice",
        "\"\(expansion.text)\" is not allowed for \"\(field.name)\": expected \(words.joined(separator: ", "))",
        hint: ForeignVocabulary.hint(forValue: expansion.text, of: field)
          ?? Suggestion.hint(for: expansion.text, among: words), at: position)
      return nil
    default: break
    }
    addTypeProblem(
      field, found: scalar == .null ? "nothing" : "\"\(expansion.text)\"",
      hint: ForeignVocabulary.hint(forValue: expansion.text, of: field), at: position)
    return nil
  }

  /// Names of characters that stand between fields, and how the characters are written.
  private static let characterNames = [
    "tab": "\"\\t\"", "comma": "\",\"", "semicolon": "\";\"", "pipe": "\"|\"", "space": "\" \"", "colon": "\":\"",
  ]

  /// The escapes that YAML reads as one character in double quotes only.
  private static let escapes = ["\\t": "a tab", "\\x1f": "a unit separator", "\\u001f": "a unit separator"]

  private static func number(_ text: Substring) -> Double? {
    switch ParsedNumber.read(String(text)) {
    case .integer(let integer): Double(integer)
    case .double(let double): double
    case .outOfRange, .notANumber: nil
    }
  }

  private mutating func addTypeProblem(
    _ field: FieldSpec, found: String, hint: String? = nil, at position: FilePosition
  ) {
    let expected = field.type.name.replacing("`", with: "")
    add(
      "type", "expected \(expected) for \"\(field.name)\", found \(found)",
      hint: hint ?? "for example \(field.name): \(field.example)",
      at: position)
  }

  private mutating func texts(_ node: Node, _ field: FieldSpec, at position: FilePosition) -> [String]? {
    let nodes: [Node]
    switch node {
    case .sequence: nodes = items(node, what: "a list")
    case .scalar: nodes = [node]
    case .mapping, .alias:
      addTypeProblem(field, found: node.kindName, at: position)
      return nil
    }
    var texts: [String] = []
    var isComplete = true
    for item in nodes {
      if field.type == .names, case .scalar = item, expanded(item)?.value == .null {
        texts.append("")
        continue
      }
      let itemPosition = nodes.count == 1 && node.scalar != nil ? position : item.position
      let one = FieldSpec(field.name, .text, .required, field.documentation, example: field.example)
      if case .text(let text)? = value(item, one, at: itemPosition) { texts.append(text) } else { isComplete = false }
    }
    return isComplete ? texts : nil
  }

  /// The absolute path of a field; `-` only where it is allowed.
  mutating func path(
    _ values: SectionValues, _ name: String, allowsStandardStream: Bool = false, for use: ProjectPaths.Use = .file
  ) -> String? {
    guard let (expansion, position) = pathExpansion(values, name) else { return nil }
    if expansion.text == "-" {
      if allowsStandardStream { return "-" }
      add("path", "\"\(name)\" cannot be a standard stream (-)", at: position)
      return nil
    }
    do {
      return try paths.resolve(expansion, for: use)
    } catch {
      add("path", error.message, hint: error.hint, at: position, kind: error.kind)
      return nil
    }
  }

  /// The expansion that the field's path came from, and where it is.
  func pathExpansion(_ values: SectionValues, _ name: String) -> (EnvironmentExpansion, FilePosition)? {
    guard values.text(name) != nil, let written = values.written[name],
      let expansion = try? EnvironmentExpansion(written, environment: environment)
    else { return nil }
    return (expansion, values.position(name))
  }

  /// A mapping, or a path alone that stands for a mapping with nothing but `path`.
  mutating func pathOrSection(_ section: PipelineSection, _ node: Node) -> SectionValues? {
    guard case .scalar(let scalar) = node, let field = section.fields.first(where: { $0.name == "path" }) else {
      return self.section(section, node)
    }
    var values = SectionValues(section: section, position: node.position)
    values.positions["path"] = node.position
    values.written["path"] = scalar.string
    guard let path = value(node, field, at: node.position) else { return nil }
    values.values["path"] = path
    return values
  }
}
