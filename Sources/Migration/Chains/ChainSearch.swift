import ObjectModel

/// Looks for the best chain of steps between two versions of a library: the one that loses least, among these the shortest,
/// among these the one with the fewest mapping models.
///
/// From each version it looks at the wanted one, at the next in the order of versions, at those that a mapping model leads to,
/// and at those that a mapping model begins at. So it stays fast with hundreds of versions. Names need not say the order of
/// versions: where something would be lost so, and there are no more than `mostVersions`, it looks at all of them.
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

  private struct Pair: Hashable {
    let source: Int
    let destination: Int
  }

  /// Up to so many versions are all tried as steps in between.
  private static let mostVersions = 64

  private let library: ModelLibrary
  private let infers: Bool
  /// Versions at which a mapping model begins.
  private let gates: [Int]
  private var known: [Pair: MigrationChain.Step?] = [:]
  /// Whether every version is looked at from every other.
  private var looksEverywhere = false

  /// - Parameter infers: whether mappings may be inferred.
  init(_ library: ModelLibrary, infers: Bool) {
    self.library = library
    self.infers = infers
    gates = library.versions.indices.filter { index in
      let model = library.versions[index].model
      return library.mappings.contains { mapping in
        mapping.mappingModel.entityMappings.allSatisfy { entity in
          guard let name = entity.sourceEntityName else { return true }
          guard let found = model[name] else { return false }
          return found.versionHash == entity.sourceEntityVersionHash ?? found.versionHash
        }
      }
    }
  }

  /// The chain, nil where there is none.
  mutating func chain(from source: Int, to target: Int) -> MigrationChain? {
    if source == target { return MigrationChain(steps: []) }
    if let direct = step(source, target), direct.losses.isEmpty { return MigrationChain(steps: [direct]) }
    let found = cheapest(from: source, to: target)
    if let found, found.losses == 0 { return MigrationChain(steps: shortened(found.path)) }
    guard library.versions.count <= Self.mostVersions else {
      return found.map { MigrationChain(steps: shortened($0.path)) }
    }
    looksEverywhere = true
    defer { looksEverywhere = false }
    let other = cheapest(from: source, to: target)
    // Where there was no way, one that loses something leads through versions that have nothing to do with it.
    if found == nil, other?.losses != 0 { return nil }
    return other.map { MigrationChain(steps: shortened($0.path)) }
  }

  private mutating func cheapest(from source: Int, to target: Int) -> (path: [Int], losses: Int)? {
    var best: [Int: (cost: Cost, previous: Int?)] = [source: (Cost(), nil)]
    var open: Set<Int> = [source]
    while let here = open.min(by: { (best[$0]?.cost ?? Cost(), $0) < (best[$1]?.cost ?? Cost(), $1) }) {
      open.remove(here)
      if here == target { break }
      guard let cost = best[here]?.cost else { break }
      for next in neighbours(of: here, target: target) {
        guard let step = step(here, next) else { continue }
        let reached = cost + self.cost(of: step)
        if let present = best[next], present.cost <= reached { continue }
        best[next] = (reached, here)
        open.insert(next)
      }
    }
    guard let cost = best[target]?.cost else { return nil }
    var path = [target]
    while let previous = best[path[0]]?.previous { path.insert(previous, at: 0) }
    return (path, cost.losses)
  }

  private func cost(of step: MigrationChain.Step) -> Cost {
    let isMapped = if case .mapped = step.way { true } else { false }
    return Cost(losses: step.losses.count, steps: 1, mapped: isMapped ? 1 : 0)
  }

  private func neighbours(of here: Int, target: Int) -> [Int] {
    if looksEverywhere { return library.versions.indices.filter { $0 != here } }
    let model = library.versions[here].model
    var found: Set<Int> = Set(gates)
    found.insert(target)
    let next = here < target ? here + 1 : here - 1
    if library.versions.indices.contains(next) { found.insert(next) }
    for mapping in library.mappings {
      for index in library.versions.indices where mapping.fits(from: model, to: library.versions[index].model) {
        found.insert(index)
      }
    }
    found.remove(here)
    return found.sorted()
  }

  /// Takes inferred steps in a row as one where that loses no more.
  private mutating func shortened(_ path: [Int]) -> [MigrationChain.Step] {
    var steps: [MigrationChain.Step] = []
    var start = 0
    while start < path.count - 1 {
      var end = start + 1
      guard var merged = step(path[start], path[end]) else { return steps }
      if case .inferred = merged.way {
        var losses = merged.losses.count
        var further = end + 1
        while further < path.count, let next = step(path[further - 1], path[further]), case .inferred = next.way {
          losses += next.losses.count
          if let whole = step(path[start], path[further]), case .inferred = whole.way, whole.losses.count <= losses {
            merged = whole
            end = further
          }
          further += 1
        }
      }
      steps.append(merged)
      start = end
    }
    return steps
  }

  /// The step between two versions, nil where there is none. A mapping model comes before inference, unless it leaves entities
  /// out and a mapping can be inferred.
  private mutating func step(_ source: Int, _ destination: Int) -> MigrationChain.Step? {
    let pair = Pair(source: source, destination: destination)
    if let known = known[pair] { return known }
    let found = makeStep(library.versions[source], library.versions[destination])
    known[pair] = .some(found)
    return found
  }

  private func makeStep(
    _ source: ModelLibrary.Version, _ destination: ModelLibrary.Version
  ) -> MigrationChain.Step? {
    let mapping = library.mapping(from: source.model, to: destination.model)
    let uncovered = mapping?.uncovered(from: source.model) ?? []
    if mapping == nil || !uncovered.isEmpty, infers,
      let inferred = try? source.model.inferredMappingModel(to: destination.model)
    {
      let losses = source.model.lightweightMigration(to: destination.model).losses.map(\.description)
      return MigrationChain.Step(source: source, destination: destination, way: .inferred(inferred), losses: losses)
    }
    return mapping.map { mapping in
      MigrationChain.Step(
        source: source, destination: destination, way: .mapped(mapping),
        losses: uncovered.map { "\($0): the mapping model leaves it out, and its objects go" })
    }
  }
}
