import Foundation
import PropertyLists
import SQLite

/// Checks what a store says of itself.
struct MetadataCheck {
  let connection: Connection
  let metadata: StoreMetadata

  func findings() throws(SQLiteError) -> [StoreFinding] {
    var messages: [String] = []
    let rows = try connection.integer("SELECT count(*) FROM Z_METADATA") ?? 0
    if rows != 1 { messages.append("Z_METADATA has \(rows) rows instead of one") }
    if try connection.integer("SELECT count(*) FROM Z_METADATA WHERE Z_VERSION = 1") == 0 {
      messages.append("no row of Z_METADATA has the version 1")
    }
    if UUID(uuidString: metadata.uuid) == nil { messages.append("the store's UUID is none") }
    if let type = metadata.values["NSStoreType"], type.stringValue != "SQLite" {
      messages.append("NSStoreType is not SQLite")
    }
    if let version = metadata.values["NSStoreModelVersionHashesVersion"], version.integerValue != 3 {
      messages.append("NSStoreModelVersionHashesVersion is not 3, and Core Data refuses greater ones")
    }
    switch metadata.values["NSStoreModelVersionHashes"] {
    case .dictionary(let hashes)?:
      for (name, hash) in hashes.sorted(by: { $0.key < $1.key }) where hash.dataValue?.count != 32 {
        messages.append("the version hash of \(name.prefix(100)) is not 32 bytes of data")
      }
    case nil: messages.append("there are no version hashes")
    default: messages.append("the version hashes are no dictionary")
    }
    return messages.prefix(20).map { StoreFinding(.metadata, table: "Z_METADATA", $0) }
  }
}
