public import ObjectModel

/// The table of one inheritance hierarchy.
public struct TableLayout: Sendable {
  /// What a column holds.
  public enum Role: Sendable, Hashable {
    case primaryKey, entityNumber, version
    /// An attribute; a composite's leaf has a path of several names.
    case attribute(path: [String], AttributeDefinition)
    /// Primary key of a to-one relationship's destination.
    case foreignKey(relationship: String)
    /// Entity number of a to-one relationship's destination.
    case destinationEntity(relationship: String)
    /// Order key within the ordered inverse of a to-one relationship.
    case orderKey(relationship: String)
    /// Like the three above, for a to-many relationship without inverse that the entity of this number declares.
    case virtualForeignKey(owner: Int, relationship: String)
    case virtualDestinationEntity(owner: Int, relationship: String)
    case virtualOrderKey(owner: Int, relationship: String)
  }

  /// Affinity and place of a column.
  public enum ColumnType: Int, Sendable, Hashable {
    case integer, timestampOrFloat, decimal, text, uuid, uri, transformable, binary
  }

  /// A column of the table.
  public struct Column: Sendable {
    /// The column's name, `Z` and upper case.
    public var name: String
    /// `INTEGER`, `TIMESTAMP` and so on.
    public var sqlType: String
    /// What the column is for: a key, a version, or the value of a property.
    public var role: Role
    /// Model index of the entity that declares the property; nil for `Z_PK`, `Z_ENT` and `Z_OPT`.
    public var entityIndex: Int?
    var type: ColumnType
    package var isUnique = false
  }

  /// The table's name, `Z` and the root's name in upper case.
  public var name: String
  /// The topmost entity of the hierarchy.
  public var root: Entity
  /// The columns in the order of the CREATE TABLE statement.
  public var columns: [Column]

  /// The statement that Core Data writes, to the blank.
  public var createStatement: String {
    let list = columns.map { column in
      column.role == .primaryKey
        ? "\(column.name) INTEGER PRIMARY KEY"
        : "\(column.name) \(column.sqlType)" + (column.isUnique ? " UNIQUE" : "")
    }
    return "CREATE TABLE \(name) ( \(list.joined(separator: ", ")) )"
  }

  package func column(_ role: Role) -> Column? { columns.first { $0.role == role } }
}

/// The table of a many-to-many relationship.
public struct JoinTable: Sendable {
  /// One side of it.
  public struct Side: Sendable {
    /// The relationship as its declaring entity has it.
    public var relationship: Relationship
    /// Holds the primary key of the relationship's owner.
    public var ownerColumn: String
    /// Holds the primary key of the member.
    public var memberColumn: String
    /// Holds the order of the member within the owner; nil when the relationship is not ordered.
    public var orderColumn: String?
  }

  /// The table's name.
  public var name: String
  /// The side that gave the table its name.
  public var master: Side
  /// The other side; equal to the master's relationship when that is its own inverse.
  public var inverse: Side
  /// Whether the relationship is its own inverse: every pair is kept in both directions then.
  public var isReflexive: Bool

  /// The statement that Core Data writes.
  public var createStatement: String {
    var columns = ["\(master.ownerColumn) INTEGER", "\(master.memberColumn) INTEGER"]
    // The order of the master's owners inside a member comes first, as its column follows the owner's.
    if isReflexive {
      for column in [master.orderColumn, inverse.orderColumn] { if let column { columns.append("\(column) INTEGER") } }
    } else {
      for column in [inverse.orderColumn, master.orderColumn] { if let column { columns.append("\(column) INTEGER") } }
    }
    columns.append("PRIMARY KEY (\(master.ownerColumn), \(master.memberColumn))")
    return "CREATE TABLE \(name) ( \(columns.joined(separator: ", ")) )"
  }
}
