public import StoreInterface

// Comparisons that Core Data code makes: types are texts there, and stores are objects.

/// Whether two types of stores have one name.
public func == (left: (any PersistentStoreType)?, right: (any PersistentStoreType)?) -> Bool {
  left?.name == right?.name
}
/// Whether two types of stores have different names.
public func != (left: (any PersistentStoreType)?, right: (any PersistentStoreType)?) -> Bool {
  left?.name != right?.name
}
/// Whether a type of stores has that name, as metadata say it.
public func == (left: String?, right: (any PersistentStoreType)?) -> Bool { left == right?.name }
/// Whether a type of stores has that name, as metadata say it.
public func == (left: (any PersistentStoreType)?, right: String?) -> Bool { left?.name == right }
/// Whether a type of stores has another name.
public func != (left: String?, right: (any PersistentStoreType)?) -> Bool { left != right?.name }
/// Whether a type of stores has another name.
public func != (left: (any PersistentStoreType)?, right: String?) -> Bool { left?.name != right }

/// Whether both are the same store.
public func == (left: (any PersistentStore)?, right: (any PersistentStore)?) -> Bool { left === right }
/// Whether both are not the same store.
public func != (left: (any PersistentStore)?, right: (any PersistentStore)?) -> Bool { left !== right }
/// Whether both are the same stores, in the same order.
public func == (left: [any PersistentStore], right: [any PersistentStore]) -> Bool {
  left.elementsEqual(right) { $0 === $1 }
}
