import Foundation
import ObjectModel
import Predicates
import StoreInterface

/// The key path that gives objects the names of their sections: over to-one relationships to an attribute, or to the
/// name of the entity.
struct SectionKeyPath {
  private let steps: ArraySlice<String>
  /// Nil for the name of the entity.
  private let attribute: String?
  /// The path of the element behind a composite attribute.
  private let element: ArraySlice<String>

  init(_ text: String, of entity: Entity) throws(FetchedResultsError) {
    let path = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    if let end = ObjectTrait.end(of: path, from: entity), case .entityName = end.trait {
      steps = end.owner[...]
      attribute = nil
      element = []
      return
    }
    var here = entity
    var rest = path[...]
    while rest.count > 1, let name = rest.first, let relationship = here.relationship(name), !relationship.isToMany {
      here = relationship.destination
      rest.removeFirst()
    }
    steps = path[..<rest.startIndex]
    attribute = rest.first
    element = rest.dropFirst()
    guard let name = rest.first, let end = here.attribute(name)?.element(at: element), end.composite == nil else {
      throw .unknownSectionKeyPath(text, entity: entity.name)
    }
  }

  /// The key path, where the names are the values of a stored attribute; nil where they are something else.
  func toStoredAttribute(of entity: Entity) -> FetchPredicate.KeyPath? {
    guard element.isEmpty, let attribute else { return nil }
    if steps.isEmpty && entity.attribute(attribute)?.isTransient != false { return nil }
    return steps + [attribute]
  }

  /// The name of the section that an object belongs to; empty when the value is missing.
  /// - Parameter row: the fetched row of the object, where it is newer than the object because it was saved elsewhere
  ///   and not merged yet.
  func sectionName(of object: ManagedObject, _ row: NewerSnapshot? = nil) -> String {
    var here = object
    var row = row
    for name in steps {
      let relationships = here.runtime.layout.relationshipIndexes
      let next = row.flatMap { row in relationships[name].map { row.destination($0) } } ?? here.objectID(for: name)
      guard let next, let object = here.context?.object(with: next) else { return "" }
      here = object
      row = nil
    }
    guard let attribute else { return here.entity.name }
    let layout = here.runtime.layout
    if let row, let index = layout.attributeIndexes[attribute], !layout.attributes[index].isTransient {
      return Self.text(row.value(index).element(at: element))
    }
    return Self.text(here.attributeValue(attribute).element(at: element))
  }

  private static func text(_ value: Value) -> String {
    switch value {
    case .boolean(let flag): flag ? "1" : "0"
    case .date(let date): text(date)
    default: value.plainText
    }
  }

  /// A date by ISO 8601, with all digits of its fraction of a second: different dates are different sections.
  private static func text(_ date: Date) -> String {
    let seconds = date.timeIntervalSinceReferenceDate
    // Calendars do not reach beyond this range.
    guard abs(seconds) < 1e11 else { return "\(seconds)" }
    let whole = seconds.rounded(.down)
    let text = Date(timeIntervalSinceReferenceDate: whole).formatted(.iso8601)
    // Decimals subtract without rounding.
    guard let fraction = Decimal(string: "\(seconds)").map({ $0 - Decimal(whole) }), fraction > 0 else { return text }
    return text.dropLast() + "\(fraction)".dropFirst() + "Z"
  }
}

/// What gives objects the names of their sections.
enum SectionNaming {
  case keyPath(SectionKeyPath)
  case closure((ManagedObject) -> String)

  /// - Parameter row: see `SectionKeyPath`. A closure reads the object itself, which gets the newer row in a merge.
  func sectionName(of object: ManagedObject, _ row: NewerSnapshot?) -> String {
    switch self {
    case .keyPath(let path): path.sectionName(of: object, row)
    case .closure(let name): name(object)
    }
  }
}
