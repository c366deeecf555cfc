/// A diagram as the text of Mermaid's `erDiagram`.
///
/// The names of entities are quoted and all other text is kept to characters that Mermaid's parser takes, so that no
/// name can be read as a keyword or a directive.
struct MermaidText {
  private let content: DiagramContent
  private let title: String

  init(_ content: DiagramContent, title: String) {
    self.content = content
    self.title = title
  }

  func text() -> String {
    var output = "---\ntitle: \"\(Self.plain(title))\"\n---\nerDiagram\n"
    for box in content.boxes {
      let attributes = box.rows.filter { $0.kind == .attribute }
      output += "    \"\(box.name)\""
      if attributes.isEmpty {
        output += "\n"
        continue
      }
      output += " {\n"
      for row in attributes { output += "        " + line(of: row) + "\n" }
      output += "    }\n"
    }
    for line in content.lines {
      let (from, to) = (content.boxes[line.from.box].name, content.boxes[line.to.box].name)
      switch line.kind {
      case .inheritance:
        output += "    \"\(from)\" ||--o| \"\(to)\" : \"is a\"\n"
      case .relationship:
        let names = [line.from, line.to].compactMap { end in end.row.map { content.boxes[end.box].rows[$0].name } }
        // The line of a relationship without inverse is dotted.
        let dash = line.from.count == nil || line.to.count == nil ? ".." : "--"
        output += "    \"\(from)\" \(Self.left(line.from.count))\(dash)\(Self.right(line.to.count)) \"\(to)\""
        output += " : \"\(names.joined(separator: " / "))\"\n"
      }
    }
    return output
  }

  private func line(of row: DiagramContent.Row) -> String {
    let isOptional = row.type.hasSuffix("?")
    let name = Self.word(row.name)
    var notes: [String] = []
    if name != row.name { notes.append(row.name) }
    if row.depth > 0 { notes.append("element") }
    if isOptional { notes.append("optional") }
    notes += row.notes.map(Self.plain)
    var text = Self.word(isOptional ? String(row.type.dropLast()) : row.type) + " " + name
    if row.isUnique { text += " UK" }
    if !notes.isEmpty { text += " \"\(notes.joined(separator: ", "))\"" }
    return text
  }

  /// A word that can be a type or a name of an attribute. The names of keys are keywords, in either case.
  private static func word(_ text: String) -> String {
    let kept = text.unicodeScalars.filter { $0 != " " }.map { scalar in
      let isPlain =
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar) || scalar == "_"
        || (0xC0...0xD7FF).contains(scalar.value)
      return isPlain ? Character(scalar) : "_"
    }
    let word = String(kept)
    return ["pk", "fk", "uk"].contains(word.lowercased()) ? word + "_" : word
  }

  /// Text for between quotes.
  private static func plain(_ text: String) -> String {
    String(
      text.unicodeScalars.map { scalar in
        let isPlain =
          scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
          || " ._,:()@=+-*/<>".unicodeScalars.contains(scalar)
        return isPlain ? Character(scalar) : " "
      })
  }

  private static func left(_ count: DiagramContent.Count?) -> String {
    switch count {
    case .zeroOrOne: "|o"
    case .exactlyOne: "||"
    case .oneOrMore: "}|"
    case .zeroOrMore, nil: "}o"
    }
  }

  private static func right(_ count: DiagramContent.Count?) -> String {
    switch count {
    case .zeroOrOne: "o|"
    case .exactlyOne: "||"
    case .oneOrMore: "|{"
    case .zeroOrMore, nil: "o{"
    }
  }
}
