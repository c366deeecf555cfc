import ObjectModel
import Predicates
import StoreInterface

/// Reads how objects of one store are known in both.
struct ObjectKeys {
  let store: any StoreReading
  /// The attributes that make up the key, by the name of the entity.
  let names: [String: [String]]

  /// The key of an object whose row is at hand.
  func key(of snapshot: Snapshot) -> ObjectKey {
    let entity = snapshot.objectID.entity
    let values = (names[entity.name] ?? []).compactMap { name in
      entity.attributes.firstIndex { $0.name == name }.map { (name: name, value: snapshot.attributes[$0]) }
    }
    return ObjectKey(entity: entity.name, values: values, primaryKey: snapshot.objectID.primaryKey ?? 0)
  }

  /// The keys of objects, those that have more than a primary key with one fetch for each hierarchy. Objects that are
  /// not there have their primary keys alone.
  func keys(of ids: some Sequence<ObjectID>) throws -> [ObjectID: ObjectKey] {
    var keys: [ObjectID: ObjectKey] = [:]
    var unread: [Entity: [ObjectID]] = [:]
    for id in ids where keys[id] == nil {
      keys[id] = ObjectKey(entity: id.entity.name, values: [], primaryKey: id.primaryKey ?? 0)
      if names[id.entity.name]?.isEmpty == false { unread[id.entity.root, default: []].append(id) }
    }
    for (root, ids) in unread {
      var request = FetchSpecification(root)
      request.predicate = .selfIsIn(ids)
      for snapshot in try store.snapshots(request) { keys[snapshot.objectID] = key(of: snapshot) }
    }
    return keys
  }
}
