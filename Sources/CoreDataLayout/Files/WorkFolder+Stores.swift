import Foundation
package import StoreInterface

// Stores are made in a work folder under their own names, on which the folders of their external data depend.
extension WorkFolder {
  /// The path under which a store is made before it takes its place.
  static func storePath(for place: String) -> String {
    path(for: place) + "/" + (place as NSString).lastPathComponent
  }

  /// The most bytes of a path that SQLite opens a file by, which the name of its journal must not exceed either.
  private static let longestPath = 512

  private static func journalLength(forStoreAt place: String) -> Int {
    Sidecar.journal.path(of: URL(fileURLWithPath: storePath(for: place)).path).utf8.count
  }

  /// Whether SQLite can open a store that is made for a place.
  package static func hasRoom(forStoreAt place: String) -> Bool { journalLength(forStoreAt: place) <= longestPath }

  /// - Throws: `StoreError.cannotCreate` where SQLite could not open a store that is made for a place.
  package static func requireRoom(forStoreAt place: String) throws(StoreError) {
    let length = journalLength(forStoreAt: place)
    if length <= longestPath { return }
    throw .cannotCreate(
      path: place,
      message: "the path is too long for SQLite: the store is made under its own name in a folder beside it, where its "
        + "journal's path would have \(length) bytes, and may have \(longestPath)")
  }
}
