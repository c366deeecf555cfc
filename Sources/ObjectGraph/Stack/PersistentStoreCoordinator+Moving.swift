public import Foundation
import ObjectModel
import Platform
public import StoreInterface

/// Stores that move to another place or become stores of another type.
extension PersistentStoreCoordinator {
  /// Copies a store of the coordinator to another place and works with the copy from then on: what
  /// `NSPersistentDocument` does for "Save As". The old store is taken away and closed; its file stays.
  ///
  /// A copy of the same type has the store's UUID, so that objects of contexts stay theirs. A copy of another type, and
  /// one of a store without a file, has a UUID of its own: what contexts have of the old store is gone then, and is
  /// fetched anew. Primary keys stay the same, except in an XML store, where objects of entities that are not related
  /// have no key in common. All rows of the store are in memory meanwhile.
  /// - Parameters:
  ///   - store: one of the coordinator's.
  ///   - url: where the copy is made.
  ///   - options: of the copy, as `PersistentStoreDescription.setOption(_:forKey:)` takes them.
  ///   - type: what the copy is.
  /// - Returns: the new store.
  /// - Throws: `StoreError.failure` for a store of another coordinator, `.cannotCreate` where the store itself is, or,
  ///   for a copy of another type, any file; what the type throws. The coordinator keeps the old store then.
  @discardableResult
  public func migratePersistentStore(
    _ store: any PersistentStore, to url: URL, options: [AnyHashable: Any]? = nil, type: some PersistentStoreType
  ) throws -> any PersistentStore {
    try router.require(store)
    let configuration = configuration(of: store)
    let description = PersistentStoreDescription(type: type, url: url, configuration: configuration)
    description.setOptions(options)
    let old = file(of: store)
    if old?.standardizedFileURL == url.standardizedFileURL {
      throw StoreError.cannotCreate(path: url.path, message: "is the store itself")
    }
    if let old, store.type.name == type.name {
      try type.replace(at: url, with: old)
    } else {
      // A store in memory has a place only as a name.
      if url.isFileURL, FileSystem.exists(url.path) {
        throw StoreError.cannotCreate(path: url.path, message: "is there already")
      }
      let writable = PersistentStoreDescription(description)
      writable.isReadOnly = false
      let copy = try type.load(writable, model: model)
      do {
        var transfer = StoreTransfer(from: store, to: copy)
        try transfer.run()
        if store is any MetadataKeeping, let copy = copy as? any MetadataKeeping {
          try copy.replaceMetadata(with: metadata(for: store))
        }
        if copy.url == nil { return try exchange(store, for: copy, description) }
        try copy.close()
      } catch {
        try? copy.close()
        try? type.destroy(at: url)
        throw error
      }
    }
    return try exchange(store, for: try type.load(description, model: model), description)
  }

  /// `migratePersistentStore(_:to:options:type:)`
  @discardableResult
  public func migratePersistentStore(
    _ store: any PersistentStore, to url: URL, options: [AnyHashable: Any]? = nil,
    withType type: some PersistentStoreType
  ) throws -> any PersistentStore {
    try migratePersistentStore(store, to: url, options: options, type: type)
  }

  private func exchange(
    _ old: any PersistentStore, for new: any PersistentStore, _ description: PersistentStoreDescription
  ) throws -> any PersistentStore {
    // It is taken away also where closing it fails, which the caller is told when the new one is there.
    let removal = Result { try remove(old) }
    try add(
      new, configuration: description.configuration, url: description.url, isReadOnly: description.isReadOnly,
      postsRemoteChanges: description.postsRemoteChanges, options: description.optionValues)
    try removal.get()
    return new
  }
}

/// All rows of a store, written into an empty one with the same primary keys. In a store whose keys stand for one
/// object of the whole store, the keys of every hierarchy but the first follow those of the one before.
private struct StoreTransfer {
  private let source: any PersistentStore
  private let destination: any PersistentStore
  /// What is added to the keys of a hierarchy, by the index of its root.
  private var keyOffsets: [Int: Int64] = [:]

  init(from source: any PersistentStore, to destination: any PersistentStore) {
    self.source = source
    self.destination = destination
  }

  mutating func run() throws {
    var rowsByRoot: [[Snapshot]] = []
    for root in source.model.handles where root.root == root {
      let rows = try source.snapshots(FetchSpecification(root))
      guard let last = rows.lazy.compactMap(\.objectID.primaryKey).max() else { continue }
      keyOffsets[root.index] = try destination.reservePrimaryKeys(Int(last), for: root) - 1
      rowsByRoot.append(rows)
    }
    var request = SaveRequest()
    for rows in rowsByRoot {
      for row in rows {
        request.inserted.append(
          Snapshot(
            objectID: moved(row.objectID), version: 1, attributes: row.attributes,
            toOne: row.toOne.map { $0.map(moved) })
        )
      }
      try addMembers(of: rows.map(\.objectID), to: &request)
    }
    try destination.save(request)
  }

  /// Adds the members of the to-many relationships that no to-one relationship keeps.
  private func addMembers(of owners: [ObjectID], to request: inout SaveRequest) throws {
    for (entity, owners) in Dictionary(grouping: owners, by: \.entity) {
      for relationship in entity.relationships
      where relationship.isToMany && !relationship.definition.isTransient
        && (relationship.isOrdered || relationship.inverse?.isToMany != false)
      {
        for (owner, members) in zip(owners, try source.members(of: owners, relationship: relationship))
        where !members.isEmpty {
          request.toMany.append(
            SaveRequest.ToManyChange(
              owner: moved(owner), relationshipName: relationship.name, members: members.map(moved)))
        }
      }
    }
  }

  private func moved(_ id: ObjectID) -> ObjectID {
    let key = (id.primaryKey ?? 0) + (keyOffsets[id.entity.root.index] ?? 0)
    return ObjectID(entity: id.entity, reference: .permanent(store: destination.identifier, primaryKey: key))
  }
}
