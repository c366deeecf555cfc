/// Goes through two models as Core Data does when it infers a mapping; the rules are in `LightweightMigration`.
struct MappingInference {
  private let older: ManagedObjectModel
  private let newer: ManagedObjectModel
  /// Entities of both models, by the newer names.
  private(set) var pairs: [(old: Entity, new: Entity)] = []
  private(set) var added: [Entity] = []
  private(set) var removed: [Entity] = []
  /// Newer entity → newer property → the older property whose values it takes over.
  private(set) var sources: [String: [String: String]] = [:]
  /// Older name → newer entity.
  private var successor: [String: Entity] = [:]
  /// The items that were added already, because an inherited property is met in every sub-entity.
  private var known: Set<LightweightMigration.Item> = []
  private(set) var result = LightweightMigration()
  /// Whether entities of one name are declared alike, with all above them, by the position of the older.
  private var sameness: [Int: Bool] = [:]

  private enum List { case obstacles, conditions, losses }

  init(older: ManagedObjectModel, newer: ManagedObjectModel) {
    self.older = older
    self.newer = newer
  }

  /// - Parameter isWanted: called before each entity is compared, with what was found so far; false ends the work.
  mutating func run(while isWanted: (LightweightMigration) -> Bool = { _ in true }) {
    for pair in ModelComparison.pairs(older.definitions, newer.definitions, \.name, \.renamingIdentifier) {
      let old = pair.old.flatMap { older[$0.name] }
      let new = pair.new.flatMap { newer[$0.name] }
      if let old, let new {
        pairs.append((old, new))
        successor[old.name] = new
      } else if let old {
        removed.append(old)
        // An abstract entity has no objects of its own, so removing it loses none.
        if !old.isAbstract { add(.losses, old.name, nil, "removed, its objects go") }
      } else if let new {
        added.append(new)
      }
    }
    findMergedHierarchies()
    for pair in pairs {
      guard isWanted(result) else { return }
      if isSame(pair.old, pair.new) {
        keepAll(pair.old, pair.new)
        continue
      }
      if pair.new.isAbstract && !pair.old.isAbstract {
        add(.conditions, pair.new.name, nil, "abstract now, so the store must have no objects of this very entity")
      }
      compareAttributes(pair.old, pair.new)
      compareRelationships(pair.old, pair.new)
      let kept = Set(pair.old.uniquenessConstraints)
      for constraint in pair.new.definition.uniquenessConstraints where !kept.contains(constraint) {
        add(
          .conditions, pair.new.name, nil,
          "no two objects may have the same \(constraint.joined(separator: ", ")), which must be unique now")
      }
    }
  }

  /// Whether an entity and all above it are declared as they were, so that nothing of it has to be compared.
  private mutating func isSame(_ old: Entity, _ new: Entity) -> Bool {
    guard old.name == new.name else { return false }
    if let known = sameness[old.index] { return known }
    var result = old.definition == new.definition
    if result, let parent = old.superentity, let newParent = new.superentity { result = isSame(parent, newParent) }
    sameness[old.index] = result
    return result
  }

  /// Maps each property of an unchanged entity to itself. The destinations of its relationships are compared all the
  /// same, because these entities may have changed.
  private mutating func keepAll(_ old: Entity, _ new: Entity) {
    for attribute in new.storedAttributes where attribute.derivation == nil {
      setSource(attribute.name, for: attribute.name, of: new)
    }
    for (from, to) in zip(old.relationships, new.relationships) where !to.definition.isTransient {
      compareDestinations(from, to)
      setSource(from.name, for: to.name, of: new)
    }
  }

  private mutating func setSource(_ old: String, for new: String, of entity: Entity) {
    sources[entity.name, default: [:]][new] = old
  }

  private mutating func add(_ list: List, _ entity: String, _ property: String?, _ message: String) {
    let item = LightweightMigration.Item(entity: entity, property: property, message: message)
    guard known.insert(item).inserted else { return }
    switch list {
    case .obstacles: result.obstacles.append(item)
    case .conditions: result.conditions.append(item)
    case .losses: result.losses.append(item)
    }
  }

  /// Entities that share no ancestor in the older model must not share one in the newer.
  private mutating func findMergedHierarchies() {
    var firstOfRoot: [String: Entity] = [:]
    for pair in pairs {
      let root = pair.new.root.name
      guard let first = firstOfRoot[root] else {
        firstOfRoot[root] = pair.old
        continue
      }
      if first.root != pair.old.root {
        add(
          .obstacles, pair.new.name, nil,
          "shares the ancestor \(root) with \(successor[first.name]?.name ?? first.name) now, and had none in common "
            + "before: Core Data does not merge hierarchies")
        if let item = result.obstacles.last { result.mergedHierarchies.append(item) }
      }
    }
  }

  // MARK: - Attributes

  private mutating func compareAttributes(_ old: Entity, _ new: Entity) {
    let pairs = ModelComparison.pairs(old.storedAttributes, new.storedAttributes, \.name, \.renamingIdentifier)
    for pair in pairs {
      switch (pair.old, pair.new) {
      case (let from?, let to?):
        compare(from, to, declaringEntity(of: to.name, in: new).name)
        if to.derivation == nil { setSource(from.name, for: to.name, of: new) }
      case (nil, let to?) where to.derivation == nil && isIncomplete(to):
        add(
          .obstacles, declaringEntity(of: to.name, in: new).name, to.name, "new and mandatory, without a default value")
      case (let from?, nil) where !old.isAbstract:
        let owner = declaringEntity(of: from.name, in: old)
        // A property that moved down the hierarchy is still there in the sub-entities; those without it lose it.
        let isKept = { (newer: Entity) in
          ModelComparison.pairs(owner.storedAttributes, newer.storedAttributes, \.name, \.renamingIdentifier)
            .contains { $0.old?.name == from.name && $0.new != nil }
        }
        add(.losses, loser(old, owner, isKept), from.name, "removed, its values go")
      default: break
      }
    }
  }

  /// Whether objects that get the attribute's defaults lack a value that it demands. An optional composite demands its
  /// elements only where another element has a default.
  private func isIncomplete(_ attribute: AttributeDefinition) -> Bool {
    let leaves = StoredAttribute.leaves(of: attribute)
    return leaves.contains { leaf in
      guard leaf.demandsValue else { return false }
      guard let composite = attribute.optionalComposite(around: leaf.names) else { return true }
      return leaves.contains { $0.names.starts(with: composite) && $0.attribute.defaultValue != .null }
    }
  }

  private mutating func compare(_ from: AttributeDefinition, _ to: AttributeDefinition, _ entity: String) {
    if to.derivation != nil, from.derivation == nil { add(.losses, entity, to.name, "derived now, its values go") }
    if to.derivation != nil || from.derivation != nil && to.type == from.type { return }
    if from.type != to.type {
      add(.obstacles, entity, to.name, "changes its type from \(from.type) to \(to.type)")
    } else if from.composite.map({ _ in StoredAttribute.leaves(of: from).map(\.shape) })
      != to.composite.map({ _ in StoredAttribute.leaves(of: to).map(\.shape) })
    {
      add(.obstacles, entity, to.name, "changes the elements of its composite type")
    }
    if from.isOptional && !to.isOptional && to.defaultValue == .null {
      add(.obstacles, entity, to.name, "becomes mandatory, without a default value")
    }
    guard from.composite != nil, to.composite != nil else { return }
    for (old, new) in zip(StoredAttribute.leaves(of: from), StoredAttribute.leaves(of: to))
    where old.attribute.isOptional && new.demandsValue {
      add(.obstacles, entity, new.path, "becomes mandatory, without a default value")
    }
  }

  /// The newer name of the entity that a loss is reported of: the one that declared the property. Where that keeps it,
  /// because only `old` has left the hierarchy, it is `old` itself.
  private func loser(_ old: Entity, _ owner: Entity, _ isKept: (Entity) -> Bool) -> String {
    let next = successor[owner.name]
    if owner != old, let next, isKept(next) { return (successor[old.name] ?? old).name }
    return (next ?? owner).name
  }

  private func declaringEntity(of attribute: String, in entity: Entity) -> Entity {
    var owner = entity
    while let parent = owner.superentity, parent.attribute(attribute) != nil { owner = parent }
    return owner
  }

  // MARK: - Relationships

  private mutating func compareRelationships(_ old: Entity, _ new: Entity) {
    let before = old.relationships.filter { !$0.definition.isTransient }
    let after = new.relationships.filter { !$0.definition.isTransient }
    for pair in ModelComparison.pairs(before, after, \.name, \.definition.renamingIdentifier) {
      switch (pair.old, pair.new) {
      case (let from?, let to?):
        compare(from, to)
        setSource(from.name, for: to.name, of: new)
      case (nil, let to?) where to.definition.isMandatory:
        add(
          .conditions, to.declaringEntity.name, to.name,
          "new and mandatory, so the store must have no \(to.declaringEntity.name), or the app must fill it")
      case (let from?, nil) where !old.isAbstract:
        let owner = from.declaringEntity
        let isKept = { (newer: Entity) in
          ModelComparison.pairs(owner.relationships, newer.relationships, \.name, \.definition.renamingIdentifier)
            .contains { $0.old?.name == from.name && $0.new?.definition.isTransient == false }
        }
        add(.losses, loser(old, owner, isKept), from.name, "removed, its references go")
      default: break
      }
    }
  }

  private mutating func compare(_ from: Relationship, _ to: Relationship) {
    let entity = to.declaringEntity.name
    if from.isToMany && !to.isToMany {
      add(.obstacles, entity, to.name, "changes from to-many to to-one")
    }
    compareDestinations(from, to)
    if !from.definition.isMandatory && to.definition.isMandatory {
      add(.conditions, entity, to.name, "becomes mandatory, so every object must have one")
    }
    let isTighter =
      to.isToMany && from.isToMany
      && (to.definition.minimumCount > from.definition.minimumCount
        || to.definition.maximumCount > 0
          && (from.definition.maximumCount <= 0 || to.definition.maximumCount < from.definition.maximumCount))
    if isTighter {
      add(.conditions, entity, to.name, "has tighter limits of its number of objects, which every object must meet")
    }
  }

  private mutating func compareDestinations(_ from: Relationship, _ to: Relationship) {
    let entity = to.declaringEntity.name
    let destination = successor[from.destination.name]
    if let destination, !destination.isKind(of: to.destination) {
      add(.obstacles, entity, to.name, "leads to \(to.destination.name) instead of \(destination.name)")
    } else if destination == nil {
      add(
        .obstacles, entity, to.name,
        "leads to \(to.destination.name) instead of \(from.destination.name), which is gone")
    }
  }
}

extension StoredAttribute {
  /// The parts of a composite that a migration depends on; the composite attribute itself may have another name.
  fileprivate var shape: String { "\(names.dropFirst().joined(separator: ".")): \(attribute.type)" }

  /// Whether each row must have a value for it, and no default gives one.
  fileprivate var demandsValue: Bool { !attribute.isOptional && attribute.defaultValue == .null }
}
