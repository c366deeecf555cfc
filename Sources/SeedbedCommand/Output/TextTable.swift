/// Columns of text, padded with blanks.
enum TextTable {
  static func lines(titles: [String], rows: [[String]], leftAligned: Set<Int>) -> [String] {
    let all = [titles] + rows
    let widths = titles.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    return all.map { row in
      row.indices.map { column in
        let padding = String(repeating: " ", count: widths[column] - row[column].count)
        return leftAligned.contains(column) ? row[column] + padding : padding + row[column]
      }.joined(separator: "  ").trimmingTrailingBlanks
    }
  }
}

extension String {
  fileprivate var trimmingTrailingBlanks: String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
