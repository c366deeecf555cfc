public import Foundation
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

/// An element of a set, which without Apple's Foundation gives dictionaries and lists as Swift's own, whose type does
/// not say that they can be hashed.
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
    map(managedObject).sorted(by: descriptors)
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
    allObjects.map(managedObject).sorted(by: descriptors)
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
    array.map(managedObject).sorted(by: descriptors)
  }

  /// The elements for which the predicate holds, in their order.
  public func filtered(using predicate: FetchPredicate) -> NSOrderedSet {
    NSOrderedSet(array: array.filter { predicate.evaluate(with: $0) })
  }
}
