/// Column names of a CSV source: checked for repeats, and looked up with hints for those that are missing.
enum ColumnNames {
  /// Refuses a name that stands twice.
  /// - Parameter position: line and column of a name in the header, nil when it does not come from one.
  static func checkUnique(
    _ names: [String], file: String?, position: (Int) -> (line: UInt64, column: UInt64)?
  ) throws(SeedFormatError) {
    // Bytes, because strings that differ only in Unicode normalization are equal.
    var first: [[UInt8]: Int] = [:]
    // In a header the position tells where; names that are given may leave columns nameless.
    for (index, name) in names.enumerated() where !name.isEmpty || position(index) != nil {
      guard let other = first.updateValue(index, forKey: Array(name.utf8)) else { continue }
      let place = position(index)
      throw SeedFormatError(
        code: "csv.duplicate-column", kind: .malformed,
        message: "columns \(other + 1) and \(index + 1) are both named \"\(name)\"",
        hint: "name all columns anew: columns: [\(Self.distinct(names).joined(separator: ", "))]", file: file,
        line: place?.line, column: place?.column)
    }
  }

  /// The column index of each projected name, `ScanPlan.wholeRecord` or `ScanPlan.noColumn`.
  /// - Parameters:
  ///   - delimiter: the delimiter by which the columns were separated.
  ///   - line: where the header is.
  /// - Throws: one error that names all columns that are missing and not optional.
  static func resolve(
    _ projection: [String], in columns: [String], optional: Set<String> = [], delimiter: UInt8, file: String?,
    line: UInt64 = 1
  ) throws(SeedFormatError) -> [Int] {
    var indexes: [[UInt8]: Int] = [:]
    // No field can name one of several columns without names.
    let isNameless = columns.count { $0.isEmpty } > 1
    for (index, name) in columns.enumerated() where !(isNameless && name.isEmpty) { indexes[Array(name.utf8)] = index }
    var resolved: [Int] = []
    var missing: [String] = []
    for name in projection {
      if let index = indexes[Array(name.utf8)] {
        resolved.append(index)
      } else if name.isEmpty {
        resolved.append(ScanPlan.wholeRecord)
      } else if name.hasPrefix("#"), let number = Int(name.dropFirst()), number >= 1,
        number <= columns.count || columns.isEmpty
      {
        resolved.append(number - 1)
      } else {
        resolved.append(ScanPlan.noColumn)
        if !optional.contains(name) { missing.append(name) }
      }
    }
    guard missing.isEmpty else {
      throw misread(columns, delimiter: delimiter, file: file, line: line)
        ?? unknown(
          missing, columns: columns, hasOthers: missing.count < projection.count, file: file,
          line: line)
    }
    return resolved
  }

  /// The names with a number after each that stands once more, and null for those that are empty, as far as a hint
  /// goes.
  private static func distinct(_ names: [String]) -> [String] {
    var counts: [String: Int] = [:]
    let all = Set(names)
    let distinct = names.prefix(12).map { name -> String? in
      if name.isEmpty { return nil }
      counts[name, default: 0] += 1
      guard var number = counts[name], number > 1 else { return name }
      while all.contains("\(name) \(number)") { number += 1 }
      return "\(name) \(number)"
    }
    func written(_ name: String) -> String {
      let isPlain =
        name.first?.isLetter == true && name.last != " "
        && !["null", "true", "false", "yes", "no", "on", "off", "y", "n"].contains(name.lowercased())
        && name.allSatisfy { $0.isLetter || $0.isNumber || " _-".contains($0) }
      return isPlain ? name : "\"\(name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
    return distinct.map { $0.map(written) ?? "null" }
      + (names.count > 12 ? ["..."] : [])
  }

  /// One column with what looks like the names of several in it: the delimiter is another.
  private static func misread(
    _ columns: [String], delimiter: UInt8, file: String?, line: UInt64
  ) -> SeedFormatError? {
    guard columns.count == 1, let name = columns.first else { return nil }
    let candidates: [(byte: UInt8, text: String)] = [
      (0x3B, "\";\""), (0x09, "\"\\t\""), (0x7C, "\"|\""), (0x2C, "\",\""),
    ]
    let counts = candidates.map { candidate in name.utf8.count { $0 == candidate.byte } }
    let best = candidates.indices.filter { candidates[$0].byte != delimiter }.max { counts[$0] < counts[$1] }
    guard let best, counts[best] > 0 else { return nil }
    let shown = name.count > 100 ? name.prefix(100) + "…" : name
    return SeedFormatError(
      code: "csv.delimiter", kind: .malformed, message: "the file has one column, named \"\(shown)\"",
      hint: "is the delimiter another? write from: { path: ..., delimiter: \(candidates[best].text) }", file: file,
      line: line)
  }

  private static func unknown(
    _ names: [String], columns: [String], hasOthers: Bool, file: String?, line: UInt64
  ) -> SeedFormatError {
    let listed = columns.prefix(100).map { "\"\($0)\"" }.joined(separator: ", ")
    let rest = columns.count > 100 ? " and \(columns.count - 100) more" : ""
    var hint = columns.isEmpty ? "the file has no columns" : "available: \(listed)\(rest)"
    let near = names.compactMap { name in
      nearest(to: name, among: columns).map { names.count == 1 ? "\"\($0)\"" : "\"\($0)\" for \"\(name)\"" }
    }
    if !near.isEmpty {
      hint = "did you mean \(near.joined(separator: ", "))? " + hint
    } else if !hasOthers, !columns.isEmpty {
      hint += "; if the first line is a record, name the columns: header: false, columns: [...]"
    }
    var error = SeedFormatError(
      code: "csv.unknown-column", kind: .malformed, message: message(names), hint: hint, file: file, line: line)
    let shown = 30
    let header =
      columns.isEmpty
      ? "the file has no columns"
      : "the header (\(file.map { "\($0):\(line)" } ?? "line \(line)")) has "
        + columns.prefix(shown).map { "\"\($0)\"" }.joined(separator: ", ")
        + (columns.count > shown ? " and \(columns.count - shown) more" : "")
    let isNoHeader = near.isEmpty && !hasOthers && !columns.isEmpty
    error.missingColumns = names.map { name in
      let meant = nearest(to: name, among: columns).map { "did you mean \"\($0)\"? " } ?? ""
      return SeedFormatError.MissingName(
        name: name,
        hint: meant + header
          + (isNoHeader ? "; if the first line is a record, name the columns: header: false, columns: [...]" : ""))
    }
    return error
  }

  private static func message(_ names: [String]) -> String {
    guard names.count > 1, let last = names.last else { return "there is no column \"\(names.first ?? "")\"" }
    if names.count > 100 {
      let shown = names.prefix(100).map { "\"\($0)\"" }.joined(separator: ", ")
      return "there are no columns \(shown) and \(names.count - 100) more"
    }
    return "there are no columns " + names.dropLast().map { "\"\($0)\"" }.joined(separator: ", ") + " and \"\(last)\""
  }

  /// A name in small letters, with single blanks and none around it.
  private static func plain(_ name: String) -> String {
    String(name.lowercased().split(separator: " ").joined(separator: " "))
  }

  /// The column that a mistaken name may stand for.
  private static func nearest(to name: String, among columns: [String]) -> String? {
    let plain = plain(name)
    if let same = columns.first(where: { Self.plain($0) == plain }) { return same }
    return columns.map { ($0, EditDistance.between(name.lowercased(), $0.lowercased())) }.min { $0.1 < $1.1 }
      .flatMap { $0.1 <= max(2, name.count / 3) ? $0.0 : nil }
  }
}
