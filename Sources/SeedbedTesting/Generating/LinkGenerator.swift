import Seedbed

/// Links the objects of one call of a generator, both sides of a relationship at once.
struct LinkGenerator {
  let made: GeneratedObjects
  private let unique: UniqueMembers

  init(_ made: GeneratedObjects) {
    self.made = made
    unique = UniqueMembers(made.model)
  }

  func link(_ random: inout RepeatableRandom) throws {
    func name(_ relationship: Relationship) -> String { "\(relationship.declaringEntity.name).\(relationship.name)" }
    var done: Set<String> = []
    for relationship in made.relationships where !done.contains(name(relationship)) {
      let inverse = relationship.inverse
      if let inverse { done.insert(name(inverse)) }
      switch (relationship.isToMany, inverse?.isToMany) {
      case (false, false): linkPairs(relationship, &random)
      case (false, _): linkSingles(relationship, list: inverse, &random)
      case (true, false): if let inverse { linkSingles(inverse, list: relationship, &random) }
      case (true, _): try MemberLinks(made, relationship, &random).apply()
      }
    }
    try checkCounts()
    try checkConstraints()
  }

  /// Whether an optional link is left out this time: one in eight is.
  static func isLeftOut(_ relationship: Relationship, _ random: inout RepeatableRandom) -> Bool {
    relationship.definition.isOptional && Int.random(in: 0..<8, using: &random) == 0
  }

  static func overlap(_ first: Entity, _ second: Entity) -> Bool {
    first.isKind(of: second) || second.isKind(of: first)
  }

  // MARK: - One to one

  private func linkPairs(_ relationship: Relationship, _ random: inout RepeatableRandom) {
    let owners = made.ofKind(relationship.declaringEntity)
    guard let inverse = relationship.inverse, !owners.isEmpty else { return }
    if relationship.isOwnInverse {
      let shuffled = owners.shuffled(using: &random)
      for pair in stride(from: 0, to: shuffled.count - 1, by: 2) {
        shuffled[pair].setObject(shuffled[pair + 1], for: relationship.name)
      }
    } else if Self.overlap(relationship.declaringEntity, relationship.destination) {
      // A chain, closed where each must have one.
      let isClosed = relationship.definition.isMandatory || inverse.definition.isMandatory
      for (position, owner) in owners.enumerated() where isClosed || position + 1 < owners.count {
        owner.setObject(owners[(position + 1) % owners.count], for: relationship.name)
      }
    } else {
      for (owner, other) in zip(owners, made.ofKind(relationship.destination).shuffled(using: &random)) {
        if !inverse.definition.isMandatory, Self.isLeftOut(relationship, &random) { continue }
        owner.setObject(other, for: relationship.name)
      }
    }
  }

  // MARK: - Many to one

  /// - Parameters:
  ///   - single: the to-one side.
  ///   - list: the other side, where there is one.
  private func linkSingles(_ single: Relationship, list: Relationship?, _ random: inout RepeatableRandom) {
    let others = made.ofKind(single.destination)
    if others.isEmpty { return }
    let owners = made.ofKind(single.declaringEntity)
    if Self.overlap(single.declaringEntity, single.destination) {
      return linkTree(owners, others, single, &random)
    }
    let least = list?.definition.minimumCount ?? 0
    let most = list.map { $0.definition.maximumCount } ?? 0
    // Where a list must not be short, fewer are filled.
    let targets =
      least > 1 || list?.definition.isMandatory == true
      ? Array(others.prefix(owners.count / max(least, 1))) : others
    if targets.isEmpty { return }
    var members = FreeMembers(count: targets.count, most: most)
    let needed = targets.count < others.count || least > 0 ? least * targets.count : 0
    for (position, owner) in owners.shuffled(using: &random).enumerated() {
      let isUnique = unique.contains(single, of: owner.entity.handle)
      var place = position / max(least, 1)
      if position >= needed || !members.isFree(place, isUnique: isUnique) {
        if Self.isLeftOut(single, &random) { continue }
        guard let free = members.any(isUnique: isUnique, &random) else { continue }
        place = free
      }
      members.take(place, isUnique: isUnique)
      owner.setObject(targets[place], for: single.name)
    }
  }

  /// A parent is an earlier object, so that there are no circles; where each must have one, those without have
  /// themselves.
  private func linkTree(
    _ owners: [ManagedObject], _ others: [ManagedObject], _ single: Relationship, _ random: inout RepeatableRandom
  ) {
    let places = others.map { made.place(of: $0) }
    var members = FreeMembers(count: others.count, most: single.inverse?.definition.maximumCount ?? 0)
    var earlier = 0
    for owner in owners {
      let isUnique = unique.contains(single, of: owner.entity.handle)
      let place = made.place(of: owner)
      while earlier < others.count, places[earlier] < place { earlier += 1 }
      if Self.isLeftOut(single, &random) { continue }
      var parent = members.any(in: max(earlier - 64, 0)..<earlier, isUnique: isUnique, &random)
      if parent == nil, single.definition.isMandatory {
        let own = earlier < others.count && others[earlier] === owner ? earlier : 0
        // An object that must not share its parent takes any parent that is left.
        parent = !isUnique || members.isFree(own, isUnique: true) ? own : members.any(isUnique: true, &random)
      }
      guard let parent else { continue }
      members.take(parent, isUnique: isUnique)
      owner.setObject(others[parent], for: single.name)
    }
  }

  // MARK: - The result

  /// - Throws: `GenerationError` for the first relationship that does not have as many members as the model says.
  private func checkCounts() throws {
    for relationship in made.relationships {
      let rules = relationship.definition
      let isCounted = relationship.isToMany && (rules.minimumCount > 0 || rules.maximumCount > 0)
      guard rules.isMandatory || isCounted else { continue }
      for object in made.ofKind(relationship.declaringEntity) {
        let count: Int
        if relationship.isToMany {
          count = try object.objectIDs(for: relationship.name).count
        } else {
          count = object.objectID(for: relationship.name) == nil ? 0 : 1
        }
        let isMissing = count == 0 && rules.isMandatory
        let isShort = relationship.isToMany && count > 0 && count < rules.minimumCount
        let isLong = relationship.isToMany && rules.maximumCount > 0 && count > rules.maximumCount
        guard isMissing || isShort || isLong else { continue }
        throw GenerationError(
          object.entity.handle.name, relationship.name,
          "an object would have \(count) members, against the model's rules",
          hint: "generate another number of \(relationship.destination.name) with them, or link these by hand")
      }
    }
  }

  /// - Throws: `GenerationError` for the first uniqueness constraint that two objects would break: of attributes that
  ///   are made without regard to it, or with too few objects to lead to.
  private func checkConstraints() throws(GenerationError) {
    for entity in made.model.handles {
      let own = entity.uniquenessConstraints.dropFirst(entity.superentity?.uniquenessConstraints.count ?? 0)
      for constraint in own where UniqueAttributes.path(of: constraint, in: entity) == nil {
        var seen: Set<[Value]> = []
        for object in made.ofKind(entity) {
          let values = constraint.map { value(of: $0, object) }
          if values.contains(.null) || seen.insert(values).inserted { continue }
          let names = constraint.joined(separator: ", ")
          throw GenerationError(
            object.entity.handle.name, constraint.count == 1 ? names : nil,
            "two objects would have the same \(names), which must be unique",
            hint: "generate fewer of them, say how the values are made, or set these by hand")
        }
      }
    }
  }

  /// A part of a constraint: an attribute, a composite's element, or the object that a relationship leads to.
  private func value(of path: String, _ object: ManagedObject) -> Value {
    if object.entity.handle.relationship(path) != nil {
      return object.object(for: path).map { .integer(Int64(made.place(of: $0))) } ?? .null
    }
    let names = path.split(separator: ".").map(String.init)
    return (object[names.first ?? ""] ?? .null).element(at: names.dropFirst())
  }
}
