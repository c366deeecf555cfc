import ObjectModel
import Predicates
import StoreInterface

/// The rows, memberships and constraint tables of an in-memory store.
struct InMemoryContents {
  /// A row of a hierarchy: primary keys are unique within a root entity.
  struct RowKey: Hashable {
    var root: Int
    var primaryKey: Int64
  }

  /// One to-many relationship of one object.
  struct OwnerKey: Hashable {
    var owner: ObjectID
    var relationship: String
  }

  /// Members with their order keys.
  struct Membership {
    var orderKeys: [ObjectID: Int64] = [:]
    var nextOrderKey: Int64 = 0

    mutating func append(_ member: ObjectID) {
      guard orderKeys[member] == nil else { return }
      orderKeys[member] = nextOrderKey
      nextOrderKey += 1
    }
  }

  let storeIdentifier: String
  let layout: ModelLayout
  let constraints: [UniquenessConstraint]
  /// The derived attributes, each after those that it is computed from.
  let derivations: [AttributeDerivation]
  /// Root entity's index → primary key → row.
  var rows: [[Int64: Snapshot]]
  /// Root entity's index → the greatest primary key given out.
  var greatestPrimaryKeys: [Int64]
  var memberships: [OwnerKey: Membership] = [:]
  /// The owner of each member of a to-many relationship without inverse. A member has at most one such owner, because
  /// Core Data's layout keeps it as a column of the member's row.
  var solitaryOwners: [OwnerKey: ObjectID] = [:]
  /// Constraint's index → its values → the row that has them.
  var uniqueRows: [[ValueTuple: RowKey]]
  /// The history; nil where none is kept.
  var history: InMemoryHistory?
  /// The trace of a save that is being applied to contents with derived attributes.
  var trace: SaveTrace?

  init(storeIdentifier: String, layout: ModelLayout) {
    self.storeIdentifier = storeIdentifier
    self.layout = layout
    constraints = UniquenessConstraint.all(layout)
    derivations = AttributeDerivation.all(of: layout.layouts.map(\.entity))
    rows = Array(repeating: [:], count: layout.layouts.count)
    greatestPrimaryKeys = Array(repeating: 0, count: layout.layouts.count)
    uniqueRows = Array(repeating: [:], count: constraints.count)
  }

  mutating func reservePrimaryKeys(_ count: Int, root: Int) -> Int64 {
    defer { greatestPrimaryKeys[root] += Int64(count) }
    return greatestPrimaryKeys[root] + 1
  }

  func storedSnapshot(_ objectID: ObjectID) -> Snapshot? {
    guard case .permanent(storeIdentifier, let primaryKey) = objectID.reference else { return nil }
    guard let snapshot = rows[objectID.entity.root.index][primaryKey], snapshot.objectID == objectID else { return nil }
    return snapshot
  }

  func members(of owner: ObjectID, relationship: Relationship) -> [ObjectID] {
    guard let membership = memberships[OwnerKey(owner: owner, relationship: relationship.name)] else { return [] }
    if relationship.isOrdered { return membership.orderKeys.sorted { $0.value < $1.value }.map(\.key) }
    return membership.orderKeys.keys.sorted { ($0.primaryKey ?? 0) < ($1.primaryKey ?? 0) }
  }
}
