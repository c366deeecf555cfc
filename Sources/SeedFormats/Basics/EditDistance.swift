/// How many letters tell two names apart.
package enum EditDistance {
  /// The least number of insertions, deletions and replacements that make one name of the other, of their first 64
  /// characters.
  package static func between(_ left: String, _ right: String) -> Int {
    let right = Array(right.prefix(64))
    var row = Array(0...right.count)
    for (index, character) in left.prefix(64).enumerated() {
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
