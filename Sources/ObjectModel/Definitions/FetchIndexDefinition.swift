/// A fetch index: a named database index over one or more elements.
public struct FetchIndexDefinition: Sendable, Hashable {
  /// Unique among the entity's indexes.
  public var name: String
  /// What is indexed, in this order; at least one element, all of one kind.
  public var elements: [Element]
  /// Only rows that meet this predicate, as text, are indexed; nil for all.
  public var partialIndexPredicate: String?

  /// Names that stand for the row itself and for its entity where the entity has no such property.
  static let rowElements: Set<String> = ["self", "SELF", "entity"]

  /// An index over elements.
  public init(_ name: String, elements: [Element], partialIndexPredicate: String? = nil) {
    self.name = name
    self.elements = elements
    self.partialIndexPredicate = partialIndexPredicate
  }

  /// One element of a fetch index.
  public struct Element: Sendable, Hashable {
    /// How the element is kept. Raw values are those of compiled models.
    public enum Kind: Int, Sendable, Hashable {
      /// The element is kept in a b-tree.
      case binary = 0
      /// The element is kept in an R-tree, for ranges of numbers.
      case rTree = 1
    }

    /// The element is a property, or an expression such as `self` or `entity`.
    public enum Content: Sendable, Hashable {
      case property(String)
      case expression(String, type: String?)
    }

    /// The indexed property or expression.
    public var content: Content
    /// How it is kept.
    public var kind: Kind
    /// The order in a b-tree.
    public var isAscending: Bool

    /// An element, by default ascending in a b-tree.
    public init(_ content: Content, kind: Kind = .binary, isAscending: Bool = true) {
      self.content = content
      self.kind = kind
      self.isAscending = isAscending
    }
  }
}
