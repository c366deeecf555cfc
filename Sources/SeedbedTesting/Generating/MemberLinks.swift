import Seedbed

/// The members of one to-many relationship whose other side, if it has one, is to-many as well.
struct MemberLinks {
  private let relationship: Relationship
  private let owners: [ManagedObject]
  private let others: [ManagedObject]
  /// Positions of members by the position of the owner, and the other way round. Of a relationship that is its own
  /// inverse both are the same.
  private var members: [Set<Int>]
  private var backs: [Set<Int>]
  private let isReflexive: Bool

  init(_ made: GeneratedObjects, _ relationship: Relationship, _ random: inout RepeatableRandom) {
    self.relationship = relationship
    owners = made.ofKind(relationship.declaringEntity)
    others = made.ofKind(relationship.destination)
    members = Array(repeating: [], count: owners.count)
    backs = Array(repeating: [], count: others.count)
    isReflexive = relationship.isOwnInverse
    if others.isEmpty { return }
    let rules = relationship.definition
    for owner in owners.indices {
      if LinkGenerator.isLeftOut(relationship, &random) { continue }
      let least = max(rules.minimumCount, rules.isMandatory ? 1 : 0)
      let wanted = Int.random(in: max(least, 1)...max(least, 1) + 2, using: &random)
      fill(owner, upTo: room(wanted, rules), &random)
    }
    raiseBacks(&random)
  }

  private func room(_ wanted: Int, _ rules: RelationshipDefinition) -> Int {
    rules.maximumCount > 0 ? min(wanted, rules.maximumCount) : wanted
  }

  private mutating func fill(_ owner: Int, upTo count: Int, _ random: inout RepeatableRandom) {
    let most = relationship.inverse?.definition.maximumCount ?? 0
    let start = Int.random(in: others.indices, using: &random)
    for step in others.indices {
      if members[owner].count >= count { return }
      // Near ones, in the order of a stride that meets all.
      let other = (start + step) % others.count
      if others[other] === owners[owner] || members[owner].contains(other) { continue }
      if most > 0, backs[other].count >= most { continue }
      add(owner, other)
    }
  }

  private mutating func add(_ owner: Int, _ other: Int) {
    members[owner].insert(other)
    backs[other].insert(owner)
    if isReflexive {
      members[other].insert(owner)
      backs[owner].insert(other)
    }
  }

  /// Gives members of too few owners some more.
  private mutating func raiseBacks(_ random: inout RepeatableRandom) {
    guard let inverse = relationship.inverse, !owners.isEmpty else { return }
    let rules = inverse.definition
    let most = relationship.definition.maximumCount
    for other in others.indices {
      let count = backs[other].count
      guard count < rules.minimumCount, count > 0 || rules.isMandatory else { continue }
      let start = Int.random(in: owners.indices, using: &random)
      for step in owners.indices where backs[other].count < rules.minimumCount {
        let owner = (start + step) % owners.count
        if owners[owner] === others[other] || backs[other].contains(owner) { continue }
        if most > 0, members[owner].count >= most { continue }
        add(owner, other)
      }
    }
  }

  func apply() throws {
    for (owner, members) in members.enumerated() where !members.isEmpty {
      try owners[owner].setObjects(members.sorted().map { others[$0] }, for: relationship.name)
    }
  }
}
