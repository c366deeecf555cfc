import ObjectModel
import StoreInterface

extension ManagedObjectContext {
  /// Resolves conflicts about uniqueness as a policy of that kind does.
  func resolve(_ conflicts: [ConstraintConflict], _ kind: MergePolicy.Kind) throws {
    defer { pending.dropFormerChanges() }
    switch kind {
    case .mergeByPropertyObjectTrump, .overwrite:
      undoManager?.removeAllActions(withTarget: self)
      var merger = try UpsertMerger(conflicts, self, replaces: kind == .overwrite)
      defer { merger.finish() }
      for conflict in conflicts {
        try merger.join(conflict)
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
      for path in properties.map(\.keyPathComponents) where path.first == attribute.name {
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
  /// The objects that are still in conflict, one whose row has the values already before the others; none when others
  /// of the same save have resolved it.
  var openObjects: [ManagedObject] {
    let open = conflictingObjects.indices.filter { isOpen($0) }.map { conflictingObjects[$0] }
    let objects = open.filter { $0.hasStoredValues(constraint) } + open.filter { !$0.hasStoredValues(constraint) }
    // One of them may have become the row's object.
    let isRowApart = persisted.map { persisted in !objects.contains { $0.objectID == persisted.objectID } } ?? false
    return objects.count + (isRowApart ? 1 : 0) < 2 ? [] : objects
  }

  /// Whether an object is still in conflict. One of which only members changed is, as long as it has the values.
  private func isOpen(_ index: Int) -> Bool {
    let object = conflictingObjects[index]
    if object.isInserted || object.hasOwnChanges { return true }
    guard object.status == .loaded, conflictingPropertyValues.indices.contains(index) else { return false }
    let former = conflictingPropertyValues[index]
    return constraint.allSatisfy { path in
      let names = path.keyPathComponents
      return object.constrainedValue(names) == former[names[0]]?.element(at: names.dropFirst())
    }
  }
}

extension ManagedObject {
  /// Whether the properties of a constraint are as in the object's row.
  fileprivate func hasStoredValues(_ constraint: [String]) -> Bool {
    guard status == .loaded, let stored = stored?.valuesByName else { return false }
    return constraint.allSatisfy { path in
      let names = path.keyPathComponents
      return constrainedValue(names) == stored[names[0]]?.element(at: names.dropFirst())
    }
  }

  /// What a loaded object has for a property of a constraint.
  fileprivate func constrainedValue(_ names: [String]) -> PropertyValue? {
    if let index = runtime.layout.attributeIndexes[names[0]] {
      return PropertyValue.attribute(value(at: index)).element(at: names.dropFirst())
    }
    return runtime.layout.relationshipIndexes[names[0]].map { .toOne(destinations[$0]) }
  }
}

extension PropertyValue {
  /// The value of an attribute, or of an element of it.
  fileprivate func element(at path: ArraySlice<String>) -> PropertyValue {
    if case .attribute(let value) = self { .attribute(value.element(at: path)) } else { self }
  }
}
