import Foundation

/// Compares two models entity by entity.
struct ModelComparison {
  let older: ManagedObjectModel
  let newer: ManagedObjectModel
  /// Older name → newer name of every entity that both models have.
  private let newName: [String: String]

  init(older: ManagedObjectModel, newer: ManagedObjectModel) {
    self.older = older
    self.newer = newer
    var newName: [String: String] = [:]
    for pair in Self.pairs(older.definitions, newer.definitions, \.name, \.renamingIdentifier) {
      if let old = pair.old, let new = pair.new { newName[old.name] = new.name }
    }
    self.newName = newName
  }

  func differences() -> [ModelDifference] {
    Self.pairs(older.definitions, newer.definitions, \.name, \.renamingIdentifier).flatMap { pair in
      switch (pair.old, pair.new) {
      case (let old?, let new?): compare(old, new)
      case (nil, let new?):
        [ModelDifference(entity: new.name, subject: .entity, change: .added, affectsVersionHash: true)]
      case (let old?, nil):
        [ModelDifference(entity: old.name, subject: .entity, change: .removed, affectsVersionHash: true)]
      case (nil, nil): [ModelDifference]()
      }
    }
  }

  /// Pairs the parts of two lists: those that have the same renaming identifier, or where a part has none of its own,
  /// its name; then those whose identifier is the older name, then those of one name. What is left stands alone.
  ///
  /// So a part that was renamed twice is found by the identifier that it kept, or by the name that it had last, and two
  /// parts may change names with each other. An identifier that leads to a part which keeps its name is no rename. The
  /// order is by name, the newer name where there is one.
  static func pairs<Part>(
    _ older: [Part], _ newer: [Part], _ name: (Part) -> String, _ renamingIdentifier: (Part) -> String?
  ) -> [(old: Part?, new: Part?)] {
    func identifier(_ part: Part) -> String { renamingIdentifier(part) ?? name(part) }
    var unpaired = Dictionary(older.map { (name($0), $0) }, uniquingKeysWith: { first, _ in first })
    let oldNames = Dictionary(grouping: older, by: identifier).mapValues { $0.map(name).sorted() }
    let newNames = Set(newer.map(name))
    let keptNames = Set(newer.filter { renamingIdentifier($0) == nil }.map(name))
    var partner: [String: Part] = [:]
    func pair(_ findOld: (Part) -> String?) {
      for part in newer where partner[name(part)] == nil {
        if let old = findOld(part) { partner[name(part)] = unpaired.removeValue(forKey: old) }
      }
    }
    pair { part in unpaired[name(part)].flatMap { identifier($0) == identifier(part) ? name(part) : nil } }
    pair { part in
      oldNames[identifier(part)]?.first { old in
        // A name that stands for an identifier finds no older part whose name a newer part has.
        unpaired[old] != nil && (renamingIdentifier(part) != nil || !newNames.contains(old))
      }
    }
    pair { part in renamingIdentifier(part).flatMap { keptNames.contains($0) ? nil : $0 } }
    pair(name)
    let together: [(old: Part?, new: Part?)] = newer.map { (partner[name($0)], $0) }
    let alone: [(old: Part?, new: Part?)] = unpaired.values.map { ($0, nil) }
    return (together + alone).sortedByCodePoint { pair in pair.new.map(name) ?? pair.old.map(name) ?? "" }
  }

  private func compare(_ old: EntityDefinition, _ new: EntityDefinition) -> [ModelDifference] {
    var list = DifferenceList(entity: new.name, subject: .entity)
    if old.name != new.name { list.append(.renamed(from: old.name), affectsHash: true) }
    list.compare(.abstract, old.isAbstract, new.isAbstract, affectsHash: true)
    if old.superentityName.map({ newName[$0] ?? $0 }) != new.superentityName {
      list.append(.changed(.parent, from: old.superentityName, to: new.superentityName), affectsHash: true)
    }
    list.compare(.className, old.managedObjectClassName, new.managedObjectClassName, affectsHash: false)
    list.compare(.versionHashModifier, old.versionHashModifier, new.versionHashModifier, affectsHash: true)
    compareProperties(
      old, new, &list, declared: \.attributes, all: \.attributes, subject: ModelDifference.Subject.attribute
    ) { list, former, next, isStored in
      list.compare(former, next, isStored: isStored, movesHash: Self.isMoved(former, next, in: new))
    }
    compareProperties(
      old, new, &list, declared: \.relationships, all: { $0.relationships.map(\.definition) },
      subject: ModelDifference.Subject.relationship
    ) { list, former, next, isStored in
      list.compare(former, next, isStored: isStored)
    }
    compareConstraints(old, new, &list)
    compareIndexes(old, new, &list)
    return list.differences
  }

  /// Properties that an entity declares in one model and inherits in the other have moved; those that it inherits in
  /// both are listed at the entity that declares them.
  /// - Parameters:
  ///   - declared: the properties of one kind that an entity declares.
  ///   - all: those and the ones that it inherits.
  private func compareProperties<Property: ComparedProperty>(
    _ old: EntityDefinition, _ new: EntityDefinition, _ list: inout DifferenceList,
    declared: (EntityDefinition) -> [Property], all: (Entity) -> [Property],
    subject: (String) -> ModelDifference.Subject,
    compare: (_ list: inout DifferenceList, _ old: Property, _ new: Property, _ isStored: Bool) -> Void
  ) {
    let (owned, owning) = (Set(declared(old).map(\.name)), Set(declared(new).map(\.name)))
    for pair in Self.pairs(
      older[old.name].map(all) ?? [], newer[new.name].map(all) ?? [], \.name, \.renamingIdentifier)
    {
      let isStored = !(pair.old?.isTransient ?? true) || !(pair.new?.isTransient ?? true)
      let isOwn = (
        pair.old.map { owned.contains($0.name) } ?? false, pair.new.map { owning.contains($0.name) } ?? false
      )
      guard isOwn.0 || isOwn.1 else { continue }
      list.subject = subject(pair.new?.name ?? pair.old?.name ?? "")
      switch (pair.old, pair.new) {
      case (let former?, let next?):
        if isOwn.0 != isOwn.1 {
          list.append(move(old, new, former.name, next.name, isUp: isOwn.0), affectsHash: isStored)
        }
        compare(&list, former, next, isStored)
      case (nil, _?): list.append(.added, affectsHash: isStored)
      default: list.append(.removed, affectsHash: isStored)
      }
    }
  }

  /// The change of a property that moved to an entity above, or from there.
  private func move(
    _ old: EntityDefinition, _ new: EntityDefinition, _ former: String, _ next: String, isUp: Bool
  ) -> ModelDifference.Change {
    isUp
      ? .movedUp(to: Self.owner(of: next, in: newer[new.name]) ?? new.name)
      : .movedDown(from: Self.owner(of: former, in: older[old.name]) ?? old.name)
  }

  /// The entity that declares a property: the one itself or one above it.
  private static func owner(of property: String, in entity: Entity?) -> String? {
    var owner = entity
    while let parent = owner?.superentity, parent.attribute(property) != nil || parent.relationship(property) != nil {
      owner = parent
    }
    return owner?.name
  }

  /// Whether another name gives an attribute another place among the hashes of the entity's properties, which go in the
  /// order of the names.
  private static func isMoved(
    _ old: AttributeDefinition, _ new: AttributeDefinition, in entity: EntityDefinition
  ) -> Bool {
    if old.name == new.name { return false }
    let stored =
      entity.attributes.filter { !$0.isTransient && $0.name != new.name }
      .map { (name: $0.name, hash: HashRules.hash(of: $0)) }
      + entity.relationships.filter { !$0.isTransient }.map { (name: $0.name, hash: Data($0.name.utf8)) }
    let own = HashRules.hash(of: new)
    func order(_ name: String) -> [Data] { (stored + [(name: name, hash: own)]).sortedByCodePoint(\.name).map(\.hash) }
    return order(old.name) != order(new.name)
  }

  private func compareConstraints(
    _ old: EntityDefinition, _ new: EntityDefinition, _ list: inout DifferenceList
  ) {
    for constraint in old.uniquenessConstraints where !new.uniquenessConstraints.contains(constraint) {
      list.subject = .uniquenessConstraint(constraint)
      list.append(.removed, affectsHash: true)
    }
    for constraint in new.uniquenessConstraints where !old.uniquenessConstraints.contains(constraint) {
      list.subject = .uniquenessConstraint(constraint)
      list.append(.added, affectsHash: true)
    }
  }

  private func compareIndexes(_ old: EntityDefinition, _ new: EntityDefinition, _ list: inout DifferenceList) {
    for pair in Self.pairs(old.fetchIndexes, new.fetchIndexes, \.name, { _ in nil }) {
      list.subject = .fetchIndex(pair.new?.name ?? pair.old?.name ?? "")
      switch (pair.old, pair.new) {
      case (let old?, let new?):
        list.compare(.elements, old.elements.shown, new.elements.shown, affectsHash: false)
        list.compare(
          .partialIndexPredicate, old.partialIndexPredicate, new.partialIndexPredicate, affectsHash: false)
      case (nil, _?): list.append(.added, affectsHash: false)
      default: list.append(.removed, affectsHash: false)
      }
    }
  }
}

/// What attributes and relationships have in common for the comparison.
private protocol ComparedProperty {
  var name: String { get }
  var renamingIdentifier: String? { get }
  var isTransient: Bool { get }
}

extension AttributeDefinition: ComparedProperty {}
extension RelationshipDefinition: ComparedProperty {}

extension [FetchIndexDefinition.Element] {
  /// Such as "latitude R-tree, name descending".
  fileprivate var shown: String {
    map { element in
      let text =
        switch element.content {
        case .property(let name): name
        case .expression(let expression, _): expression
        }
      return text + (element.kind == .rTree ? " R-tree" : element.isAscending ? "" : " descending")
    }.joined(separator: ", ")
  }
}
