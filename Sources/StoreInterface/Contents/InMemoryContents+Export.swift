import Foundation
import ObjectModel

extension InMemoryContents {
  /// Everything, in an order that depends on nothing but the contents.
  func export() -> StoreContents {
    var file = StoreContents(identifier: UUID(uuidString: storeIdentifier) ?? UUID())
    for rootRows in rows {
      file.snapshots += rootRows.sorted { $0.key < $1.key }.map(\.value)
    }
    for snapshot in file.snapshots {
      for relationship in layout[snapshot.objectID.entity].relationships where relationship.isToMany {
        let list = members(of: snapshot.objectID, relationship: relationship)
        if list.isEmpty { continue }
        file.toMany.append(
          SaveRequest.ToManyChange(
            owner: snapshot.objectID, relationshipName: relationship.name, members: list))
      }
    }
    for own in layout.layouts where own.entity.superentity == nil {
      file.nextPrimaryKeys[own.entity.name] = greatestPrimaryKeys[own.entity.index] + 1
    }
    return file
  }
}
