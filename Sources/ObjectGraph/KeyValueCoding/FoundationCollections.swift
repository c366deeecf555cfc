public import Foundation
public import Predicates
public import StoreInterface

// Foundation's collections of managed objects, such as `value(forKey:)` gives, sorted and filtered as with `NSSortDescriptor` and
// `NSPredicate`. An element that is no managed object is a mistake of the program and stops it.

private func managedObject(_ element: Any) -> ManagedObject {
  guard let object = element as? ManagedObject else {
    preconditionFailure("a \(type(of: element)) has no properties to sort or filter by")
  }
  return object
}

extension NSArray {
  /// The elements, which are managed objects, in the order of these descriptors.
  @_disfavoredOverload
  public func sortedArray(using descriptors: [FetchSortDescriptor]) -> [Any] {
    map(managedObject).sorted(by: descriptors)
  }

  /// The elements, which are managed objects, for which the predicate holds.
  public func filtered(using predicate: FetchPredicate) -> [Any] {
    filter { predicate.evaluate(with: managedObject($0)) }
  }
}

extension NSSet {
  /// The elements, which are managed objects, in the order of these descriptors.
  @_disfavoredOverload
  public func sortedArray(using descriptors: [FetchSortDescriptor]) -> [Any] {
    allObjects.map(managedObject).sorted(by: descriptors)
  }

  /// The elements, which are managed objects, for which the predicate holds.
  public func filtered(using predicate: FetchPredicate) -> Set<AnyHashable> {
    Set(allObjects.map(managedObject).filter { predicate.evaluate(with: $0) })
  }
}

extension NSOrderedSet {
  /// The elements, which are managed objects, in the order of these descriptors.
  @_disfavoredOverload
  public func sortedArray(using descriptors: [FetchSortDescriptor]) -> [Any] {
    array.map(managedObject).sorted(by: descriptors)
  }

  /// The elements, which are managed objects, for which the predicate holds, in their order.
  public func filtered(using predicate: FetchPredicate) -> NSOrderedSet {
    NSOrderedSet(array: array.filter { predicate.evaluate(with: managedObject($0)) })
  }
}
