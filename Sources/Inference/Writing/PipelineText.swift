import Foundation
import ImportEngine
import ObjectModel
import Pipelines
import SeedFormats

/// The text of a pipeline file, with a comment behind each decision.
struct PipelineText {
  /// Where things are, as the pipeline file names them.
  struct Places {
    var model: String
    var modelVersion: String?
    var store: String
    /// The folder of rejects and exports.
    var build: String
    /// How the pipeline names each file, by the path as it was given.
    var files: [String: String]
    /// How the pipeline file is called on the command line.
    var pipeline: String
  }

  static let schemaName = "pipeline.schema.json"

  let steps: [PipelineStep]
  let places: Places
  let notes: [String]
  let addsExports: Bool

  var text: String {
    var lines = [
      "# yaml-language-server: $schema=\(Self.schemaName)",
      "# Made by seedbed init. Each comment says why its line is as it is: correct what you know better.", "#",
      "#   seedbed lint \(Self.oneLine(places.pipeline))", "#   seedbed run \(Self.oneLine(places.pipeline))",
    ]
    if !notes.isEmpty {
      lines += ["#", "# What the store or an export has otherwise than the files:"]
      lines += notes.map { "#   \(Self.oneLine($0))" }
    }
    lines += ["", "model: \(model)", "store: { path: \(YAMLText.quotedPath(places.store)) }"]
    lines += rejects
    lines += ["", steps.allSatisfy(\.isCommentedOut) ? "import: []" : "import:"]
    for (index, step) in steps.enumerated() {
      if index > 0 { lines.append("") }
      lines += text(of: step)
    }
    if addsExports { lines += exports }
    return lines.joined(separator: "\n") + "\n"
  }

  private var model: String {
    let path = YAMLText.quotedPath(places.model)
    return places.modelVersion.map { "{ path: \(path), version: \(YAMLText.name($0)) }" } ?? path
  }

  private var rejects: [String] {
    let count = steps.reduce(0) { $0 + ($1.isCommentedOut ? 0 : $1.list.rejectCount) }
    guard count > 0 else { return [] }
    return [
      "rejects:", "  file: \(YAMLText.quotedPath(places.build + "/rejects.csv"))",
      "  limit: \(count)  # so many records cannot be taken; without a limit the first one ends the run",
    ]
  }

  // MARK: Steps

  private func text(of step: PipelineStep) -> [String] {
    let lines = plainText(of: step)
    guard step.isCommentedOut else { return lines }
    return lines.map { $0.hasPrefix("  #") ? $0 : "  # " + $0.dropFirst(2) }
  }

  private func plainText(of step: PipelineStep) -> [String] {
    let count = step.list.count
    var lines = ["  # \(Self.oneLine(step.list.title)): \(count.counted("record"))"]
    lines += step.list.form.notes.filter { $0.hasPrefix("file: ") }.map {
      "  # \(Self.oneLine(String($0.dropFirst(6))))"
    }
    lines += step.list.form.notes.filter { $0.hasPrefix("names: ") }.map {
      "  # \(Self.oneLine(String($0.dropFirst(7))))"
    }
    lines += step.comments.map { "  # \(Self.oneLine($0))" }
    lines += source(of: step.list)
    lines.append("    entity: \(YAMLText.name(step.entity))")
    if !step.match.isEmpty {
      let names = step.match.map(YAMLText.name).joined(separator: ", ")
      lines.append("    match: [\(names)]" + comment(step.matchComment))
    }
    let isEmpty = step.lines.allSatisfy(\.isCommentedOut)
    lines.append(isEmpty ? "    map: {}" : "    map:")
    lines += map(step.lines, indent: "      ")
    return lines
  }

  private func source(of list: RecordList) -> [String] {
    let options = list.form.options
    let path = YAMLText.quotedPath(places.files[list.path] ?? list.path)
    var settings: [(key: String, value: String)] = []
    let named = FileFormatSniffer.format(named: list.path)
    if named?.word != list.form.word { settings.append(("format", list.form.word)) }
    if let encoding = Self.word(options.encoding) { settings.append(("encoding", encoding)) }
    switch options.format {
    case .csv:
      // Only settings are written that `format: csv`, or `tsv` by name, does not imply.
      let usual = named?.word == "csv" ? named?.delimiter ?? UInt8(ascii: ",") : UInt8(ascii: ",")
      if options.delimiter != usual || !options.delimiterRest.isEmpty, !options.honorsSeparatorLine {
        let text = String(decoding: [options.delimiter] + options.delimiterRest, as: UTF8.self)
        settings.append(
          ("delimiter", text.utf8.count > 1 ? YAMLText.quoted(text) : Self.character(options.delimiter)))
      }
      if options.quote != UInt8(ascii: "\"") { settings.append(("quote", Self.character(options.quote))) }
      if let escape = options.escape { settings.append(("escape", Self.character(escape))) }
      if options.skippedLines > 0 { settings.append(("skip-lines", String(options.skippedLines))) }
      if let mark = options.comment { settings.append(("comment", Self.character(mark))) }
      if !options.hasHeader { settings.append(("header", "false")) }
      if let columns = options.columns {
        settings.append(
          ("columns", "[" + columns.map { $0.isEmpty ? "null" : YAMLText.name($0) }.joined(separator: ", ") + "]"))
      }
    case .json:
      if !options.pointer.isEmpty || list.isWholeDocument {
        settings.append(("pointer", YAMLText.quoted(options.pointer)))
      }
      if let field = options.keyedBy { settings.append(("keyed-by", YAMLText.name(field))) }
      if options.isLenient { settings.append(("lenient", "true")) }
    case .ndjson: break
    }
    guard !settings.isEmpty else { return ["  - from: \(path)"] }
    var lines = ["  - from:", "      path: \(path)"]
    for setting in settings {
      let note = list.form.notes.first { $0.hasPrefix(setting.key + ": ") }
      lines.append(
        "      \(setting.key): \(setting.value)"
          + comment(note.map { String($0.dropFirst(setting.key.count + 2)) } ?? ""))
    }
    return lines
  }

  private static func word(_ encoding: FormatOptions.Encoding) -> String? {
    switch encoding {
    case .automatic, .utf8: nil
    case .utf16: "utf-16"
    case .utf16LittleEndian: "utf-16le"
    case .utf16BigEndian: "utf-16be"
    case .latin1: "latin-1"
    case .windows1252: "windows-1252"
    }
  }

  private static func character(_ byte: UInt8?) -> String {
    guard let byte else { return "null" }
    return byte == 0x09 ? "\"\\t\"" : YAMLText.quoted(String(UnicodeScalar(byte)))
  }

  private func map(_ lines: [PipelineStep.Line], indent: String) -> [String] {
    let heads = lines.map { line -> String in
      let mark = line.isCommentedOut && line.inside == nil ? "# " : ""
      return indent + mark + YAMLText.name(line.property) + ":" + (line.inside == nil ? " " + line.value : "")
    }
    // Comments of neighbours stand below each other as far as lines are short.
    let width = min(heads.map(\.count).filter { $0 <= 60 }.max() ?? 0, 60)
    var text: [String] = []
    for (line, head) in zip(lines, heads) {
      let gap = String(repeating: " ", count: max(width - head.count, 0))
      text.append(head + (line.comment.isEmpty ? "" : gap + comment(line.comment)))
      guard let inside = line.inside else { continue }
      let start = text.count - 1
      text.append(indent + "  from: " + line.value)
      if !line.match.isEmpty {
        text.append(indent + "  match: [\(line.match.map(YAMLText.name).joined(separator: ", "))]")
      }
      text.append(indent + "  map:")
      text += map(inside, indent: indent + "    ")
      guard line.isCommentedOut else { continue }
      for index in start..<text.count { text[index] = indent + "# " + text[index].dropFirst(indent.count) }
    }
    return text
  }

  private func comment(_ text: String) -> String { text.isEmpty ? "" : "  # " + Self.oneLine(text) }

  /// YAML ends a comment at every kind of line end.
  static func oneLine(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          switch scalar.value {
          case ..<0x20, 0x7F...0x9F, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF: " "
          default: scalar
          }
        }))
  }

  // MARK: Exports

  private var exports: [String] {
    var lines = ["", "# The files again, out of the store.", "export:"]
    var names: Set<String> = []
    for step in steps where !step.columns.isEmpty && !step.isCommentedOut {
      var name = step.list.name
      while !names.insert(name.lowercased()).inserted { name += "-2" }
      let file = places.build + "/" + name + (step.list.isJSON ? ".ndjson" : ".csv")
      lines += ["  - entity: \(YAMLText.name(step.entity))", "    to: \(YAMLText.quotedPath(file))", "    columns:"]
      lines += step.columns.map { column in
        "      - { name: \(YAMLText.quoted(column.name)), value: \(YAMLText.name(column.value)) }"
      }
    }
    return lines.count > 3 ? lines : []
  }
}

extension YAMLText {
  /// A path as it is where it holds nothing that YAML, patterns or variables take for more.
  static func quotedPath(_ path: String) -> String {
    let isPlain = path.utf8.allSatisfy { byte in
      byte.isDigit || byte.isLetter || "./_-".utf8.contains(byte)
    }
    return isPlain && !path.hasPrefix("-") ? path : quoted(path)
  }
}
