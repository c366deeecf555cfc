import ObjectModel

/// How two models differ, for people: what makes a migration necessary first, the rest counted or at the end.
struct DifferenceText {
  let differences: [ModelDifference]
  let migration: LightweightMigration
  let showsAll: Bool
  /// Whether it says what one inferred step loses; where other steps are taken, these say what goes.
  var tellsLosses = true

  /// - Parameter heading: the heading of the differences that matter.
  func lines(heading: String) -> [String] {
    let (grave, others) = differences.parted
    var lines = grave.isEmpty ? [] : [heading] + grave.map { "  " + $0.description }
    if showsAll, !others.isEmpty {
      lines.append("What differs and matters to no store:")
      lines += others.map { "  " + $0.description }
    } else if !others.isEmpty {
      lines.append(Self.counted(others))
    }
    if !lines.isEmpty { lines.append("") }
    if grave.isEmpty { return lines }
    if migration.isPossible {
      lines.append("A lightweight migration would do" + (migration.conditions.isEmpty ? "." : ", on condition that"))
      lines += migration.conditions.map { "  " + $0.description }
    } else if migration.isPossibleWithMerging {
      lines.append(
        "Core Data's lightweight migration would not do; seedbed merges the hierarchies, with other primary keys:")
      lines += (migration.mergedHierarchies + migration.conditions).map { "  " + $0.description }
    } else {
      lines.append("A lightweight migration would not do:")
      lines += migration.obstacles.map { "  " + $0.description }
    }
    if tellsLosses, !migration.losses.isEmpty {
      lines.append("A migration drops:")
      lines += migration.losses.map { "  " + $0.description }
    }
    return lines + [""]
  }

  private static let plurals = [
    "class name": "class names", "fetch index": "fetch indexes", "transient property": "transient properties",
    "default value": "default values", "delete rule": "delete rules", "name": "names",
  ]

  /// Such as "7 differences matter to no store (4 class names, 3 fetch indexes): --verbose shows them".
  private static func counted(_ differences: [ModelDifference]) -> String {
    var counts: [(name: String, count: Int)] = []
    for difference in differences {
      let name = difference.sort
      if let index = counts.firstIndex(where: { $0.name == name }) {
        counts[index].count += 1
      } else {
        counts.append((name, 1))
      }
    }
    let parts = counts.map { "\($0.count) \($0.count == 1 ? $0.name : plurals[$0.name] ?? $0.name)" }
      .joined(separator: ", ")
    let subject = differences.count == 1 ? "1 difference matters" : "\(differences.count) differences matter"
    return "\(subject) to no store (\(parts)): --verbose shows \(differences.count == 1 ? "it" : "them")."
  }
}

extension [ModelDifference] {
  /// Those that make version hashes differ, and the others.
  var parted: (grave: [ModelDifference], others: [ModelDifference]) {
    (filter(\.affectsVersionHash), filter { !$0.affectsVersionHash })
  }
}

extension ModelDifference {
  /// The kind of a difference, for counting.
  fileprivate var sort: String {
    if case .fetchIndex = subject { return "fetch index" }
    switch change {
    case .changed(let aspect, _, _): return aspect == .className ? "class name" : aspect.rawValue
    case .renamed: return "name"
    case .added, .removed, .movedUp, .movedDown: return "transient property"
    }
  }
}
