import CoreDataLayout
import ObjectModel
import Pipelines
import Predicates
import StoreInterface

extension ChangePlan {
  /// Checks that no stored object still leads to a deleted one, except where the file changes that relationship.
  func checkDeletions() throws {
    if deleted.isEmpty { return }
    for entity in store.model.entities {
      for relationship in entity.relationships where !relationship.isToMany && relationship.declaringEntity == entity {
        if relationship.definition.isTransient { continue }
        let gone = deleted.filter { $0.entity.isKind(of: relationship.destination) }.sorted { $0.sortKey < $1.sortKey }
        // SQL nests such conditions, no deeper than a thousand.
        for start in stride(from: 0, to: gone.count, by: 200) {
          try check(gone[start..<min(start + 200, gone.count)], relationship)
        }
      }
    }
  }

  private func check(_ gone: ArraySlice<ObjectID>, _ relationship: Relationship) throws {
    var request = FetchSpecification(relationship.declaringEntity)
    request.predicate = .or(gone.map { .refersTo([relationship.name], $0) })
    for snapshot in try store.snapshots(request) where !deleted.contains(snapshot.objectID) {
      guard let index = snapshot.objectID.entity.relationships.firstIndex(where: { $0.name == relationship.name }),
        let destination = snapshot.toOne[index], let line = lines[destination],
        !stated.contains(Property(object: snapshot.objectID, name: relationship.name))
      else { continue }
      throw ChangeFile.error(
        file.path, line,
        "\(destination.entity.name)/\(destination.primaryKey ?? 0) cannot be deleted: "
          + "\(snapshot.objectID.entity.name)/\(snapshot.key).\(relationship.name) leads to it, and the file does not "
          + "change that",
        code: "changes.referenced",
        hint: relationship.inverse == nil
          ? "\(relationship.name) has no inverse, so that a deletion leaves it as it is: clear it before what it leads to is "
            + "deleted, or copy the store anew"
          : "was the store changed otherwise meanwhile?")
    }
  }
}

extension ObjectID {
  fileprivate var sortKey: Int64 { primaryKey ?? 0 }
}
