/// Where parts of a newer model come from by name and renaming identifier, by plain rules.
package enum RenamingRules {
  /// A part's name and its renaming identifier.
  package typealias Part = (name: String, identifier: String?)

  /// The older name of a part; nil for a new one.
  /// - Parameters:
  ///   - siblings: all parts of the newer list, the part itself among them.
  ///   - older: the names of the older list, whose parts were not renamed before.
  package static func source(of part: Part, among siblings: [Part], older: Set<String>) -> String? {
    func isKept(_ name: String) -> Bool { siblings.contains { $0.name == name && ($0.identifier ?? name) == name } }
    guard let former = part.identifier, former != part.name else {
      return older.contains(part.name) ? part.name : nil
    }
    if older.contains(former), !isKept(former) { return former }
    // The name that it has now may be that which another had.
    let isTaken = siblings.contains { $0.name != part.name && $0.identifier == part.name }
    return older.contains(part.name) && !isTaken ? part.name : nil
  }
}
