package import Foundation
package import ModelFiles
package import ObjectModel

/// The versions of a model's folder by whose hashes a store was made.
package struct VersionSearch {
  /// Their names, sorted by code point; several when versions differ in nothing that enters a hash.
  package private(set) var names: [String] = []
  /// One of them, nil when there is none.
  package private(set) var file: ModelFile?
  /// Names of the versions that cannot be read.
  package private(set) var unreadable: [String] = []
  /// Why the first of them cannot be read, or the folder.
  package private(set) var failure: ModelError?

  /// - Parameters:
  ///   - path: the model as it was given; nothing is found where that is one version only.
  ///   - hashes: entity name → version hash, of the store.
  package init(path: String, hashes: [String: Data]) {
    guard ModelReader.isModel(path: path) else { return }
    do {
      let versions = try ModelReader.versions(path: path)
      guard versions.names.count > 1 else { return }
      for name in versions.names { look(at: name, path: path, hashes: hashes) }
    } catch {
      failure = error
    }
  }

  private mutating func look(at name: String, path: String, hashes: [String: Data]) {
    do {
      let known = try ModelReader.readFile(path: path, version: name).takingUnconfirmedHashes(from: hashes)
      guard known.model.entityVersionHashesByName == hashes else { return }
      names.append(name)
      file = file ?? known
    } catch {
      unreadable.append(name)
      failure = failure ?? error
    }
  }
}
