public import Foundation
import ObjectModel
public import Predicates
public import StoreInterface

// Foundation's collections of managed objects, such as `value(forKey:)` gives, sorted and filtered as with
// `NSSortDescriptor` and `NSPredicate`. To sort others than managed objects is a mistake of the program and stops it,
// as it is to filter what `evaluate(with:)` cannot read.

private func managedObject(_ element: Any) -> ManagedObject {
  guard let object = element as? ManagedObject else {
    preconditionFailure("a \(type(of: element)) has no properties to sort by")
  }
  return object
}

/// The objects in the order of these descriptors. A key that leads to no attribute is asked for by key-value coding.
private func inOrder(_ objects: [ManagedObject], of descriptors: [FetchSortDescriptor]) -> [ManagedObject] {
  let entities = Set(objects.map(\.entity))
  let areProperties = descriptors.allSatisfy { descriptor in
    entities.allSatisfy { isAttribute(descriptor.keyPath, of: $0) }
  }
  if areProperties { return objects.sorted(by: descriptors) }
  let values = objects.map { object in
    descriptors.map { Value(anyValue: object.value(forKeyPath: $0.key)) ?? .null }
  }
  return objects.indices.sorted { left, right in
    descriptors.precedes({ values[left][$0] }, { values[right][$0] }) ?? (left < right)
  }.map { objects[$0] }
}

/// Whether a key path leads through to-one relationships to an attribute.
private func isAttribute(_ keyPath: FetchPredicate.KeyPath, of entity: Entity) -> Bool {
  var entity = entity
  var rest = keyPath[...]
  while let name = rest.first, let relationship = entity.relationship(name), !relationship.isToMany {
    entity = relationship.destination
    rest = rest.dropFirst()
  }
  return entity.attribute(at: Array(rest)) != nil
}

/// An element of a set as something that can be hashed. Outside of Apple's systems, a set gives dictionaries and lists
/// as Swift's own, whose types do not say that they can be.
private func hashable(_ element: Any) -> AnyHashable {
  switch element {
  case let element as AnyHashable: element
  case let entries as [AnyHashable: Any]: NSDictionary(dictionary: entries)
  case let list as [Any]: NSArray(array: list)
  default: preconditionFailure("a \(type(of: element)) cannot be an element of a set")
  }
}

extension NSArray {
  /// The elements, which are managed objects, in the order of these descriptors.
  @_disfavoredOverload
  public func sortedArray(using descriptors: [FetchSortDescriptor]) -> [Any] {
    inOrder(map(managedObject), of: descriptors)
  }

  /// The elements for which the predicate holds.
  public func filtered(using predicate: FetchPredicate) -> [Any] {
    filter { predicate.evaluate(with: $0) }
  }
}

extension NSSet {
  /// The elements, which are managed objects, in the order of these descriptors.
  @_disfavoredOverload
  public func sortedArray(using descriptors: [FetchSortDescriptor]) -> [Any] {
    inOrder(allObjects.map(managedObject), of: descriptors)
  }

  /// The elements for which the predicate holds.
  public func filtered(using predicate: FetchPredicate) -> Set<AnyHashable> {
    Set(allObjects.filter { predicate.evaluate(with: $0) }.map(hashable))
  }
}

extension NSOrderedSet {
  /// The elements, which are managed objects, in the order of these descriptors.
  @_disfavoredOverload
  public func sortedArray(using descriptors: [FetchSortDescriptor]) -> [Any] {
    inOrder(array.map(managedObject), of: descriptors)
  }

  /// The elements for which the predicate holds, in their order.
  public func filtered(using predicate: FetchPredicate) -> NSOrderedSet {
    NSOrderedSet(array: array.filter { predicate.evaluate(with: $0) })
  }
}
