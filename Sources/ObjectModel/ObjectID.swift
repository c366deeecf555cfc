public import Foundation

/// Identifies an object: permanent (store, entity, primary key) or temporary (entity, UUID) until it is saved.
public struct ObjectID: Sendable, Hashable {
  /// Where the identity comes from.
  public enum Reference: Sendable, Hashable {
    /// A row of a store: the store's identifier and the row's primary key (`Z_PK`), from 1.
    case permanent(store: String, primaryKey: Int64)
    case temporary(UUID)
  }
  /// The object's own entity (not an ancestor).
  public let entity: Entity
  /// Where the identity comes from.
  public let reference: Reference

  /// An identity of an object of that entity.
  public init(entity: Entity, reference: Reference) {
    self.entity = entity
    self.reference = reference
  }

  /// Hashes the primary key alone, which differs among the objects of an entity: ids are looked up all the time, and
  /// hashing the store's identifier would cost more than everything else.
  public func hash(into hasher: inout Hasher) {
    switch reference {
    case .permanent(_, let primaryKey): hasher.combine(primaryKey)
    case .temporary(let uuid): hasher.combine(uuid)
    }
  }

  /// Whether the object has not been saved yet.
  public var isTemporary: Bool {
    if case .temporary = reference { return true }
    return false
  }
  /// The row's `Z_PK` in its store; nil while it is temporary.
  public var primaryKey: Int64? {
    if case .permanent(_, let primaryKey) = reference { return primaryKey }
    return nil
  }
}
