import Foundation
import ObjectModel

// Core Data's dictionaries of conflicts. They are made when they are asked for, and may be read anywhere.

extension MergeConflict {
  /// `objectPropertyValues` as key-value coding has them, objects as their ids; `NSNull` for null. Never nil.
  public var objectSnapshot: [String: Any]? { objectPropertyValues.mapValues(\.plainValue) }
  /// `cachedPropertyValues`, likewise.
  public var cachedSnapshot: [String: Any]? { cachedPropertyValues.mapValues(\.plainValue) }
  /// `persistedPropertyValues`, likewise; nil when the row is gone.
  public var persistedSnapshot: [String: Any]? { persistedPropertyValues?.mapValues(\.plainValue) }
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
