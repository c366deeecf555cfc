/// Column names of a CSV source: unique, and looked up with help for the mistaken.
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
        hint: "give the column names in the source's options", file: file, line: place?.line, column: place?.column)
    }
  }

  /// The column index of each projected name, `ScanPlan.wholeRecord` or `ScanPlan.noColumn`.
  /// - Throws: one error that names all columns that are missing and not optional.
  static func resolve(
    _ projection: [String], in columns: [String], optional: Set<String> = [], file: String?
  ) throws(SeedFormatError) -> [Int] {
    var indexes: [[UInt8]: Int] = [:]
    // Several columns without names are none that a field could mean.
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
    guard missing.isEmpty else { throw unknown(missing, columns: columns, file: file) }
    return resolved
  }

  private static func unknown(_ names: [String], columns: [String], file: String?) -> SeedFormatError {
    let listed = columns.prefix(100).map { "\"\($0)\"" }.joined(separator: ", ")
    let rest = columns.count > 100 ? " and \(columns.count - 100) more" : ""
    var hint = columns.isEmpty ? "the file has no columns" : "available: \(listed)\(rest)"
    let near = names.compactMap { name in
      nearest(to: name, among: columns).map { names.count == 1 ? "\"\($0)\"" : "\"\($0)\" for \"\(name)\"" }
    }
    if !near.isEmpty { hint = "did you mean \(near.joined(separator: ", "))? " + hint }
    return SeedFormatError(
      code: "csv.unknown-column", kind: .malformed, message: message(names), hint: hint, file: file, line: 1)
  }

  private static func message(_ names: [String]) -> String {
    guard names.count > 1, let last = names.last else { return "there is no column \"\(names.first ?? "")\"" }
    if names.count > 100 {
      let shown = names.prefix(100).map { "\"\($0)\"" }.joined(separator: ", ")
      return "there are no columns \(shown) and \(names.count - 100) more"
    }
    return "there are no columns " + names.dropLast().map { "\"\($0)\"" }.joined(separator: ", ") + " and \"\(last)\""
  }

  /// The column that a mistaken name may stand for.
  private static func nearest(to name: String, among columns: [String]) -> String? {
    columns.map { ($0, distance(name.lowercased(), $0.lowercased())) }.min { $0.1 < $1.1 }
      .flatMap { $0.1 <= max(2, name.count / 3) ? $0.0 : nil }
  }

  /// Edit distance (insertions, deletions, replacements).
  static func distance(_ left: String, _ right: String) -> Int {
    let right = Array(right)
    var row = Array(0...right.count)
    for (index, character) in left.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in right.indices {
        let replaced = diagonal + (character == right[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
      }
    }
    return row[right.count]
  }
}
