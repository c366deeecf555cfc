package import Foundation
package import ModelFiles
import ObjectModel

/// The versions of a model's folder by whose hashes a store was made.
package struct VersionSearch {
  /// Their names, sorted by code point; several when versions differ in nothing that enters a hash.
  package private(set) var names: [String] = []
  /// One of them, nil when there is none.
  package private(set) var file: ModelFile?
  /// Names of the versions that cannot be read.
  package private(set) var unreadable: [String] = []

  /// - Parameters:
  ///   - path: the model as it was given; nothing is found where that is one version only.
  ///   - hashes: entity name → version hash, of the store.
  package init(path: String, hashes: [String: Data]) {
    guard ModelReader.isModel(path: path), let versions = try? ModelReader.versions(path: path),
      versions.names.count > 1
    else { return }
    for name in versions.names {
      guard let version = try? ModelReader.readFile(path: path, version: name) else {
        unreadable.append(name)
        continue
      }
      let known = version.takingUnconfirmedHashes(from: hashes)
      guard known.model.entityVersionHashesByName == hashes else { continue }
      names.append(name)
      file = file ?? known
    }
  }
}
