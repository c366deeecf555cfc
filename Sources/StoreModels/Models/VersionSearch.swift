package import CoreDataLayout
import Foundation
package import ModelFiles
package import ObjectModel

/// The versions of a model's folder by whose hashes a store was made.
package struct VersionSearch {
  /// Their names, sorted by code point; several when versions differ in nothing that enters a hash.
  package private(set) var names: [String] = []
  /// One of them, nil when there is none.
  package private(set) var file: ModelFile?
  /// Whether the versions found have the store's hashes themselves.
  package var isSure: Bool { best ?? 0 < 0 }
  /// Names of the versions that cannot be read.
  package private(set) var unreadable: [String] = []
  /// How many columns the store has that those which are found do not explain; less than 0 where they have its hashes
  /// themselves, by the rules alone or as Apple's compiler wrote them.
  private var best: Int?
  /// Why the first of them cannot be read, or the folder.
  package private(set) var failure: ModelError?

  /// - Parameters:
  ///   - path: the model as it was given; nothing is found where that is one version only.
  ///   - source: what the store tells of its version.
  package init(path: String, _ source: SourceVersion) {
    guard ModelReader.isModel(path: path) else { return }
    do {
      let versions = try ModelReader.versions(path: path)
      guard versions.names.count > 1 else { return }
      for name in versions.names { compare(name, path: path, source) }
    } catch {
      failure = error
    }
  }

  /// The folder with all versions of a model, of one of which the path may be; links to it are followed. Any other path
  /// as it is.
  package static func folder(ofModelAt path: String) -> String {
    let folders = ["xcdatamodeld", "momd"]
    var url = URL(fileURLWithPath: path).resolvingSymlinksInPath().standardizedFileURL
    if url.lastPathComponent == "contents" { url.deleteLastPathComponent() }
    let parent = url.deletingLastPathComponent()
    if folders.contains(parent.pathExtension) { return parent.path }
    let isLink =
      folders.contains(url.pathExtension) && url.lastPathComponent != URL(fileURLWithPath: path).lastPathComponent
    return isLink ? url.path : path
  }

  private mutating func compare(_ name: String, path: String, _ source: SourceVersion) {
    do {
      let own = try ModelReader.readFile(path: path, version: name)
      guard let excess = source.fit(own.model)?.excess else { return }
      if let best, excess > best { return }
      if best != excess { (names, file, best) = ([], nil, excess) }
      names.append(name)
      file = file ?? own.takingUnconfirmedHashes(from: source.hashes, carrying: source.carried)
    } catch {
      unreadable.append(name)
      failure = failure ?? error
    }
  }
}
