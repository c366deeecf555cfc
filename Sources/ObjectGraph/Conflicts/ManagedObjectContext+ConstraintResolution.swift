import ObjectModel
import StoreInterface

extension ManagedObjectContext {
  /// Resolves conflicts about uniqueness as a policy of that kind does.
  func resolve(_ conflicts: [ConstraintConflict], _ kind: MergePolicy.Kind) throws {
    defer { pending.dropFormerChanges() }
    switch kind {
    case .mergeByPropertyObjectTrump, .overwrite:
      undoManager?.removeAllActions(withTarget: self)
      var joiner = try UpsertMerger(conflicts, self, replacing: kind == .overwrite)
      defer { joiner.finish() }
      for conflict in conflicts {
        try joiner.join(conflict)
        try applyDeleteRulesNow()
      }
    case .mergeByPropertyStoreTrump, .rollback, .error:
      let held = try loadPartners(of: conflicts.flatMap(\.conflictingObjects).filter(\.isInserted))
      for conflict in conflicts {
        let objects = conflict.openObjects
        for object in conflict.persisted == nil ? objects.dropFirst() : objects[...] {
          if object.isInserted {
            delete(object)
          } else {
            restoreStoredValues(object, kind == .rollback ? nil : conflict.constraint)
          }
        }
        try applyDeleteRulesNow()
      }
      withExtendedLifetime(held) {}
    }
  }

  private func applyDeleteRulesNow() throws {
    applyDeleteRules()
    try throwDeferredError()
  }

  /// Gives properties, or all for nil, their stored values; inverses follow.
  private func restoreStoredValues(_ object: ManagedObject, _ properties: [String]?) {
    guard let stored = object.stored else { return }
    let layout = object.runtime.layout
    for (index, attribute) in layout.attributes.enumerated() where !attribute.isTransient {
      guard let properties else {
        object.setValue(stored.attributes[index], at: index)
        continue
      }
      for path in properties.map({ $0.split(separator: ".").map(String.init) }) where path.first == attribute.name {
        let old = stored.attributes[index].element(at: path.dropFirst())
        object.setValue(object.value(at: index).settingElement(at: path.dropFirst(), to: old), at: index)
      }
    }
    for (index, relationship) in layout.relationships.enumerated() where properties?.contains(relationship.name) ?? true
    {
      if !relationship.isToMany { object.setDestination(stored.toOne[index], at: index) }
    }
    object.awake(fromSnapshotEvents: .mergePolicy)
  }

  /// Loads with one fetch the objects that the resolution would load one by one: the members of new objects, and the
  /// objects that are linked to them one-to-one.
  func loadPartners(of objects: [ManagedObject]) throws -> [ManagedObject] {
    var ids: [ObjectID] = []
    for object in objects {
      for (index, link) in object.runtime.links.enumerated() {
        if link.isToMany {
          ids += object.loadedMembers(index) ?? []
        } else if !link.isInverseToMany, let id = object.destinations[index] {
          ids.append(id)
        }
      }
    }
    return try self.objects(with: ids)
  }
}

extension ConstraintConflict {
  /// The objects that are still in conflict; none when others of the same save have resolved it.
  var openObjects: [ManagedObject] {
    let objects = conflictingObjects.filter { $0.isInserted || $0.hasOwnChanges }
    // One of them may have become the row's object.
    let isRowApart = persisted.map { persisted in !objects.contains { $0.objectID == persisted.objectID } } ?? false
    return objects.count + (isRowApart ? 1 : 0) < 2 ? [] : objects
  }
}
