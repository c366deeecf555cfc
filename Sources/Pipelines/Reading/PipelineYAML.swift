internal import Yams

/// The YAML of a pipeline file: its nodes, and where in the text they are.
struct PipelineYAML {
  /// Nil when the file is empty or could not be read as YAML.
  private(set) var root: Node?
  /// Keys that are given again later in the same mapping, by the position of the first.
  private(set) var repeatedKeys: [FilePosition: String] = [:]
  private(set) var problems: [(code: String, message: String, hint: String?, position: FilePosition)] = []
  private let lines: [[Unicode.Scalar]]

  static let maximumBytes = 4 << 20
  /// Repeated keys that are looked for in one file.
  private static let maximumRepeatedKeys = 100
  /// Nodes that are searched for NUL: as many as aliases may make of a file.
  private static let maximumSearchedNodes = 100_000

  init(_ text: String) {
    guard text.utf8.count <= Self.maximumBytes else {
      lines = []
      add("pipeline.too-large", "the file is larger than 4 MiB: that is no pipeline")
      return
    }
    // Columns are counted in scalars, as libYAML does.
    lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }.map { Array($0.unicodeScalars) }
    guard !text.unicodeScalars.contains("\0") else {
      add("pipeline.yaml", "the file holds a NUL character: that is no YAML")
      return
    }
    if let place = YAMLAliases.dangerousKey(in: lines) {
      add("pipeline.aliases", "aliases inside keys are not supported", nil, place)
      return
    }
    compose(text)
  }

  private mutating func add(
    _ code: String, _ message: String, _ hint: String? = nil, _ position: FilePosition = .init(line: 1, column: 1)
  ) {
    problems.append((code, message, hint, position))
  }

  /// Composes the text, again for every repeated key: Yams stops at the first, so its first scalar is swapped for one
  /// that no pipeline file has, in place, and the key is remembered.
  private mutating func compose(_ text: String) {
    var text = text
    for attempt in 0...Self.maximumRepeatedKeys {
      do {
        // The types of scalars are told apart by `ScalarValue`: Yams' own rules are patterns that take milliseconds to
        // compile.
        root = try Yams.compose(yaml: text, .basic)
        var budget = Self.maximumSearchedNodes
        if let place = root.flatMap({ Self.placeOfNUL($0, &budget) }) {
          add("pipeline.nul", "this text holds the NUL character, which no store takes", nil, place)
        }
        return
      } catch YamlError.duplicatedKeysInMapping(let keys, let context) {
        let position = FilePosition(line: context.mark.line, column: context.mark.column)
        guard attempt < Self.maximumRepeatedKeys, let key = keys.sorted().first,
          let changed = Self.hidingKey(in: text, at: position, number: attempt)
        else {
          add("pipeline.duplicate-key", "a key is given twice in one mapping", nil, position)
          return
        }
        repeatedKeys[position] = key
        text = changed
      } catch let error as YamlError {
        addSyntaxProblem(error, in: text)
        return
      } catch {
        add("pipeline.yaml", "not YAML: \(error)")
        return
      }
    }
  }

  /// Where the first scalar is that has NUL in it, by an escape.
  /// - Parameter budget: how many nodes may still be looked at, as aliases can multiply them without end.
  private static func placeOfNUL(_ node: Node, _ budget: inout Int) -> FilePosition? {
    budget -= 1
    if budget < 0 { return nil }
    switch node {
    case .scalar(let scalar):
      return scalar.string.utf8.contains(0) ? node.mark.map { FilePosition(line: $0.line, column: $0.column) } : nil
    case .mapping(let mapping):
      for (key, value) in mapping {
        if let place = placeOfNUL(key, &budget) ?? placeOfNUL(value, &budget) { return place }
      }
    case .sequence(let sequence):
      for element in sequence { if let place = placeOfNUL(element, &budget) { return place } }
    case .alias: break
    }
    return nil
  }

  private mutating func addSyntaxProblem(_ error: YamlError, in text: String) {
    switch error {
    case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
      .composer(let context, let problem, let mark, _):
      let line = max(1, min(mark.line, lines.count))
      let hint = lines[line - 1].contains("\t") ? "indent with spaces, not tabs" : Self.hint(for: problem)
      if context?.text.contains("quoted scalar") == true, let start = context?.mark, start.line != mark.line {
        add(
          "pipeline.yaml", "not YAML: the quote that opens here is never closed", "close the text with the same quote",
          FilePosition(line: start.line, column: start.column))
        return
      }
      let detail = context.map { " (\($0.text.trimmingSuffixSpaces()))" } ?? ""
      add(
        "pipeline.yaml", "not YAML: \(problem)\(detail)", hint,
        FilePosition(line: line, column: mark.line > lines.count ? 1 : mark.column))
    case .reader(let problem, let offset, _, _):
      add("pipeline.yaml", "not YAML: \(problem)", nil, position(ofCharacter: offset ?? 0, in: text))
    default:
      add("pipeline.yaml", "not YAML: \(error)")
    }
  }

  private static func hint(for problem: String) -> String {
    if problem.contains("mapping values are not allowed") {
      return "the line is indented too far, or its text holds a colon: put it in quotes"
    }
    if problem.contains("could not find expected ':'") { return "put a colon and a blank after the key" }
    if problem.contains("undefined alias") { return "name the value first, with &NAME; or put the text in quotes" }
    if problem.contains("another document") { return "remove the line ---: a pipeline is one document" }
    if problem.contains("did not find expected key") || problem.contains("block end")
      || problem.contains("did not find expected '-' indicator")
    {
      return "begin the keys of one mapping in the same column"
    }
    return "quote text that holds : # { } [ ], or begins with & * ! | > % @ ` - or a comma"
  }

  private func position(ofCharacter offset: Int, in text: String) -> FilePosition {
    let before = text.prefix(offset)
    let line = before.count { $0.isNewline } + 1
    let lastLine = before.lastIndex { $0.isNewline }.map { before[before.index(after: $0)...] } ?? before
    return FilePosition(line: line, column: lastLine.unicodeScalars.count + 1)
  }

  /// The text with one scalar of the key at a position changed to a private-use one.
  private static func hidingKey(in text: String, at position: FilePosition, number: Int) -> String? {
    guard let substitute = Unicode.Scalar(0xF_0000 + UInt32(number)) else { return nil }
    var scalars = text.unicodeScalars
    var index = scalars.startIndex
    var line = 1
    while line < position.line, index < scalars.endIndex {
      let scalar = scalars[index]
      index = scalars.index(after: index)
      if scalar == "\n" || (scalar == "\r" && (index == scalars.endIndex || scalars[index] != "\n")) { line += 1 }
    }
    guard line == position.line,
      let first = scalars.index(index, offsetBy: position.column - 1, limitedBy: scalars.endIndex),
      first < scalars.endIndex
    else { return nil }
    index = first
    if scalars[index] == "\"" || scalars[index] == "'" { index = scalars.index(after: index) }
    guard index < scalars.endIndex, scalars[index].properties.isAlphabetic || scalars[index] == "_" else { return nil }
    scalars.replaceSubrange(index...index, with: CollectionOfOne(substitute))
    return String(scalars)
  }

  /// The position of a place inside a scalar: exact where the scalar stands in the file as it is, else its start.
  func position(inside scalar: Node.Scalar, column: Int) -> FilePosition {
    guard let mark = scalar.mark, mark.line <= lines.count else { return FilePosition(line: 1, column: 1) }
    var start = mark.column - 1
    let line = lines[mark.line - 1]
    if scalar.style == .singleQuoted || scalar.style == .doubleQuoted { start += 1 }
    let text = Array(scalar.string.unicodeScalars)
    let isThere = start + text.count <= line.count && Array(line[start..<start + text.count]) == text
    return FilePosition(line: mark.line, column: isThere ? start + column : mark.column)
  }
}

extension Node {
  var position: FilePosition {
    FilePosition(line: mark?.line ?? 1, column: mark?.column ?? 1)
  }
}

extension String {
  fileprivate func trimmingSuffixSpaces() -> String {
    var text = self
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}

/// Looks for aliases where they would cost exponential time before anything could be counted: in mapping keys, which
/// the YAML reader hashes whole. Elsewhere the walk over the nodes is bounded.
enum YAMLAliases {
  /// Nested aliases multiply; fewer than this cannot make much.
  private static let harmless = 16

  /// The position of a key that may hold aliases, in a file that has many. Errs to the side of refusing.
  static func dangerousKey(in lines: [[Unicode.Scalar]]) -> FilePosition? {
    var aliases = 0
    var key: FilePosition?
    var quote: Unicode.Scalar?
    for (number, line) in lines.enumerated() {
      var before: Unicode.Scalar = " "
      for (column, scalar) in line.enumerated() {
        defer { before = scalar }
        if let open = quote {
          if scalar == open, before != "\\" { quote = nil }
          continue
        }
        let startsToken = " \t[{,:-?".unicodeScalars.contains(before)
        if startsToken, scalar == "\"" || scalar == "'" { quote = scalar }
        if startsToken, scalar == "#" { break }
        if startsToken, scalar == "*" { aliases += 1 }
        let isExplicitKey = startsToken && scalar == "?" && (column + 1 == line.count || line[column + 1] == " ")
        let rest = line[(column + 1)...].drop { $0 == " " }
        let endsFlowKey = (scalar == "]" || scalar == "}") && rest.first == ":"
        let aliasEnd = rest.drop {
          $0 == "_" || $0 == "-" || $0.properties.isAlphabetic || $0.properties.numericType != nil
        }
        let isAliasKey = startsToken && scalar == "*" && aliasEnd.drop { $0 == " " }.first == ":"
        if isExplicitKey || endsFlowKey || isAliasKey {
          key = key ?? FilePosition(line: number + 1, column: column + 1)
        }
      }
    }
    return aliases > harmless ? key : nil
  }
}
