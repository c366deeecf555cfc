/// A fetch index, as Core Data's code makes and reads it.
///
/// Unchecked, because a program changes it on one thread before it shares the model, and nothing changes it after that.
public final class FetchIndexDescription: @unchecked Sendable {
  /// Unique among the entity's indexes.
  public var name: String { willSet { requireChangeable() } }
  /// What is indexed, in this order.
  public var elements: [FetchIndexElementDescription] { willSet { requireChangeable() } }
  /// The text of the predicate that indexed rows meet; nil for all rows.
  package var predicateText: String? { willSet { requireChangeable() } }
  private var isFinal = false

  /// An index over elements.
  public init(name: String, elements: [FetchIndexElementDescription]?) {
    self.name = name
    self.elements = elements ?? []
  }

  init(_ definition: FetchIndexDefinition, of entity: EntityDescription) {
    name = definition.name
    elements = definition.elements.map { FetchIndexElementDescription($0, of: entity) }
    predicateText = definition.partialIndexPredicate
  }

  private func requireChangeable() {
    precondition(!isFinal, "\(name) belongs to a model in use, which does not change")
  }

  /// Ends all changes, with those of its elements.
  func finish() {
    isFinal = true
    for element in elements { element.finish() }
  }

  func finished() -> FetchIndexDescription {
    finish()
    return self
  }

  /// The definition: this description as a value, which can be compared, edited and sent anywhere.
  public var definition: FetchIndexDefinition {
    FetchIndexDefinition(name, elements: elements.map(\.definition), partialIndexPredicate: predicateText)
  }
}

/// How an element of an index is kept.
public typealias FetchIndexElementType = FetchIndexDefinition.Element.Kind

/// An element of a fetch index, as Core Data's code makes and reads it. It may be changed as long as the index may.
public final class FetchIndexElementDescription: @unchecked Sendable {
  /// The property that is indexed; nil where it is an expression.
  public let property: PropertyDescription?
  private let expression: FetchIndexDefinition.Element.Content
  /// How it is kept.
  public var collationType: FetchIndexElementType { willSet { requireChangeable() } }
  /// The order in a b-tree.
  public var isAscending = true { willSet { requireChangeable() } }
  private var isFinal = false

  /// An element, ascending.
  public init(property: PropertyDescription, collationType: FetchIndexElementType) {
    self.property = property
    self.collationType = collationType
    expression = .property("")
  }

  init(_ definition: FetchIndexDefinition.Element, of entity: EntityDescription) {
    if case .property(let name) = definition.content {
      property = entity.propertiesByName[name]
    } else {
      property = nil
    }
    expression = definition.content
    collationType = definition.kind
    isAscending = definition.isAscending
  }

  private func requireChangeable() {
    precondition(!isFinal, "an index of \(propertyName ?? "") belongs to a model in use, which does not change")
  }

  func finish() { isFinal = true }

  /// The name of the property, or the text of the expression.
  public var propertyName: String? {
    switch definition.content {
    case .property(let name): name
    case .expression(let text, _): text
    }
  }

  /// The definition: this description as a value, which can be compared, edited and sent anywhere.
  public var definition: FetchIndexDefinition.Element {
    FetchIndexDefinition.Element(
      property.map { .property($0.name) } ?? expression, kind: collationType, isAscending: isAscending)
  }
}
