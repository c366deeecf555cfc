/// "Did you mean": the known name nearest to a mistyped one.
package enum Suggestion {
  /// The candidate with the fewest edits (insert, delete, change, swap neighbours), nil when none is near.
  package static func nearest(to name: String, among candidates: some Sequence<String>) -> String? {
    let limit = max(1, min(3, (name.count + 1) / 3))
    var best: (distance: Int, candidate: String)?
    for candidate in candidates where candidate != name {
      let distance = distance(Array(name.lowercased()), Array(candidate.lowercased()))
      if distance <= limit, distance < candidate.count, best.map({ distance < $0.distance }) ?? true {
        best = (distance, candidate)
      }
    }
    if let best { return best.candidate }
    // A part of a longer name.
    return name.count < 3 ? nil : candidates.first { $0 != name && $0.lowercased().contains(name.lowercased()) }
  }

  /// The hint that names the nearest candidate, nil when none is near.
  package static func hint(for name: String, among candidates: some Sequence<String>) -> String? {
    nearest(to: name, among: candidates).map { "did you mean \"\($0)\"?" }
  }

  /// A hint that lists names, as many as fit a line.
  package static func list(_ what: String, _ names: [String]) -> String? {
    names.isEmpty ? nil : "\(what): \(names.prefix(12).joined(separator: ", "))\(names.count > 12 ? ", ..." : "")"
  }

  /// Optimal string alignment distance.
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    guard left.count <= 64, right.count <= 64 else { return Int.max }
    var beforePrevious: [Int] = []
    var previous = Array(0...right.count)
    for row in 0..<left.count {
      var current = [row + 1]
      for column in 0..<right.count {
        let change = previous[column] + (left[row] == right[column] ? 0 : 1)
        var edits = min(change, previous[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          edits = min(edits, beforePrevious[column - 1] + 1)
        }
        current.append(edits)
      }
      beforePrevious = previous
      previous = current
    }
    return previous[right.count]
  }
}
