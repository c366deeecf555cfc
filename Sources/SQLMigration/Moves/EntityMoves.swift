import CoreDataLayout
import ObjectModel
import StoreInterface

/// Which rows of the old store become which of the new one: each concrete entity's rows go to one entity, with primary
/// keys that stay or are raised by one offset.
struct EntityMoves {
  /// The rows of one entity.
  struct Move {
    let old: Entity
    let new: Entity
    let mapping: EntityMapping
    /// What is added to primary keys; not 0 where rows come into a table that has rows of another hierarchy.
    var offset: Int64 = 0
  }

  let old: StoreLayout
  let new: StoreLayout
  private(set) var moves: [Move] = []
  /// Old concrete entities whose rows go.
  private(set) var removed: [Entity] = []
  private var moveByOldIndex: [Int: Int] = [:]
  /// Source property by new property, by position in `moves`.
  private var sources: [[String: String]] = []

  /// - Throws: `StoreError.unsupported` when the mapping does more than take values over.
  init(_ old: StoreLayout, _ new: StoreLayout, _ mapping: MappingModel) throws(StoreError) {
    self.old = old
    self.new = new
    for mapping in mapping.entityMappings {
      guard let source = mapping.sourceEntityName else { continue }
      guard let from = old.model[source] else {
        throw Self.refusal(mapping, "the store's model has no entity \(source)")
      }
      guard let target = mapping.destinationEntityName else { continue }
      guard let to = new.model[target] else { throw Self.refusal(mapping, "the new model has no entity \(target)") }
      guard moveByOldIndex[from.index] == nil else {
        throw Self.refusal(mapping, "\(source) has several mappings")
      }
      guard mapping.entityMigrationPolicyClassName == nil else { throw Self.refusal(mapping, "it has a policy") }
      moveByOldIndex[from.index] = moves.count
      moves.append(Move(old: from, new: to, mapping: mapping))
      var names: [String: String] = [:]
      for property in mapping.attributeMappings + mapping.relationshipMappings {
        guard property.valueExpression != nil else { continue }
        guard let name = property.sourcePropertyName else {
          throw Self.refusal(mapping, "the value of \(property.name) is computed")
        }
        names[property.name] = name
      }
      sources.append(names)
    }
    removed = old.entitiesByNumber.filter { !$0.isAbstract && moveByOldIndex[$0.index] == nil }
  }

  private static func refusal(_ mapping: EntityMapping, _ reason: String) -> StoreError {
    .unsupported("the mapping \(mapping.name) cannot be carried out in place: \(reason)")
  }

  /// The same with keys raised where several hierarchies come into one table: above those of the hierarchies before
  /// them, also where some keys are negative.
  /// - Parameter keys: the lowest key in the table of an old root and the highest, which may be one that was given out
  ///   last.
  /// - Throws: `StoreError.notAStore` where keys would be higher than keys can be.
  mutating func raiseKeys(path: String, _ keys: (Entity) throws -> (lowest: Int64, highest: Int64)) throws {
    for root in new.tables.map(\.root) {
      let oldRoots = oldRoots(of: root)
      // With one old hierarchy, keys stay and need not be read.
      if oldRoots.count < 2 { continue }
      var last: Int64?
      for oldRoot in oldRoots {
        let (lowest, highest) = try keys(oldRoot)
        // Keys begin at 1; the first hierarchy keeps what it has.
        let (gap, isTooFar) = Int64(1).subtractingReportingOverflow(min(lowest, 1))
        let (offset, isTooHigh) = last.map { $0.addingReportingOverflow(gap) } ?? (0, false)
        let (sum, overflows) = offset.addingReportingOverflow(highest)
        if last != nil, isTooFar || isTooHigh || overflows {
          throw StoreError.notAStore(
            path: path,
            message: "the primary keys of \(oldRoot.name) are too high to be raised for the hierarchy of \(root.name)")
        }
        for index in moves.indices where moves[index].new.root == root && moves[index].old.root == oldRoot {
          moves[index].offset = offset
        }
        last = max(last ?? 0, sum)
      }
    }
  }

  /// The old hierarchies that have rows for a new one. The first keeps its keys: that of the new root's predecessor,
  /// else the first by number.
  func oldRoots(of newRoot: Entity) -> [Entity] {
    var roots: [Entity] = []
    for move in moves where move.new.root == newRoot && !roots.contains(move.old.root) { roots.append(move.old.root) }
    let first = moves.first { $0.new == newRoot }?.old.root
    return roots.sorted { left, right in
      if (left == first) != (right == first) { return left == first }
      return old.number(of: left) < old.number(of: right)
    }
  }

  /// The move of an old entity's rows; nil when they are removed.
  func move(of entity: Entity) -> Move? { moveByOldIndex[entity.index].map { moves[$0] } }

  /// The moves of concrete old entities to a new entity or its descendants.
  func moves(toKind entity: Entity) -> [Move] {
    moves.filter { !$0.old.isAbstract && $0.new.isKind(of: entity) }
  }

  /// The old property that a new one of the rows takes its values or objects from.
  func sourceName(of property: String, _ move: Move) -> String? {
    moveByOldIndex[move.old.index].flatMap { sources[$0][property] }
  }

  /// The old attribute that a derived one of the rows was: that of its name, or else the derived one that its renaming
  /// identifier leads to.
  func derivedName(of attribute: String, _ move: Move) -> String? {
    if move.old.attribute(attribute) != nil { return attribute }
    guard let former = move.new.attribute(attribute)?.renamingIdentifier, move.new.attribute(former) == nil,
      move.old.attribute(former)?.derivation != nil
    else { return nil }
    return former
  }

  /// The old relationship that a new one of the rows takes its objects from.
  func source(of relationship: Relationship, _ move: Move) -> Relationship? {
    sourceName(of: relationship.name, move).flatMap { move.old.relationship($0) }
  }

  /// The concrete old entities of a kind.
  func concrete(kindOf entity: Entity) -> [Entity] {
    old.entitiesByNumber.filter { !$0.isAbstract && $0.isKind(of: entity) }
  }
}

/// The new form of references to rows of some old entities, as SQL.
struct ReferenceMap {
  /// A row's new place.
  private struct Target: Hashable {
    var number: Int
    var offset: Int64
  }

  private let targets: [(old: Int, new: Target?)]

  /// - Parameters:
  ///   - entities: the concrete entities that references lead to.
  ///   - place: the move of their rows; nil where references to them are lost.
  init(_ moves: EntityMoves, _ entities: [Entity], _ place: (Entity) -> EntityMoves.Move?) {
    targets = entities.map { entity in
      (
        moves.old.number(of: entity),
        place(entity).map { Target(number: moves.new.number(of: $0.new), offset: $0.offset) }
      )
    }
  }

  /// Whether some references are lost.
  var losesSome: Bool { targets.contains { $0.new == nil } }
  /// Old entity numbers to which references are lost.
  var lost: [Int] { targets.filter { $0.new == nil }.map(\.old) }
  /// Whether keys stay as they are.
  var keepsKeys: Bool { targets.allSatisfy { $0.new?.offset == 0 } }
  /// Whether keys do not depend on the entity.
  private var isUniform: Bool { !losesSome && Set(targets.map { $0.new?.offset }).count <= 1 }

  /// What is added to every key; nil where that depends on the entity.
  var offset: Int64? { isUniform ? targets.first?.new?.offset ?? 0 : nil }

  /// The new key.
  /// - Parameters:
  ///   - key: SQL of the old key.
  ///   - entity: SQL of the old entity number.
  func key(_ key: String, entity: String) -> String {
    guard let first = targets.first else { return key }
    if isUniform { return Self.raised(key, first.new?.offset ?? 0) }
    let known = targets.filter { $0.new != nil }
    if known.isEmpty { return "NULL" }
    let cases = Dictionary(grouping: known) { $0.new?.offset ?? 0 }.sorted { $0.key < $1.key }.map { offset, group in
      "WHEN \(entity) IN (\(group.map { String($0.old) }.joined(separator: ", "))) THEN \(Self.raised(key, offset))"
    }
    return "CASE \(cases.joined(separator: " ")) END"
  }

  private static func raised(_ key: String, _ offset: Int64) -> String { offset == 0 ? key : "\(key) + \(offset)" }

  /// The new entity number; null where the reference is null or lost.
  func number(_ key: String, entity: String) -> String {
    // Without possible targets there is no reference, whatever the entity number is.
    if targets.isEmpty { return Int(entity) == nil ? entity : "NULL" }
    let known = targets.compactMap { target in target.new.map { (target.old, $0.number) } }
    if known.isEmpty { return "NULL" }
    // Without a column for the entity, the number is a constant, which counts only where there is a reference.
    if !losesSome, Int(entity) == nil, known.allSatisfy({ $0.0 == $0.1 }) { return entity }
    if !losesSome, Set(known.map(\.1)).count == 1 { return "CASE WHEN \(key) IS NOT NULL THEN \(known[0].1) END" }
    let cases = known.map { "WHEN \($0.0) THEN \($0.1)" }.joined(separator: " ")
    return "CASE \(entity) \(cases) END"
  }
}
