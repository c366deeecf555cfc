import ObjectModel
import StoreInterface

/// The match keys of new records that are held back. A later step's record of the same key must not be written before
/// them: of several records of one object, the last one counts.
struct HeldKeys {
  private struct Key: Hashable {
    /// Of the root of the entity's hierarchy.
    var entity: Int
    var properties: [String]
    var bytes: [UInt8]
  }
  /// The numbers of the steps that hold a record of the key.
  private var steps: [Key: Set<Int>] = [:]

  var isEmpty: Bool { steps.isEmpty }

  /// Whether records of an entity's hierarchy are held.
  func hasKeys(of entity: Entity) -> Bool { steps.keys.contains { $0.entity == entity.root.index } }

  /// Notes the records of a batch that a step holds.
  mutating func note(_ batch: DecodedBatch, step: Int) {
    for row in 0..<batch.root.batch.count {
      if let key = Self.key(batch.root, row) { steps[key, default: []].insert(step) }
    }
  }

  /// Forgets what a step holds: it tries its records again.
  mutating func remove(step: Int) {
    for key in steps.keys {
      steps[key]?.remove(step)
      if steps[key]?.isEmpty == true { steps[key] = nil }
    }
  }

  /// The records of a batch whose keys are those of records that earlier steps hold.
  func records(of batch: DecodedBatch, behindStep step: Int) -> Set<Int> {
    if steps.isEmpty { return [] }
    var found: Set<Int> = []
    for row in 0..<batch.root.batch.count {
      guard let key = Self.key(batch.root, row), let holders = steps[key] else { continue }
      if holders.contains(where: { $0 < step }) { found.insert(Int(batch.root.records[row])) }
    }
    return found
  }

  private static func key(_ node: DecodedNode, _ row: Int) -> Key? {
    var bytes: [UInt8] = []
    guard !node.plan.match.isEmpty, PayloadKey.append(node, row: row, to: &bytes) == .key else { return nil }
    return Key(entity: node.plan.entity.root.index, properties: node.plan.matchProperties, bytes: bytes)
  }
}
