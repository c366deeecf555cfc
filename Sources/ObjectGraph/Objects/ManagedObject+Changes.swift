import ObjectModel
import Predicates
import StoreInterface

extension ManagedObject {
  /// The persisted properties that differ from what is stored, with their new values: attributes and relationships,
  /// also to-many ones whose members were set at the other side, which are loaded for it. For a new object, all
  /// attributes that are not null and all relationships that lead somewhere. Transient attributes are left out.
  public func changedPropertyValues() -> [String: PropertyValue] {
    checkConfinement()
    if status == .fault && !hasMemberChanges { return [:] }
    var changed: [String: PropertyValue] = [:]
    for (index, attribute) in runtime.layout.attributes.enumerated() where values.indices.contains(index) {
      if !attribute.isTransient, !values[index].isIdentical(to: stored?.attributes[index] ?? .null) {
        changed[attribute.name] = .attribute(values[index])
      }
    }
    for name in changedRelationships {
      if runtime.layout.relationshipIndexes[name].map({ runtime.layout.relationships[$0].isToMany }) == true {
        _ = members(of: name)
      }
      changed[name] = currentRelationship(name)
    }
    return changed
  }

  /// The names of the relationships that the next save changes for this object, whichever side was set.
  public var changedRelationships: Set<String> {
    checkConfinement()
    if status == .fault && !hasMemberChanges { return [] }
    var changed: Set<String> = []
    let hasMemberChanges = hasMemberChanges
    for (index, relationship) in runtime.layout.relationships.enumerated() where destinations.indices.contains(index) {
      let isChanged =
        relationship.isToMany
        ? isListWritten(index) || (hasMemberChanges && context?.hasMemberChanges(self, index) == true)
        : destinations[index] != (stored?.toOne[index] ?? nil)
      if isChanged { changed.insert(relationship.name) }
    }
    return changed
  }

  /// The values that the object was last fetched or saved with. For a new object: null, and relationships that lead
  /// nowhere. Fires a fault; to-many relationships are only listed when they are loaded.
  /// - Parameter keys: names of properties; nil for all persisted ones. Other names are ignored.
  public func committedPropertyValues(forKeys keys: [String]? = nil) -> [String: PropertyValue] {
    checkConfinement()
    fire()
    let layout = runtime.layout
    var committed: [String: PropertyValue] = [:]
    func isWanted(_ name: String) -> Bool { keys?.contains(name) ?? true }
    for (index, attribute) in layout.attributes.enumerated() where !attribute.isTransient && isWanted(attribute.name) {
      committed[attribute.name] = .attribute(stored?.attributes[index] ?? .null)
    }
    for (index, relationship) in layout.relationships.enumerated() where isWanted(relationship.name) {
      if !relationship.isToMany {
        committed[relationship.name] = .toOne(stored?.toOne[index] ?? nil)
      } else if memberLists.indices.contains(index), let list = memberLists[index] {
        committed[relationship.name] = .toMany(list.stored)
      }
    }
    return committed
  }

  /// The properties that changed since changes were last processed (see `processPendingChanges`), with the values they
  /// had then. An observer of `didChangeObjectsNotification` gets those of the event that it is told. Transient
  /// attributes count. Empty for an object that was inserted since. A to-many relationship is listed when it was loaded
  /// then.
  public func changedPropertyValuesForCurrentEvent() -> [String: PropertyValue] {
    checkConfinement()
    let noted = context?.event.stateBefore(of: self) ?? context?.postedEvent?.stateBefore(of: self)
    guard let before = noted, before.values.count == values.count else { return [:] }
    let layout = runtime.layout
    var changed: [String: PropertyValue] = [:]
    let (values, formerValues) = (values, before.values)
    for (index, attribute) in layout.attributes.enumerated()
    where !values[index].isIdentical(to: formerValues[index]) {
      changed[attribute.name] = .attribute(formerValues[index])
    }
    let (destinations, formerDestinations) = (destinations, before.destinations)
    for (index, relationship) in layout.relationships.enumerated() {
      if !relationship.isToMany {
        if destinations[index] != formerDestinations[index] {
          changed[relationship.name] = .toOne(formerDestinations[index])
        }
      } else if before.memberLists.indices.contains(index), var old = before.memberLists[index],
        memberLists.indices.contains(index), var new = memberLists[index], old.members() != new.members()
      {
        changed[relationship.name] = .toMany(old.members())
      }
    }
    return changed
  }

  /// Current values of every property that is loaded, for resolving conflicts.
  func currentValues() -> [String: PropertyValue] {
    var current: [String: PropertyValue] = [:]
    for (index, attribute) in runtime.layout.attributes.enumerated() where values.indices.contains(index) {
      current[attribute.name] = .attribute(values[index])
    }
    for relationship in runtime.layout.relationships {
      current[relationship.name] = currentRelationship(relationship.name)
    }
    return current
  }

  /// A relationship as it is loaded; nil for a to-many relationship that is not.
  private func currentRelationship(_ name: String) -> PropertyValue? {
    guard let index = runtime.layout.relationshipIndexes[name] else { return nil }
    if !runtime.layout.relationships[index].isToMany {
      return destinations.indices.contains(index) ? .toOne(destinations[index]) : nil
    }
    guard memberLists.indices.contains(index) else { return nil }
    return loadedMembers(index).map { .toMany($0) }
  }
}

extension Snapshot {
  /// The properties by name, to-many relationships left out.
  var valuesByName: [String: PropertyValue] {
    var values: [String: PropertyValue] = [:]
    for (attribute, value) in zip(objectID.entity.attributes, attributes) { values[attribute.name] = .attribute(value) }
    for (relationship, destination) in zip(objectID.entity.relationships, toOne) where !relationship.isToMany {
      values[relationship.name] = .toOne(destination)
    }
    return values
  }
}

extension ManagedObject {
  /// Whether the next save writes new values of the object. Unlike `isUpdated`, it ignores members that were set at the
  /// other side.
  var hasOwnChanges: Bool {
    guard status == .loaded && isMaybeUpdated else { return false }
    // The weak reference is costly to read, so it is read only where it matters.
    let countsTransients = !runtime.transientAttributes.isEmpty && context?.parent != nil
    return differsFromStored(countingTransients: countsTransients)
  }

  func differsFromStored(countingTransients: Bool = false) -> Bool {
    if isUntouched || !hasStored { return false }
    if hasChangedProperties(countingTransients: countingTransients) { return true }
    return hasEditedLists && memberLists.indices.contains { isListWritten($0) }
  }
}
