/// Problems as the text of an error: the first ten, and how many more there are.
package enum ProblemList {
  /// How many are listed.
  package static let limit = 10

  /// A line, or several, for each of the first problems; the others are only counted.
  package static func text<Problems: Collection>(_ problems: Problems) -> String
  where Problems.Element: CustomStringConvertible {
    let lines = problems.prefix(limit).map(\.description).joined(separator: "\n")
    return problems.count > limit ? "\(lines)\nand \(problems.count - limit) more: \(problems.count) in all" : lines
  }
}
