import ObjectModel

/// The rules by which steps are chosen.
struct MigrationStepRules {
  /// Whether mappings may be inferred.
  var infers = true
  /// Whether mapping models are used whatever they leave out.
  var takesMappingsAsTheyAre = false
  /// The policies that mapping models name.
  var policies = MigrationPolicies()
}

/// Facts about single steps between the versions of a library. Each pair of versions is judged once, and mappings are
/// made only for the steps of the chosen chain.
struct MigrationStepTable {
  /// How a step is done, and how much is lost in it.
  struct Judgement {
    var losses: Int
    var isMapped: Bool
  }

  private struct Pair: Hashable {
    let source: Int
    let destination: Int
  }

  /// The versions that a mapping model begins and ends at.
  private struct Reach {
    var sources: Set<Int>
    var destinations: Set<Int>
  }

  private let library: ModelLibrary
  private let rules: MigrationStepRules
  private let reaches: [Reach]
  private var judgements: [Pair: Judgement?] = [:]
  private var known: [Pair: [String: EntitySuccession]] = [:]

  init(_ library: ModelLibrary, _ rules: MigrationStepRules) {
    self.library = library
    self.rules = rules
    reaches = library.mappings.map { mapping in
      func fitting(_ fits: (ManagedObjectModel) -> Bool) -> Set<Int> {
        Set(library.versions.indices.filter { fits(library.versions[$0].model) })
      }
      return Reach(
        sources: fitting { mapping.begins(at: $0) }, destinations: fitting { mapping.ends(at: $0) })
    }
  }

  /// Versions at which a mapping model begins.
  var gates: Set<Int> { reaches.reduce(into: []) { $0.formUnion($1.sources) } }

  /// Versions that a mapping model leads to from this one.
  func destinations(of source: Int) -> Set<Int> {
    reaches.filter { $0.sources.contains(source) }.reduce(into: []) { $0.formUnion($1.destinations) }
  }

  /// The step between two versions, nil where there is none. A mapping model comes before inference, unless it leaves
  /// entities out, a mapping can be inferred, and mapping models are not taken as they are.
  mutating func judgement(_ source: Int, _ destination: Int) -> Judgement? {
    let pair = Pair(source: source, destination: destination)
    if let known = judgements[pair] { return known }
    let found = judge(source, destination)
    judgements[pair] = .some(found)
    return found
  }

  private func judge(_ source: Int, _ destination: Int) -> Judgement? {
    let (mapping, uncovered) = mapping(source, destination)
    if mapping == nil || !uncovered.isEmpty, rules.infers,
      let losses = inferredLosses(source, destination, atMost: .max)
    {
      return Judgement(losses: losses, isMapped: false)
    }
    let model = library.versions[source].model
    // As `RemainingSchema.lossCount` counts.
    let losses = uncovered.reduce(0) { sum, name in
      sum + 1 + (model[name].map { $0.attributes.count + $0.relationships.count } ?? 0)
    }
    return mapping.map { _ in Judgement(losses: losses, isMapped: true) }
  }

  /// Whether the step between two versions is inferred, and loses no more than so much. This is faster than finding out
  /// how much it loses.
  func isInferred(_ source: Int, _ destination: Int, losingAtMost limit: Int) -> Bool {
    if let known = judgements[Pair(source: source, destination: destination)] {
      return known.map { !$0.isMapped && $0.losses <= limit } ?? false
    }
    let (mapping, uncovered) = mapping(source, destination)
    guard mapping == nil || !uncovered.isEmpty, rules.infers else { return false }
    return inferredLosses(source, destination, atMost: limit) != nil
  }

  private func inferredLosses(_ source: Int, _ destination: Int, atMost limit: Int) -> Int? {
    library.versions[source].model.inferredLossCount(to: library.versions[destination].model, atMost: limit)
  }

  /// The successors of a version's entities and properties in another one, by names and renaming identifiers.
  mutating func successions(_ source: Int, _ destination: Int) -> [String: EntitySuccession] {
    let pair = Pair(source: source, destination: destination)
    if let known = known[pair] { return known }
    let found = library.versions[source].model.successions(in: library.versions[destination].model)
    known[pair] = found
    return found
  }

  /// The mapping model between two versions that leaves the fewest entities out, and the names of these; no names where
  /// mapping models are taken as they are.
  private func mapping(_ source: Int, _ destination: Int) -> (mapping: ModelLibrary.Mapping?, uncovered: [String]) {
    let (from, to) = (library.versions[source].model, library.versions[destination].model)
    let fitting = zip(library.mappings, reaches).filter { _, reach in
      reach.sources.contains(source) && reach.destinations.contains(destination)
    }.map { ($0.0, $0.0.uncovered(from: from, to: to)) }
    guard let best = fitting.min(by: { $0.1.count < $1.1.count }) else { return (nil, []) }
    return rules.takesMappingsAsTheyAre ? (best.0, []) : best
  }

  /// The step itself.
  /// - Parameter remaining: the part of the chain's first version that is left before it. Losing later additions does
  ///   not count.
  mutating func step(_ source: Int, _ destination: Int, _ remaining: RemainingSchema) -> MigrationChain.Step? {
    let (from, to) = (library.versions[source], library.versions[destination])
    let (mapping, uncovered) = mapping(source, destination)
    if mapping == nil || !uncovered.isEmpty, rules.infers,
      let inferred = try? from.model.inferredMappingModel(to: to.model, mergesHierarchies: true)
    {
      let losses = remaining.concerned(
        of: from.model.lightweightMigration(to: to.model).losses, successions(source, destination), from: from.model)
      return MigrationChain.Step(
        source: from, destination: to, way: .inferred(inferred), losses: losses.map(\.description))
    }
    return mapping.map { mapping in
      let losses = MappingLosses(mapping.mappingModel, from: from.model, to: to.model, rules.policies).items
      return MigrationChain.Step(
        source: from, destination: to, way: .mapped(mapping),
        losses: losses.filter { remaining.has($0.entity, $0.property) }.map(\.description))
    }
  }
}
