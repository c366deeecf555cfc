public import Foundation
public import ObjectModel
import StoreInterface

extension ObjectID {
  /// The id as a URI, the same in every process: `x-coredata://STORE-UUID/Entity/p7` for row 7, and
  /// `x-coredata:///Entity/tUUID` for a temporary id.
  public func uriRepresentation() -> URL {
    // Store identifiers are UUIDs and entity names identifiers, so the text is always a URL.
    URL(string: uriText) ?? URL(fileURLWithPath: uriText)
  }

  fileprivate var uriText: String {
    switch reference {
    case .permanent(let store, let primaryKey): "x-coredata://\(store)/\(entity.name)/p\(primaryKey)"
    case .temporary(let uuid): "x-coredata:///\(entity.name)/t\(uuid.uuidString)"
    }
  }
}

extension ObjectID: CustomStringConvertible {
  /// The text of the id's URI.
  public var description: String { uriText }
}

extension PersistentStoreCoordinator {
  /// The id that a URI names; nil when it is none, the model has no such entity, or the coordinator no such store.
  /// Whether there is such an object shows when it is used. Names are compared exactly.
  public func managedObjectID(forURIRepresentation uri: URL) -> ObjectID? {
    let parts = uri.path.split(separator: "/", omittingEmptySubsequences: true)
    guard uri.scheme == "x-coredata", parts.count == 2, let entity = model[String(parts[0])] else { return nil }
    let key = parts[1].dropFirst()
    switch parts[1].first {
    case "p":
      // URLs may give a host back in lower case; the store's own spelling counts.
      guard let primaryKey = Int64(key), primaryKey > 0, let host = uri.host,
        let store = persistentStores.map(\.identifier).first(where: { $0.uppercased() == host.uppercased() })
      else { return nil }
      return ObjectID(entity: entity, reference: .permanent(store: store, primaryKey: primaryKey))
    case "t": return UUID(uuidString: String(key)).map { ObjectID(entity: entity, reference: .temporary($0)) }
    default: return nil
    }
  }

  /// An id of this coordinator's model for one of another coordinator that has the same store open.
  func localID(_ id: ObjectID) -> ObjectID? {
    if id.entity.model === model { return id }
    return model[id.entity.name].map { ObjectID(entity: $0, reference: id.reference) }
  }
}
