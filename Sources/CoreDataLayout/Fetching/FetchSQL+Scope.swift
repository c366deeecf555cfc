import ObjectModel
import Predicates

/// What expressions compile to, and where they take their rows from.
extension FetchSQL {
  typealias Function = FetchExpression.Function

  /// A SELECT's own tables: the statement's, or those of a subquery.
  struct Scope {
    /// The table that it starts with, with its alias, and for a many-to-many relationship the join table before it.
    var base: String
    /// Tables along relationships, in order.
    var joins: [String] = []
    /// The alias of the table at the end of a path from the base's own table.
    var aliasByPath: [[String]: String]

    var from: String { joins.isEmpty ? base : base + " " + joins.joined(separator: " ") }
  }

  /// A row of a scope that key paths can start from.
  struct Place {
    var scope: Int
    var path: [String]
    var entity: Entity
  }

  /// The kind of an expression's values: how they are compared and read.
  enum Kind: Hashable {
    case number(NumberForm)
    case text(TextForm)
    case bytes(BytesForm)
    case object(Entity)
    /// The value is always missing.
    case nothing

    enum NumberForm { case integer, boolean, real, date, decimal, computed }
    enum TextForm { case string, uri }
    enum BytesForm { case data, uuid }

    /// Whether values of both kinds can be equal at all. A missing value equals a missing value of any kind.
    func fits(_ other: Kind) -> Bool {
      switch (self, other) {
      case (.number, .number), (.text, .text), (.bytes, .bytes): true
      case (.object(let left), .object(let right)): left.root == right.root
      default: false
      }
    }

    var isObject: Bool {
      if case .object = self { return true }
      return false
    }

    var isText: Bool {
      if case .text = self { return true }
      return false
    }

    var isNumber: Bool {
      if case .number = self { return true }
      return false
    }
  }

  /// One value for each row.
  struct Scalar {
    /// SQL, NULL when the value is missing; nil for a constant that has not been bound.
    var sql: String?
    /// A constant that has not been bound; not missing.
    var constant: Value?
    var kind: Kind
    /// Of an object: where its row is, or that of the object whose relationship leads to it.
    var place: Place?
    /// Of an object whose own row has not been joined: the relationship that leads to it.
    var step: String?

    /// Whether it is an attribute whose values may lie outside of the store: SQL can only tell whether there is a
    /// value.
    var isExternal = false

    /// Set where the value is the name of an object's entity: the column with its number, and the entities it may be.
    var entityNames: EntityNames?

    static let nothing = Scalar(sql: "NULL", kind: .nothing)

    /// - Throws: `Untranslatable` for a value that lies outside of the store.
    func requireComparable() throws(Untranslatable) {
      if isExternal { throw Untranslatable() }
    }
  }

  /// Any number of values for each row: the rows of a scope of its own.
  struct List {
    var scope: Int
    /// All must hold for an element to be in the list.
    var conditions: [String]
    /// The order of the elements.
    var order: [String]
    var element: Scalar
  }

  /// What an expression compiles to.
  enum Operand {
    case scalar(Scalar)
    case list(List)
    /// A list of values that are written out.
    case values([Scalar])
  }

  /// Thrown for what SQL cannot express; the predicate is evaluated in memory then.
  struct Untranslatable: Error {}
}
