import Pipelines

/// The names of columns, as a header has them.
enum HeaderNames {
  /// The names of a header, repeated and empty ones and those that no expression can have replaced.
  static func usable(_ header: [String]) -> (names: [String], note: String?) {
    var names: [String] = []
    var seen: Set<String> = []
    var reasons: Set<String> = []
    for (index, name) in header.enumerated() {
      var usable = name
      if name.isEmpty || YAMLText.field(name) == nil {
        reasons.insert(name.isEmpty ? "a column has no name" : "a name has a backtick")
        usable = "column\(index + 1)"
      }
      // Names that differ in case are two columns. Those that differ in the form of accents alone are renamed, too.
      if seen.contains(usable) {
        reasons.insert("\"\(usable)\" stands twice")
        var number = 2
        while seen.contains("\(usable)_\(number)") || header.contains("\(usable)_\(number)") { number += 1 }
        usable += "_\(number)"
      }
      seen.insert(usable)
      names.append(usable)
    }
    return (names, reasons.isEmpty ? nil : "in the header \(reasons.sorted().joined(separator: ", "))")
  }

  /// Whether a blank follows each delimiter, as people write lists.
  static func arePadded(_ records: [[String]]) -> Bool {
    guard let width = records.first?.count, width > 1, records.count > 1 else { return false }
    return records.allSatisfy { $0.dropFirst().allSatisfy { $0.isEmpty || $0.first == " " } }
      && records.dropFirst().contains { $0.dropFirst().contains { $0.first == " " } }
  }

  static func trimmed(_ text: String) -> String {
    String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
