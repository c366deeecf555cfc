/// An edit of sections of results that leaves objects that stay untouched.
struct ResultsEdit {
  typealias Changes = ResultsChanges<ManagedObject>

  /// A section of the results after the edit.
  struct Target {
    var name: String
    /// Which of the old sections it is; nil for a new one.
    var oldSection: Int?
    /// The objects that come, each with the index of the staying object that it comes before.
    var arrivals: [(place: Int, element: ManagedObject)] = []
  }

  /// The indexes of the objects that are taken out of each old section first, rising.
  let removed: [[Int]]
  /// The sections afterwards, in their order.
  let targets: [Target]
  /// What was looked at, with the places before and after.
  let touched: [Changes.Touched]
  /// The names of the old sections.
  let oldNames: [String]
  /// The old sections of which nothing stays.
  let emptied: [Int: Changes.Section]

  /// Applies the edit.
  /// - Complexity: linear in the number of objects of the sections that something comes to or goes from, and of all
  ///   sections.
  func apply(to content: inout [Changes.Section]?) {
    guard var sections = content else { return }
    // Without this second reference, the sections are changed in place instead of being copied.
    content = nil
    defer { content = sections }
    var isSameArrangement = targets.count == sections.count
    for (index, target) in targets.enumerated() {
      if target.oldSection != index { isSameArrangement = false }
      guard let old = target.oldSection else { continue }
      sections[old].items.removeElements(at: removed[old])
      sections[old].items.insert(target.arrivals)
    }
    if isSameArrangement { return }
    sections = targets.map { target in
      target.oldSection.map { sections[$0] } ?? .init(name: target.name, items: target.arrivals.map(\.element))
    }
  }
}
