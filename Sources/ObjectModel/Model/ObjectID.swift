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
  package final class Home: Sendable {
    package let entity: Entity
    /// The store's identifier; nil for temporary ids.
    package let store: String?
    /// `Entity.index`.
    package let entityIndex: Int
    /// `Entity.index` of the hierarchy's root.
    package let rootIndex: Int

    package init(entity: Entity, store: String?) {
      self.entity = entity
      self.store = store
      entityIndex = entity.index
      rootIndex = entity.root.index
    }
  }

  /// The homes of all entities in one store, by `Entity.index`: one list for each model and store, so that ids of the
  /// same object share their home.
  package final class Homes: Sendable {
    package let list: [Home]
    package let store: String

    fileprivate init(_ model: ManagedObjectModel, store: String) {
      self.store = store
      list = model.entities.map { Home(entity: $0, store: store) }
    }

    package subscript(entityIndex: Int) -> Home { list[entityIndex] }
  }

  package let home: Home
  /// The primary key and 0, or the bytes of the UUID.
  private let high: UInt64
  private let low: UInt64

  /// An identity of an object of that entity.
  public init(entity: Entity, reference: Reference) {
    switch reference {
    case .permanent(let store, let primaryKey):
      self.init(home: Home(entity: entity, store: store), primaryKey: primaryKey)
    case .temporary(let uuid):
      var (high, low): (UInt64, UInt64) = (0, 0)
      let b = uuid.uuid
      for byte in [b.0, b.1, b.2, b.3, b.4, b.5, b.6, b.7] { high = high << 8 | UInt64(byte) }
      for byte in [b.8, b.9, b.10, b.11, b.12, b.13, b.14, b.15] { low = low << 8 | UInt64(byte) }
      self.init(home: Home(entity: entity, store: nil), high: high, low: low)
    }
  }

  /// The identity of a row; the home is one of a store.
  package init(home: Home, primaryKey: Int64) {
    self.home = home
    high = UInt64(bitPattern: primaryKey)
    low = 0
  }

  /// A temporary identity; the home is of no store.
  package init(home: Home, high: UInt64, low: UInt64) {
    self.home = home
    self.high = high
    self.low = low
  }

  /// The object's own entity (not an ancestor).
  public var entity: Entity { home.entity }

  /// Where the identity comes from.
  public var reference: Reference {
    if let store = home.store { return .permanent(store: store, primaryKey: Int64(bitPattern: high)) }
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
  public static func == (left: ObjectID, right: ObjectID) -> Bool {
    guard left.high == right.high, left.low == right.low else { return false }
    return left.home === right.home
      || (left.home.entityIndex == right.home.entityIndex && left.home.store == right.home.store
        && left.home.entity == right.home.entity)
  }

  /// Hashes the primary key alone, which differs among the objects of an entity: ids are looked up all the time, and
  /// hashing the store's identifier would cost more than everything else.
  public func hash(into hasher: inout Hasher) { hasher.combine(high ^ low) }

  /// A number that differs among the objects of an entity in a store, and mostly among temporary ids.
  package var number: UInt64 { high ^ low }

  /// Whether the object has not been saved yet.
  public var isTemporaryID: Bool { home.store == nil }
  package var isTemporary: Bool { home.store == nil }
  /// The row's `Z_PK` in its store; nil while it is temporary.
  public var primaryKey: Int64? { home.store == nil ? nil : Int64(bitPattern: high) }
}

/// The lists of homes that somebody uses.
final class ObjectIDHomes: Sendable {
  private struct Reference {
    weak var homes: ObjectID.Homes?
  }

  private let known = Mutex<[Reference]>([])

  func homes(of store: String, in model: ManagedObjectModel) -> ObjectID.Homes {
    known.withLock { known in
      known.removeAll { $0.homes == nil }
      for reference in known {
        if let homes = reference.homes, homes.store == store { return homes }
      }
      let homes = ObjectID.Homes(model, store: store)
      known.append(Reference(homes: homes))
      return homes
    }
  }
}

extension ManagedObjectModel {
  /// What ids of a store's objects have in common.
  package func idHomes(store: String) -> ObjectID.Homes { idHomes.homes(of: store, in: self) }
}
