import Foundation
import ObjectModel
import StoreInterface

// Core Data's dictionaries of conflicts. They are made when they are asked for, and may be read anywhere.

/// A conflict is of one of two kinds, as in Core Data. Where another context of the same coordinator saved the row, the
/// coordinator has the store's row: that is the cached snapshot, and there is no persisted one. Where the row was saved
/// past the coordinator, the cached snapshot is what the coordinator had, and the persisted one what the store has.
extension MergeConflict {
  /// What the object holds now, as key-value coding has attributes and to-one relationships, objects as their ids;
  /// `NSNull` for null. Never nil.
  public var objectSnapshot: [String: Any]? { Self.snapshot(objectPropertyValues) }
  /// What the coordinator had of the row, likewise. Never nil.
  public var cachedSnapshot: [String: Any]? { Self.snapshot(cached?.valuesByName ?? cachedPropertyValues) }
  /// What the store has, likewise; nil when the row is gone, or the coordinator had it already.
  public var persistedSnapshot: [String: Any]? {
    cached != nil && cached?.version == persisted?.version ? nil : persistedPropertyValues.map(Self.snapshot)
  }

  private static func snapshot(_ values: [String: PropertyValue]) -> [String: Any] {
    values.compactMapValues { value in
      if case .toMany = value { nil } else { value.plainValue }
    }
  }
}

extension ConstraintConflict {
  /// `constraintPropertyValues` as key-value coding has them, objects as their ids; `NSNull` for null.
  public var constraintValues: [String: Any] { constraintPropertyValues.mapValues(\.plainValue) }
  /// `databasePropertyValues`, likewise; nil when the conflict is between objects of the save only.
  public var databaseSnapshot: [String: Any]? { databasePropertyValues?.mapValues(\.plainValue) }
  /// `conflictingPropertyValues`, likewise.
  public var conflictingSnapshots: [[String: Any]] { conflictingPropertyValues.map { $0.mapValues(\.plainValue) } }
}

extension PropertyValue {
  fileprivate var plainValue: Any {
    switch self {
    case .attribute(let value): value.anyValue ?? NSNull()
    case .toOne(let id): id.map { $0 as Any } ?? NSNull()
    case .toMany(let ids): ids
    }
  }
}
