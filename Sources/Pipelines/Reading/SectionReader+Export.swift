internal import Yams

extension SectionReader {
  mutating func exportStep(_ node: Node) -> ExportStep? {
    guard let values = section(.exportStep, node) else { return nil }
    let to = path(values, "to", allowsStandardStream: true, for: .target)
    let columns = values.nodes["columns"].map { self.columns($0) } ?? []
    let order = values.nodes["order"].map { self.orders($0) } ?? []
    let format = to.flatMap {
      self.format(values, path: $0, at: values.position("to"), known: ExportStep.Format.byEnding)
    }
    guard let entity = values.text("entity"), let to, let format, let isSafe = values.boolean("safe-for-spreadsheets"),
      let hasMark = values.boolean("bom")
    else { return nil }
    let step = ExportStep(
      entity: entity, to: to, format: format, columns: columns, order: order, safeForSpreadsheets: isSafe,
      position: values.position, fieldPositions: values.positions, predicate: values.text("where"),
      limit: values.integer("limit"), delimiter: values.character("delimiter"), hasByteOrderMark: hasMark)
    checkTextFields(values, of: step)
    return step
  }

  /// Fields that mean nothing for the format, and a file whose name promises another format.
  private mutating func checkTextFields(_ values: SectionValues, of step: ExportStep) {
    if step.format == .ndjson {
      for name in ["delimiter", "bom", "safe-for-spreadsheets"] where values.positions[name] != nil {
        add(
          "useless-key", "\"\(name)\" means nothing for format ndjson", hint: "remove it", at: values.position(name))
      }
    } else if !ExportStep.canDelimit(step.fieldDelimiter) {
      add(
        "delimiter", "the delimiter of an export can be no quote, and no letter, digit or sign that numbers have",
        hint: "for example delimiter: \";\"",
        at: values.position("delimiter"))
    } else if step.format == .tsv, step.fieldDelimiter != UInt8(ascii: "\t") {
      add(
        "delimiter", "tsv has tabs between the fields", hint: "state format: csv", at: values.position("delimiter"))
    }
    if let mismatch = step.nameMismatch {
      add("output-name", "\"to\" names \(mismatch.message)", hint: mismatch.hint, at: values.position("to"))
    }
  }

  private mutating func columns(_ node: Node) -> [ExportStep.Column] {
    var columns: [ExportStep.Column] = []
    var names: Set<String> = []
    for item in items(node, what: "a list of columns") {
      guard let column = column(item) else { continue }
      if !names.insert(column.name).inserted {
        add(
          "repeated", "there are two columns \"\(column.name)\"",
          hint: "give one another title: { name: ..., value: ... }",
          at: item.position)
      }
      columns.append(column)
    }
    return columns
  }

  private mutating func column(_ node: Node) -> ExportStep.Column? {
    if let (text, position) = itemText(node) {
      return keyPath(text, at: position).map { ExportStep.Column(name: text, keyPath: $0, position: position) }
    }
    guard let values = section(.column, node), let name = values.text("name"), let value = values.text("value"),
      let keyPath = keyPath(value, at: values.position("value"))
    else { return nil }
    return ExportStep.Column(name: name, keyPath: keyPath, position: values.position("value"))
  }

  private mutating func orders(_ node: Node) -> [ExportStep.Order] {
    items(node, what: "a list of attributes").compactMap { item in
      if let (text, position) = itemText(item) {
        let isDescending = text.hasPrefix("-")
        return keyPath(isDescending ? String(text.dropFirst()) : text, at: position).map {
          ExportStep.Order(keyPath: $0, isAscending: !isDescending, position: position)
        }
      }
      guard let values = section(.order, item), let by = values.text("by"), let direction = values.text("direction"),
        let keyPath = keyPath(by, at: values.position("by"))
      else { return nil }
      return ExportStep.Order(
        keyPath: keyPath, isAscending: direction == "ascending", position: values.position("by"))
    }
  }

  /// The text of a list's item, nil for anything but a scalar.
  private mutating func itemText(_ node: Node) -> (String, FilePosition)? {
    guard case .scalar = node, let (expansion, _) = expanded(node) else { return nil }
    return (expansion.text, node.position)
  }

  private mutating func keyPath(_ text: String, at position: FilePosition) -> [String]? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.allSatisfy({ !$0.isEmpty }) else {
      add(
        "key-path", "\"\(text)\" is no path of properties", hint: "write names with dots between, such as parent.name",
        at: position)
      return nil
    }
    return parts
  }
}
