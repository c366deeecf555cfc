import Foundation
public import ObjectModel
public import StoreInterface

extension PersistentHistoryChange {
  /// The properties that `updatedPropertyNames` names.
  public var updatedProperties: Set<PropertyDescription>? {
    updatedPropertyNames.map { names in
      // Elements of composites are named behind a dot.
      let names = Set(names.map { $0.prefix { $0 != "." } })
      return Set(changedObjectID.entity.described.properties.filter { names.contains(Substring($0.name)) })
    }
  }
  /// `tombstoneValues`, as key-value coding has them.
  public var tombstone: [AnyHashable: Any]? {
    tombstoneValues.map { values in
      Dictionary(uniqueKeysWithValues: values.map { (AnyHashable($0), $1.anyValue ?? NSNull()) })
    }
  }
}
