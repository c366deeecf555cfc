import SeedFormats
internal import Yams

extension SectionReader {
  mutating func importStep(_ node: Node) -> ImportStep? {
    guard let values = section(.importStep, node) else { return nil }
    let source = values.nodes["from"].flatMap { sourceSettings($0) }
    self.source = source
    defer { self.source = nil }
    let condition = values.nodes["where"].flatMap { expression($0, at: values.position("where")) }
    let key = values.nodes["key"].flatMap { expression($0, at: values.position("key")) }
    let expectation = values.nodes["expect"].flatMap { stepExpectation($0) }
    // Objects of an entity without properties are restored too.
    let allowsNone = values.text("strategy") == ImportStep.Strategy.restore.rawValue
    let map =
      values.nodes["map"].map { properties($0, at: values.position("map"), allowsNone: allowsNone) } ?? []
    if let match = values.texts("match") { checkRepeats(match, "match", values) }
    guard let source, let entity = values.text("entity"), let match = values.texts("match"),
      let strategy: ImportStep.Strategy = values.choice("strategy"),
      let onMatch: ImportStep.OnMatch = values.choice("on-match"),
      let duplicates: ImportStep.Duplicates = values.choice("duplicates")
    else { return nil }
    checkAdded(map, match: match)
    if map.contains(where: \.addsMembers) {
      if onMatch != .update {
        add(
          "members", "\"on-match: \(onMatch.rawValue)\" and \"members: add\" contradict each other",
          hint: "remove on-match, or put the members into a step of their own", at: values.position("on-match"))
      }
      if duplicates != .last {
        add(
          "members",
          "\"duplicates: \(duplicates.rawValue)\" and \"members: add\" contradict each other: every record counts",
          hint: "remove duplicates, or put the members into a step of their own", at: values.position("duplicates"))
      }
    }
    return ImportStep(
      name: values.text("name") ?? entity, source: source, entity: entity, match: match, key: key,
      strategy: strategy, onMatch: onMatch, duplicates: duplicates, condition: condition, map: map,
      expectation: expectation,
      position: values.position,
      fieldPositions: values.positions)
  }

  /// The columns of the step's source, as far as they can be read now. For a text that is no expression.
  func sourceColumns() -> Set<String> {
    guard let source, let path = source.paths.first, !SourceKind(path).isStream else { return [] }
    return (try? source.columns(in: [SourceFile(path: path, name: path)])) ?? []
  }

  mutating func checkRepeats(_ texts: [String], _ name: String, _ values: SectionValues) {
    var seen: Set<String> = []
    for text in texts where !seen.insert(text).inserted {
      add("repeated", "\"\(text)\" is given twice in \"\(name)\"", at: values.position(name))
    }
  }

  mutating func sourceSettings(_ node: Node) -> SourceSettings? {
    guard let values = pathOrSection(.source, node) else { return nil }
    checkDates(format: values.text("dates"), zone: values.text("time-zone"), values, formatField: "dates")
    if let pointer = values.text("pointer"), !pointer.isEmpty, !pointer.hasPrefix("/") {
      add(
        "pointer", "\"\(pointer)\" is not a JSON Pointer", hint: "write /\(pointer.replacing(".", with: "/"))",
        at: values.position("pointer"))
    }
    // Columns that are not mapped need no names.
    if let columns = values.texts("columns") { checkRepeats(columns.filter { !$0.isEmpty }, "columns", values) }
    guard let (expansion, position) = pathExpansion(values, "path") else { return nil }
    let paths = inputPaths(expansion, at: position)
    // A URL has been reported already.
    let isPath = paths != nil || values.positions["format"] != nil || !UnexpectedFileText.isURL(expansion.text)
    let format =
      isPath
      ? format(
        values, path: paths?.first ?? expansion.text, at: position, known: Self.sourceFormats, file: paths?.first,
        named: expansion.text, readsArchives: true) : nil
    // A document's rejects are lines, which no pointer leads into.
    let isOfRejects = format?.isJSON == true && paths.map(RejectFormat.areJSONRejects) == true
    if let format, !isOfRejects { checkFields(values, of: format) }
    guard let format = isOfRejects ? .ndjson : format, let paths,
      let encoding: SourceSettings.Encoding = values.choice("encoding"),
      let hasHeader = values.boolean("header"), let timeZone = values.text("time-zone"),
      let pointer = isOfRejects ? "" : values.text("pointer")
    else { return nil }
    let stated = values.text("delimiter").map { Array($0.utf8) }
    let delimiter = stated?.first ?? UInt8(ascii: format == .tsv ? "\t" : ",")
    checkCharacters(values, delimiter: delimiter)
    if let quote = values.character("quote"), stated?.dropFirst().contains(quote) == true {
      add("same-character", "the quote is part of \"delimiter\"", at: values.position("delimiter"))
    }
    if !hasHeader, values.texts("columns") == nil, format == .csv || format == .tsv {
      add(
        "missing-key", "\"columns\" is missing: without a header the columns have no names",
        hint: "add columns: [id, name]", at: values.position("header"))
    }
    let isText = format == .csv || format == .tsv
    var settings = SourceSettings(
      paths: paths, written: values.written["path"] ?? expansion.text, format: format, encoding: encoding,
      delimiter: delimiter, quote: values.character("quote"), escape: values.character("escape"),
      comment: values.character("comment"), hasHeader: hasHeader, columns: values.texts("columns"),
      optionalColumns: values.texts("optional") ?? [], pointer: pointer,
      statesPointer: values.positions["pointer"] != nil,
      nulls: values.texts("nulls") ?? (isText ? [""] : []), dateFormat: values.text("dates"), timeZone: timeZone,
      position: values.position)
    settings.delimiterRest = Array(stated?.dropFirst() ?? [])
    settings.honorsSeparatorLine = isText && stated == nil
    settings.skippedLines = values.integer("skip-lines") ?? 0
    settings.isLenient = values.boolean("lenient") ?? false
    // Rejected records have the field.
    settings.keyedBy = isOfRejects ? nil : values.text("keyed-by")
    if settings.keyedBy == "" { add("keyed-by", "\"keyed-by\" is empty", at: values.position("keyed-by")) }
    if settings.keyedBy == KeyedRecord.valueField {
      add(
        "keyed-by", "\"value\" is the field of values that are no objects", hint: "choose another name, such as id",
        at: values.position("keyed-by"))
    }
    return settings
  }

  private mutating func inputPaths(_ expansion: EnvironmentExpansion, at position: FilePosition) -> [String]? {
    if expansion.text == "-" { return ["-"] }
    do {
      return try paths.files(expansion)
    } catch {
      let code = error.kind == .missing ? "no-match" : "path"
      add(code, error.message, hint: error.hint, at: position, kind: error.kind)
      return nil
    }
  }

  private static let sourceFormats: [String: SourceSettings.Format] = [
    "csv": .csv, "txt": .csv, "tsv": .tsv, "tab": .tsv, "json": .json, "ndjson": .ndjson, "jsonl": .ndjson,
    "plist": .plist,
  ]

  private static let readKinds = ["a zip archive", "packed with zstd", "packed with gzip"]

  /// The format given, or the one that the name of the file tells, or that of the only member of an archive.
  mutating func format<Format: RawRepresentable<String> & CaseIterable>(
    _ values: SectionValues, path: String, at position: FilePosition, known: [String: Format], file: String? = nil,
    named name: String? = nil, readsArchives: Bool = false
  ) -> Format? {
    // A wrong word has been reported already.
    if values.positions["format"] != nil, values.values["format"] != .null { return values.choice("format") }
    if let format = FilePath.ending(path).flatMap({ known[$0] }) { return format }
    // An archive's member and compressed text are read; only the format is not known then.
    if let file, let nature = UnexpectedFileText(file), !readsArchives || !Self.readKinds.contains(nature.name) {
      let isFolder = nature.name == "a folder"
      add(
        "format", "\(name ?? path) is \(nature.name), not CSV, TSV, JSON or NDJSON",
        hint: isFolder
          ? "name a file in it, or several with a pattern such as \(name ?? path)/*.csv"
          : nature.hint ?? "add format: \(Format.words.joined(separator: ", or "))", at: position,
        kind: isFolder ? .missing : .configuration)
      return nil
    }
    if readsArchives, ZipArchive.isArchive(path: path) {
      do {
        if let format = try FilePath.ending(ZipArchive(path: path).onlyMember().name).flatMap({ known[$0] }) {
          return format
        }
      } catch {
        add("archive", error.message, hint: error.hint, at: position, kind: error.problemKind)
        return nil
      }
    }
    let name = FilePath.name(of: path).lowercased()
    if [".tar", ".tgz", ".tar.gz", ".tar.zst", ".tar.bz2", ".tar.xz"].contains(where: name.hasSuffix) {
      add(
        "archive", "the name is that of a tar archive, which is not read in place",
        hint: "unpack it (tar -xf \(FilePath.name(of: path))) and name a file inside; zip archives are read in place",
        at: position)
      return nil
    }
    add(
      "format", path == "-" ? "a standard stream has no name to tell the format" : "the name does not tell the format",
      hint: "add format: \(Format.words.joined(separator: ", or "))", at: position)
    return nil
  }

  /// Fields that mean nothing for a format are mistakes.
  private mutating func checkFields(_ values: SectionValues, of format: SourceSettings.Format) {
    let isText = format == .csv || format == .tsv
    let useless =
      isText
      ? ["pointer", "lenient", "keyed-by"]
      : ["delimiter", "skip-lines", "quote", "escape", "comment", "header", "columns"]
    for name in useless where values.positions[name] != nil {
      add(
        "useless-key", "\"\(name)\" means nothing for format \(format.rawValue)", hint: "remove it",
        at: values.position(name))
    }
    if format == .plist, values.positions["lenient"] != nil {
      add(
        "useless-key", "\"lenient\" means nothing for format plist", hint: "remove it", at: values.position("lenient"))
    }
    for name in ["pointer", "keyed-by"] where format == .ndjson && values.text(name) ?? "" != "" {
      add(
        "useless-key", "\"\(name)\" means nothing for format ndjson", hint: "remove it", at: values.position(name))
    }
  }

  private mutating func checkCharacters(_ values: SectionValues, delimiter: UInt8) {
    var users: [UInt8: String] = [delimiter: "delimiter"]
    for name in ["quote", "comment", "escape"] {
      guard let byte = values.character(name) else { continue }
      // The escape may be the quote: doubling, said in other words.
      if let user = users[byte], !(name == "escape" && user == "quote") {
        add("same-character", "\"\(name)\" and \"\(user)\" are the same character", at: values.position(name))
      }
      users[byte] = name
    }
  }

  mutating func checkDates(format: String?, zone: String?, _ values: SectionValues, formatField: String) {
    if let zone {
      do {
        _ = try DateParser(format: nil, timeZone: zone)
      } catch {
        add("time-zone", error.message, hint: error.hint, at: values.position("time-zone"))
      }
    }
    if let format {
      do {
        _ = try DateParser(format: format, timeZone: "UTC")
      } catch {
        add("date-format", error.message, hint: error.hint, at: values.position(formatField))
      }
    }
  }
}
