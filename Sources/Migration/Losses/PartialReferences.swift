import ObjectGraph
import ObjectModel
import Predicates

/// The losses by look-ups that find a part of a relationship's objects: references between objects that are both
/// mapped, which neither side's expressions bring along.
struct PartialReferences {
  /// A relationship whose references from the objects of an entity go in part.
  private struct Entry {
    let relationship: Relationship
    let entity: Entity
    let forward: [RelationshipCarriers.Carrier]
    let backward: [RelationshipCarriers.Carrier]

    /// Such as `Item.tags: 3 references`.
    func text(_ count: Int? = nil) -> String {
      let names = Set((forward.filter { $0.sources.entity == entity.name } + backward).flatMap(\.names)).sorted()
      let number = count.map { $0 == 1 ? "1 reference goes" : "\($0) references go" } ?? "references go"
      return "\(entity.name).\(relationship.name): \(number), as their objects are not found in the entity "
        + "\(names.count == 1 ? "mapping" : "mappings") that the expressions name (\(names.joined(separator: ", ")))"
    }
  }

  private var entries: [Entry] = []
  /// What each entity's mappings have.
  private var selections: [String: [MappedSelection]] = [:]

  /// Relationships of entities whose objects are not known, or are passed to the program's own code, are left out.
  /// - Parameter policies: those that the program has.
  init(_ model: MappingModel, from older: ManagedObjectModel, _ policies: MigrationPolicies) {
    var unknown: Set<String> = []
    for mapping in model.entityMappings where mapping.mappingType != .remove {
      guard let entity = mapping.sourceEntityName.flatMap({ older[$0] }) else { continue }
      let hasPolicy = mapping.entityMigrationPolicyClassName.map { !policies.isPlain($0) } ?? false
      if hasPolicy || SourceReads(mapping, entity).callsProgram { unknown.insert(entity.name) }
      if mapping.sourceExpression == nil { continue }
      if let selection = MappedSelection(mapping) {
        selections[entity.name, default: []].append(selection)
      } else {
        unknown.insert(entity.name)
      }
    }
    var seen: Set<[String]> = []
    for entity in older.entities {
      for relationship in entity.relationships
      where relationship.declaringEntity == entity && !relationship.definition.isTransient {
        if let inverse = relationship.inverse, seen.contains([inverse.declaringEntity.name, inverse.name]) { continue }
        seen.insert([entity.name, relationship.name])
        note(relationship, model, older, unknown)
      }
    }
  }

  private mutating func note(
    _ relationship: Relationship, _ model: MappingModel, _ older: ManagedObjectModel, _ unknown: Set<String>
  ) {
    func concrete(_ entity: Entity) -> [Entity] { older.entities.filter { !$0.isAbstract && $0.isKind(of: entity) } }
    let (owners, targets) = (concrete(relationship.declaringEntity), concrete(relationship.destination))
    if (owners + targets).contains(where: { unknown.contains($0.name) }) { return }
    guard let forward = RelationshipCarriers(relationship, model, older)?.all else { return }
    var backward: [RelationshipCarriers.Carrier] = []
    if let inverse = relationship.inverse {
      guard let carriers = RelationshipCarriers(inverse, model, older)?.all else { return }
      backward = carriers
    }
    for owner in owners {
      // A relationship that no expression reads is told as lost as a whole.
      if backward.isEmpty, !forward.contains(where: { $0.sources.entity == owner.name }) { continue }
      let isComplete = targets.allSatisfy { target in
        findsAll(target.name, of: owner.name, forward) || findsAll(owner.name, of: target.name, backward)
      }
      if isComplete { continue }
      entries.append(Entry(relationship: relationship, entity: owner, forward: forward, backward: backward))
    }
  }

  /// Whether each mapped object of an entity has an expression that finds all mapped objects of another.
  private func findsAll(_ target: String, of owner: String, _ carriers: [RelationshipCarriers.Carrier]) -> Bool {
    let targets = selections[target] ?? []
    let whole = carriers.filter { $0.sources.entity == owner && $0.finds(target, of: targets) }.map(\.sources)
    return targets.isEmpty || whole.contains(MappedSelection(owner))
      || (selections[owner] ?? []).allSatisfy(whole.contains)
  }

  // MARK: - Losses

  /// Whether there are none, so that the objects need not be read.
  var isEmpty: Bool { entries.isEmpty }

  /// The possible losses, where the objects are not known yet.
  var possibleLosses: [String] { entries.map { $0.text() } }

  /// The losses of a store.
  /// - Parameter context: of the store, which is of the older model.
  func losses(in context: ManagedObjectContext) throws -> [String] {
    var members = SelectionMembers(context)
    return try entries.compactMap { entry in
      let count = try self.count(entry, &members, context)
      return count == 0 ? nil : entry.text(count)
    }
  }

  private static let batchSize = 1_000

  private func count(
    _ entry: Entry, _ members: inout SelectionMembers, _ context: ManagedObjectContext
  ) throws -> Int {
    let request = FetchRequest<ManagedObject>(entity: entry.entity)
    request.includesSubentities = false
    request.fetchLimit = Self.batchSize
    let name = entry.relationship.name
    if entry.relationship.isToMany { request.relationshipKeyPathsForPrefetching = [name] }
    var count = 0
    while true {
      let objects = try context.fetch(request)
      for object in objects where try isMapped(object.objectID, &members) {
        for target in object.objectIDs(forRelationshipNamed: name) where try isMapped(target, &members) {
          if try !isCarried(object.objectID, target, entry, &members) { count += 1 }
        }
      }
      if objects.count < Self.batchSize { return count }
      request.fetchOffset += Self.batchSize
      context.reset()
    }
  }

  private func isMapped(_ id: ObjectID, _ members: inout SelectionMembers) throws -> Bool {
    try (selections[id.entity.name] ?? []).contains { try members.contains(id, $0) }
  }

  private func isCarried(
    _ owner: ObjectID, _ target: ObjectID, _ entry: Entry, _ members: inout SelectionMembers
  ) throws -> Bool {
    func isFound(_ id: ObjectID, from other: ObjectID, _ carriers: [RelationshipCarriers.Carrier]) throws -> Bool {
      try carriers.contains { carrier in
        guard try members.contains(other, carrier.sources) else { return false }
        return try carrier.targets?.contains { try members.contains(id, $0) } ?? true
      }
    }
    return try isFound(target, from: owner, entry.forward) || isFound(owner, from: target, entry.backward)
  }
}

/// The objects that selections have in a store, each looked up once.
private struct SelectionMembers {
  private let context: ManagedObjectContext
  private var known: [MappedSelection: Set<ObjectID>] = [:]

  init(_ context: ManagedObjectContext) { self.context = context }

  mutating func contains(_ id: ObjectID, _ selection: MappedSelection) throws -> Bool {
    if id.entity.name != selection.entity { return false }
    if selection.filter == FilteredObjects.everything { return true }
    if let ids = known[selection] { return ids.contains(id) }
    let request = FetchRequest<ManagedObject>(entity: id.entity)
    request.predicate = try FetchPredicate(parsing: selection.filter)
    request.includesSubentities = false
    let ids = Set(try context.objectIDs(for: request))
    known[selection] = ids
    return ids.contains(id)
  }
}
