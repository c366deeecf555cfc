public import ObjectModel

/// An object's persisted values at one moment.
public struct Snapshot: Sendable, Hashable {
  /// The object's id, always a permanent one.
  public var objectID: ObjectID
  /// The optimistic-lock counter (`Z_OPT`), 1 on insert.
  public var version: Int64
  // Both are empty while there is an `edited`, which has the values then. Loops over many rows read them in place.
  @usableFromInline package private(set) var ownAttributes: [Value]
  @usableFromInline package private(set) var ownToOne: [ObjectID?]
  /// The packed row with its edits, as long as the snapshot was not unpacked.
  @usableFromInline package private(set) var edited: EditedSnapshot?

  /// A snapshot with a value for every attribute and an entry for every relationship of the id's entity.
  public init(objectID: ObjectID, version: Int64, attributes: [Value], toOne: [ObjectID?]) {
    self.objectID = objectID
    self.version = version
    ownAttributes = attributes
    ownToOne = toOne
  }

  /// A snapshot of a packed row with its edits.
  package init(_ edited: EditedSnapshot, objectID: ObjectID, version: Int64) {
    self.objectID = objectID
    self.version = version
    ownAttributes = []
    ownToOne = []
    self.edited = edited
  }

  /// One value per attribute, in the order of `Entity.attributes` of the object's own entity. Transient attributes
  /// are `.null`.
  @inlinable public var attributes: [Value] {
    _read {
      if let edited { yield edited.attributes } else { yield ownAttributes }
    }
    _modify {
      if edited != nil { unpack() }
      yield &ownAttributes
    }
  }

  /// One entry per relationship, in the order of `Entity.relationships`: the destination of a to-one relationship;
  /// always nil for a to-many relationship.
  @inlinable public var toOne: [ObjectID?] {
    _read {
      if let edited { yield edited.toOne } else { yield ownToOne }
    }
    _modify {
      if edited != nil { unpack() }
      yield &ownToOne
    }
  }

  /// One of `attributes`, by its position. Faster than through the list where many rows are asked.
  @inlinable public func attribute(_ index: Int) -> Value {
    if let edited { edited.value(index) } else { ownAttributes[index] }
  }

  /// One of `toOne`, by its position. Faster than through the list where many rows are asked.
  @inlinable public func destination(_ index: Int) -> ObjectID? {
    if let edited { edited.destination(index) } else { ownToOne[index] }
  }

  /// Unpacks the row, so that the snapshot has its own values.
  @usableFromInline package mutating func unpack() {
    guard let edited else { return }
    ownAttributes = edited.attributes
    ownToOne = edited.toOne
    self.edited = nil
  }

  /// The same snapshot, unpacked.
  var unpacked: Snapshot {
    var copy = self
    copy.unpack()
    return copy
  }

  /// Equal where all values are.
  public static func == (left: Snapshot, right: Snapshot) -> Bool {
    left.objectID == right.objectID && left.version == right.version && left.attributes == right.attributes
      && left.toOne == right.toOne
  }

  /// Hashes the id, the version and the values.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(objectID)
    hasher.combine(version)
    hasher.combine(attributes)
    hasher.combine(toOne)
  }
}
