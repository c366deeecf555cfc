import CoreDataLayout
import Foundation
import ObjectModel
import StoreInterface

/// Values of keys to explain statements with: those of objects in the store, or made-up ones where it has none.
enum ExampleKeys {
  /// - Returns: at most `limit` tuples, one at least; none has a null.
  static func values(
    of columns: [RowBatch.Column], in entity: Entity, _ store: SQLiteStore, limit: Int
  ) throws -> [[Value]] {
    var request = FetchSpecification(entity)
    request.fetchLimit = limit
    let found = try store.snapshots(request).map { snapshot in columns.map { value(of: $0.source, snapshot) } }
      .filter { !$0.contains(.null) }
    return found.isEmpty ? [columns.map { madeUp(for: $0.source, entity) }] : found
  }

  private static func value(of source: RowBatch.Source, _ snapshot: Snapshot) -> Value {
    let entity = snapshot.objectID.entity
    switch source {
    case .attribute(let path):
      let names = path.split(separator: ".").map(String.init)
      guard let index = entity.attributes.firstIndex(where: { $0.name == names[0] }) else { return .null }
      return snapshot.attributes[index].element(at: names.dropFirst())
    case .toOne(let name):
      guard let index = entity.relationships.firstIndex(where: { $0.name == name }),
        let key = snapshot.toOne[index]?.primaryKey
      else { return .null }
      return .integer(key)
    case .toOneEntity, .toOneOrder: return .null
    }
  }

  private static func madeUp(for source: RowBatch.Source, _ entity: Entity) -> Value {
    guard case .attribute(let path) = source, let type = entity.storedAttribute(path)?.type else { return .integer(1) }
    return switch type {
    case .integer16, .integer32, .integer64: .integer(1)
    case .boolean: .boolean(true)
    case .double, .float: .double(1)
    case .decimal: .decimal(1)
    case .date: .date(Date(timeIntervalSinceReferenceDate: 0))
    case .uuid: .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)))
    case .uri: .uri(URL(fileURLWithPath: "/"))
    case .binary, .transformable: .data(Data([1]))
    case .string, .undefined, .objectID, .composite: .string("a")
    }
  }
}
