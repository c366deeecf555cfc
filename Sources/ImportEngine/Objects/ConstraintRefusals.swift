import ObjectGraph
import ObjectModel

/// The records of a batch that a constraint refuses once those before them are written, as far as the save of the whole
/// batch shows it. Whether the others can be written is found out by saving them.
struct ConstraintRefusals {
  /// A conflict of a record.
  struct Refusal {
    let conflict: ConstraintConflict
    /// The entity of the record's object.
    let own: Entity
    /// The entity of the object that has the values.
    let holder: Entity
  }

  /// By record.
  private(set) var byRecord: [Int: Refusal] = [:]

  /// - Parameter records: the records of each object. Where an object has several, or none, nothing is refused.
  init(_ error: SaveConflictError, records: [ObjectIdentifier: Set<Int>]) {
    let conflicts = error.constraintConflicts
    var places: [Int: [(conflict: Int, own: Entity)]] = [:]
    for (index, conflict) in conflicts.enumerated() {
      for object in conflict.conflictingObjects {
        guard let owners = records[ObjectIdentifier(object)], owners.count == 1, let record = owners.first else {
          return
        }
        places[record, default: []].append((index, object.entity))
      }
    }
    var holders = conflicts.map(\.holder)
    for (record, own) in places.sorted(by: { $0.key < $1.key }) {
      var held = holders
      var refusal: Refusal?
      for (index, entity) in own {
        if let holder = held[index] {
          refusal = Refusal(conflict: conflicts[index], own: entity, holder: holder)
          break
        }
        held[index] = entity
      }
      if let refusal { byRecord[record] = refusal } else { holders = held }
    }
  }
}

extension ConstraintRefusals.Refusal {
  /// The first conflict of a save of one record; nil where constraints do not refuse it.
  init?(alone error: SaveConflictError) {
    guard let conflict = error.constraintConflicts.first, let own = conflict.conflictingObjects.last?.entity else {
      return nil
    }
    self.init(
      conflict: conflict, own: own,
      holder: conflict.holder ?? conflict.conflictingObjects.first?.entity ?? own)
  }
}

extension ConstraintConflict {
  /// The entity of the stored object that has the values.
  fileprivate var holder: Entity? {
    databaseObjectID.map { entity.model.entities[$0.space.entityIndex] }
  }
}
