public import Foundation
import Synchronization

/// Identifies an object: permanent (store, entity, primary key) or temporary (entity, UUID) until it is saved.
public struct ObjectID: Sendable, Hashable {
  /// Where the identity comes from.
  public enum Reference: Sendable, Hashable {
    /// A row of a store: the store's identifier and the row's primary key (`Z_PK`), from 1.
    case permanent(store: String, primaryKey: Int64)
    case temporary(UUID)
  }

  /// What the ids of one entity's objects in one store have in common, so that an id is one reference and a number.
  @usableFromInline package final class Space: Sendable {
    package let entity: Entity
    /// The store's identifier; nil for temporary ids.
    package let store: String?
    /// Whether its ids are temporary, which is asked of every object: a comparison of `store` would copy the text.
    @usableFromInline package let isTemporary: Bool
    /// The `Entity.index` of the object's entity.
    package let entityIndex: Int
    /// `Entity.index` of the hierarchy's root.
    package let rootIndex: Int

    package init(entity: Entity, store: String?) {
      self.entity = entity
      self.store = store
      isTemporary = store == nil
      entityIndex = entity.index
      rootIndex = entity.root.index
    }
  }

  /// The spaces of all entities in one store, by `Entity.index`: one list for each model and store, so that ids of the
  /// same object share their space.
  package final class Spaces: Sendable {
    package let list: [Space]
    package let store: String

    fileprivate init(_ model: ManagedObjectModel, store: String) {
      self.store = store
      list = model.entities.map { Space(entity: $0, store: store) }
    }

    package subscript(entityIndex: Int) -> Space { list[entityIndex] }
  }

  @usableFromInline package let space: Space
  /// The primary key, or the first half of the UUID's bytes.
  @usableFromInline package let high: UInt64
  /// 0, or the second half of the UUID's bytes.
  @usableFromInline package let low: UInt64

  /// An identity of an object of that entity.
  public init(entity: Entity, reference: Reference) {
    switch reference {
    case .permanent(let store, let primaryKey):
      self.init(space: Space(entity: entity, store: store), primaryKey: primaryKey)
    case .temporary(let uuid):
      var (high, low): (UInt64, UInt64) = (0, 0)
      let b = uuid.uuid
      for byte in [b.0, b.1, b.2, b.3, b.4, b.5, b.6, b.7] { high = high << 8 | UInt64(byte) }
      for byte in [b.8, b.9, b.10, b.11, b.12, b.13, b.14, b.15] { low = low << 8 | UInt64(byte) }
      self.init(space: Space(entity: entity, store: nil), high: high, low: low)
    }
  }

  /// The identity of a row; the space is one of a store.
  @inlinable package init(space: Space, primaryKey: Int64) {
    self.space = space
    high = UInt64(bitPattern: primaryKey)
    low = 0
  }

  /// A temporary identity; the space is of no store.
  package init(space: Space, high: UInt64, low: UInt64) {
    self.space = space
    self.high = high
    self.low = low
  }

  /// The object's own entity (not an ancestor).
  @_disfavoredOverload public var entity: Entity { space.entity }

  /// Where the identity comes from.
  public var reference: Reference {
    if let store = space.store { return .permanent(store: store, primaryKey: Int64(bitPattern: high)) }
    func byte(_ word: UInt64, _ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: word >> (56 - 8 * index)) }
    return .temporary(
      UUID(
        uuid: (
          byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5), byte(high, 6),
          byte(high, 7), byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3), byte(low, 4), byte(low, 5),
          byte(low, 6), byte(low, 7)
        )))
  }

  /// Ids are equal when they are of the same entity and the same reference.
  @inlinable public static func == (left: ObjectID, right: ObjectID) -> Bool {
    guard left.high == right.high, left.low == right.low else { return false }
    return left.space === right.space || left.isOfSameSpace(as: right)
  }

  @usableFromInline func isOfSameSpace(as other: ObjectID) -> Bool {
    space.entityIndex == other.space.entityIndex && space.store == other.space.store
      && space.entity == other.space.entity
  }

  /// Hashes the primary key alone, which differs among the objects of an entity: ids are looked up all the time, and
  /// hashing the store's identifier would cost more than everything else.
  public func hash(into hasher: inout Hasher) { hasher.combine(high ^ low) }

  /// Whether the object has not been saved yet.
  @inlinable public var isTemporaryID: Bool { space.isTemporary }
  @inlinable package var isTemporary: Bool { space.isTemporary }
  /// The row's `Z_PK` in its store; nil while it is temporary.
  @inlinable public var primaryKey: Int64? { space.isTemporary ? nil : Int64(bitPattern: high) }
}

/// The lists of spaces that are in use.
final class ObjectIDSpaces: Sendable {
  private struct Reference {
    weak var spaces: ObjectID.Spaces?
  }

  private let known = Mutex<[Reference]>([])

  func spaces(of store: String, in model: ManagedObjectModel) -> ObjectID.Spaces {
    known.withLock { known in
      known.removeAll { $0.spaces == nil }
      for reference in known {
        if let spaces = reference.spaces, spaces.store == store { return spaces }
      }
      let spaces = ObjectID.Spaces(model, store: store)
      known.append(Reference(spaces: spaces))
      return spaces
    }
  }
}

extension ManagedObjectModel {
  /// The id spaces of a store.
  package func idSpaces(store: String) -> ObjectID.Spaces { idSpaces.spaces(of: store, in: self) }
}

/// Core Data's name of `ObjectID`.
public typealias ManagedObjectID = ObjectID
