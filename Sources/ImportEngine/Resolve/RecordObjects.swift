import ObjectGraph
import ObjectModel
import Pipelines
import StoreInterface

/// The objects that records of the run are about, of entities that have nested objects without `match` too.
///
/// A nested object without `match` belongs to its owner alone: it is written over by the next one, and deleted when its
/// owner has it no more. What a record has said of an object must not go with that, so such an object stays, without
/// its owner, and the report warns.
///
/// A bit for each primary key is kept, and only for entities of which there are both kinds. The run's thread notes
/// objects; a batch's objects are made while that thread waits, which makes the unchecked `Sendable` sound.
final class RecordObjects: @unchecked Sendable {
  /// By the index of an entity's root: the attributes by which records find their objects.
  private let keys: [Int: Set<String>]
  /// By the index of the root and the primary key without its last six bits.
  private var bits: [Int: [Int64: UInt64]] = [:]
  /// By owner's relationship: how many objects stayed.
  private var kept: [String: Int] = [:]

  init(plans: [StepPlan]) {
    var ofRecords: [Int: Set<String>] = [:]
    var ofOwners: Set<Int> = []
    for node in plans.flatMap(\.nodes) {
      let root = node.entity.root.index
      if Self.isOwned(node) {
        ofOwners.insert(root)
      } else {
        ofRecords[root, default: []].formUnion(node.match.compactMap { node.matchedAttribute($0) })
      }
    }
    keys = ofRecords.filter { ofOwners.contains($0.key) && !$0.value.isEmpty }
  }

  /// Whether objects of a node belong to their owners alone.
  private static func isOwned(_ node: NodePlan) -> Bool { node.index > 0 && node.match.isEmpty }

  /// Whether an entity's objects may be both a record's and an owner's.
  func watches(_ entity: Entity) -> Bool { !keys.isEmpty && keys[entity.root.index] != nil }

  /// Notes the stored objects of a node's rows.
  func note(_ node: DecodedNode) {
    guard !Self.isOwned(node.plan), watches(node.plan.entity) else { return }
    for key in node.primaryKeys where key != 0 { note(root: node.plan.entity.root.index, key) }
  }

  /// Notes an object that a record has found.
  func note(_ id: ObjectID, _ entity: Entity) {
    guard watches(entity), let key = id.primaryKey else { return }
    note(root: entity.root.index, key)
  }

  private func note(root: Int, _ primaryKey: Int64) {
    bits[root, default: [:]][primaryKey >> 6, default: 0] |= 1 << UInt64(primaryKey & 63)
  }

  /// Whether a record is about an object.
  func contains(_ object: ManagedObject) -> Bool {
    guard watches(object.entity), let key = object.objectID.primaryKey,
      let word = bits[object.entity.root.index]?[key >> 6]
    else { return false }
    return word & 1 << UInt64(key & 63) != 0
  }

  /// The attributes by which records find objects of a node, as far as its rows may say them, with their columns.
  func attributes(of node: DecodedNode) -> [(name: String, column: Int)] {
    (keys[node.plan.entity.root.index] ?? []).sorted().compactMap { name in
      node.plan.column(.attribute(name)).map { (name, $0) }
    }
  }

  /// Whether a row leaves the attributes by which records find an object as they are.
  func isSame(_ object: ManagedObject, _ node: DecodedNode, row: Int) -> Bool {
    (keys[object.entity.root.index] ?? []).allSatisfy { name in
      guard let column = node.plan.column(.attribute(name)) else { return true }
      // Safety: the column is one of the batch that the plan made, and callers name a row of it.
      return unsafe node.batch.states[column][row] == RowBatch.State.absent.rawValue
        || node.value(column: column, row: row) == object.attributeValue(name)
    }
  }

  /// Notes that an object stays although its owner no longer has it.
  func noteKept(_ relationship: Relationship) {
    kept["\(relationship.entity.name).\(relationship.name)", default: 0] += 1
  }

  /// A sentence for each relationship whose objects stayed.
  var warnings: [String] {
    kept.sorted { $0.key < $1.key }.map { name, count in
      "\(name): \(count.counted("nested object")) \(count == 1 ? "is" : "are") also a record's and "
        + "\(count == 1 ? "stays" : "stay"), although \(count == 1 ? "its owner has it" : "their owners have them") no more; "
        + "give the nested map `match`, so that it finds objects"
    }
  }
}

extension NodePlan {
  /// The attribute that is a part of the match key; nil for a relationship.
  fileprivate func matchedAttribute(_ part: MatchPart) -> String? {
    if case .attribute(let column) = part { columns[column].source.propertyName } else { nil }
  }
}
