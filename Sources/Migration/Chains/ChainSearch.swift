/// Looks for the best chain of steps between two versions of a library: the one that loses least of what the first one
/// has, among these the shortest, among these the one with the fewest mapping models.
///
/// From each version it looks at the wanted one, at the next in the order of versions, at those that a mapping model
/// leads to, and at those that a mapping model begins at. So it stays fast with hundreds of versions. Versions may have
/// another order than their names: where a chain so found loses something, and there are at most `mostVersions`, it
/// looks at all of them.
struct ChainSearch {
  private struct Cost: Comparable {
    var losses = 0
    var steps = 0
    var mapped = 0

    static func < (left: Cost, right: Cost) -> Bool {
      (left.losses, left.steps, left.mapped) < (right.losses, right.steps, right.mapped)
    }

    static func + (left: Cost, right: Cost) -> Cost {
      Cost(losses: left.losses + right.losses, steps: left.steps + right.steps, mapped: left.mapped + right.mapped)
    }
  }

  /// The best known way to a version.
  private struct Label {
    var cost: Cost
    var previous: Int?
    /// The part of the first version that is left there; nil where it was not needed yet.
    var remaining: RemainingSchema?
  }

  /// Up to so many versions are all tried as steps in between.
  private static let mostVersions = 64

  private let library: ModelLibrary
  private var steps: MigrationStepTable
  /// Versions at which a mapping model begins.
  private let gates: Set<Int>
  /// Whether every version is looked at from every other.
  private var looksEverywhere = false

  init(_ library: ModelLibrary, _ rules: MigrationStepRules) {
    self.library = library
    steps = MigrationStepTable(library, rules)
    gates = steps.gates
  }

  /// The chain, nil where there is none.
  mutating func chain(from source: Int, to target: Int) -> MigrationChain? {
    if source == target { return MigrationChain(steps: []) }
    if let direct = steps.judgement(source, target), direct.losses == 0 { return made([source, target]) }
    let found = cheapest(from: source, to: target)
    if let found, found.losses == 0 { return made(shortened(found.path)) }
    guard library.versions.count <= Self.mostVersions else { return found.flatMap { made(shortened($0.path)) } }
    looksEverywhere = true
    defer { looksEverywhere = false }
    let other = cheapest(from: source, to: target)
    // When the narrow search found no way, a way with losses leads through unrelated versions and is refused.
    if found == nil, other?.losses != 0 { return nil }
    return other.flatMap { made(shortened($0.path)) }
  }

  private mutating func made(_ path: [Int]) -> MigrationChain? {
    var made: [MigrationChain.Step] = []
    var remaining = RemainingSchema(of: library.versions[path[0]].model)
    for (source, destination) in zip(path, path.dropFirst()) {
      guard let step = steps.step(source, destination, remaining) else { return nil }
      made.append(step)
      remaining = self.remaining(remaining, source, destination)
    }
    return MigrationChain(steps: made)
  }

  /// The part of the first version that is left after a step. A mapping model can fill any entity from any other, so
  /// after such a step the whole destination version counts as left.
  private mutating func remaining(_ before: RemainingSchema, _ source: Int, _ destination: Int) -> RemainingSchema {
    if steps.judgement(source, destination)?.isMapped == true {
      return RemainingSchema(of: library.versions[destination].model)
    }
    return before.after(steps.successions(source, destination))
  }

  private mutating func cheapest(from source: Int, to target: Int) -> (path: [Int], losses: Int)? {
    var best = [source: Label(cost: Cost())]
    var open: Set<Int> = [source]
    while let here = open.min(by: { (best[$0]?.cost ?? Cost(), $0) < (best[$1]?.cost ?? Cost(), $1) }) {
      open.remove(here)
      if here == target { break }
      guard let cost = best[here]?.cost else { break }
      for next in neighbours(of: here, target: target) {
        guard let step = steps.judgement(here, next) else { continue }
        var losses = step.losses
        if losses > 0, !step.isMapped {
          losses = remaining(at: here, &best).lossCount(steps.successions(here, next))
        }
        let reached = cost + Cost(losses: losses, steps: 1, mapped: step.isMapped ? 1 : 0)
        if let present = best[next], present.cost <= reached { continue }
        best[next] = Label(cost: reached, previous: here)
        open.insert(next)
      }
    }
    guard let cost = best[target]?.cost else { return nil }
    var path = [target]
    while let previous = best[path[0]]?.previous { path.insert(previous, at: 0) }
    return (path, cost.losses)
  }

  /// The part of the first version that is left at a version whose best way is known.
  private mutating func remaining(at here: Int, _ best: inout [Int: Label]) -> RemainingSchema {
    if let known = best[here]?.remaining { return known }
    var found = RemainingSchema(of: library.versions[here].model)
    if let previous = best[here]?.previous {
      found = remaining(remaining(at: previous, &best), previous, here)
    }
    best[here]?.remaining = found
    return found
  }

  private func neighbours(of here: Int, target: Int) -> [Int] {
    if looksEverywhere { return library.versions.indices.filter { $0 != here } }
    var found = gates.union(steps.destinations(of: here))
    found.insert(target)
    let next = here < target ? here + 1 : here - 1
    if library.versions.indices.contains(next) { found.insert(next) }
    found.remove(here)
    return found.sorted()
  }

  /// Joins consecutive inferred steps into one where that loses no more than they do: from each version as far as one
  /// inferred step leads.
  private mutating func shortened(_ path: [Int]) -> [Int] {
    var result = [path[0]]
    var start = 0
    while start < path.count - 1 {
      // How many steps in a row are inferred, and how many of them lose nothing.
      var (inferred, whole) = (0, 0)
      while start + inferred < path.count - 1,
        let step = steps.judgement(path[start + inferred], path[start + inferred + 1]), !step.isMapped
      {
        if whole == inferred, step.losses == 0 { whole += 1 }
        inferred += 1
      }
      var left: [RemainingSchema]?
      var count = max(inferred, 1)
      while count > 1 {
        let (first, last) = (path[start], path[start + count])
        if count <= whole {
          if steps.isInferred(first, last, losingAtMost: 0) { break }
        } else if steps.isInferred(first, last, losingAtMost: .max) {
          let known = left ?? remaining(along: path[start...start + inferred])
          left = known
          let merged = known[0].after(steps.successions(first, last))
          if known[count].names(missingIn: merged).isEmpty { break }
        }
        count -= 1
      }
      start += count
      result.append(path[start])
    }
    return result
  }

  /// The parts of the first version that are left before some inferred steps and after each of them.
  private mutating func remaining(along path: ArraySlice<Int>) -> [RemainingSchema] {
    var result = [RemainingSchema(of: library.versions[path[path.startIndex]].model)]
    for (source, destination) in zip(path, path.dropFirst()) {
      result.append(result[result.count - 1].after(steps.successions(source, destination)))
    }
    return result
  }
}
