package import ObjectModel

/// Advice for a column or an order of an export that the model does not have.
package enum ExportAdvice {
  /// - Parameters:
  ///   - relationship: what the column names instead of an attribute.
  ///   - keyPath: the column.
  package static func hint(for relationship: Relationship, at keyPath: [String]) -> String {
    let path = keyPath.joined(separator: ".")
    let destination = relationship.destination
    guard !relationship.isToMany else { return "export \(destination.name) instead, with a column back" }
    // The attribute with the object's name is the most useful one for a reader.
    let names = destination.storedAttributes.map(\.name)
    let known = ["name", "title", "identifier", "id", "code"].first { names.contains($0) }
    guard let first = known ?? names.first else { return "\(destination.name) has no attribute" }
    let others = names.filter { $0 != first }.prefix(8).map { "\(path).\($0)" }
    return "write \(path).\(first)" + (others.isEmpty ? "" : ", or \(others.joined(separator: ", "))")
  }

  /// The property that an unknown name probably means: one in SQL's way of ordering, or one with a similar name.
  package static func hint(for name: String, among names: [String]) -> String? {
    let words = name.split(separator: " ").map(String.init)
    if words.count == 2, names.contains(words[0]) {
      switch words[1].lowercased() {
      case "desc", "descending": return "write -\(words[0])"
      case "asc", "ascending": return "write \(words[0])"
      default: break
      }
    }
    return Suggestion.hint(for: name, among: names)
  }
}
