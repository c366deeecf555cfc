import Foundation
import ObjectModel
import Predicates
import StoreInterface

extension InMemoryContents {
  /// Everything, in an order that depends on nothing but the contents. Derived attributes that `load` computes again
  /// are left out.
  func export() -> StoreContents {
    var file = StoreContents(identifier: UUID(uuidString: storeIdentifier) ?? UUID())
    for rootRows in rows {
      file.snapshots += rootRows.sorted { $0.key < $1.key }.map(\.value)
    }
    forgetDerivedValues(&file.snapshots)
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
  private func forgetDerivedValues(_ snapshots: inout [Snapshot]) {
    if derivations.isEmpty { return }
    let positions = layout.layouts.map { own in
      derivations.filter { $0.followsFromContents && own.entity.isKind(of: $0.entity) }
        .compactMap { own.attributeIndexes[$0.attribute.name] }
    }
    for index in snapshots.indices {
      for position in positions[snapshots[index].objectID.entity.index] {
        snapshots[index].attributes[position] = .null
      }
    }
  }
}
