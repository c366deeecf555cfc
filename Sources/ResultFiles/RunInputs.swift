import CoreDataLayout
import Foundation
import Platform

/// The files that a run or an export reads, so that results are not written over them under any name.
package struct RunInputs {
  private var files: [FileIdentity: String] = [:]
  private var paths: [String: String] = [:]
  private var folders: [String] = []

  /// Inputs without any file or folder.
  package init() {}

  package mutating func add(file path: String) {
    paths[ResultPath.key(path)] = path
    if let identity = FileIdentity(path) { files[identity] = path }
  }

  /// A store has a log and files of external data beside it.
  package mutating func add(store path: String) {
    for file in Sidecar.files(of: path) { add(file: file) }
    folders.append(ResultPath.key(StorePlace.externalDataFolder(of: path)))
  }

  /// A model is a file, a folder with all that is in it, or a store. One of several versions brings the others with it.
  package mutating func add(model path: String) {
    let parent = FileSystem.parent(ResultPath.key(path))
    let path = [".xcdatamodeld", ".momd"].contains { parent.hasSuffix($0) } ? parent : path
    guard PathContent(at: path) == .folder else {
      if StoreFiles.isDatabase(path: path) { add(store: path) } else { add(file: path) }
      return
    }
    folders.append(ResultPath.key(path))
    addContents(of: path)
  }

  /// Symbolic links to folders are not followed.
  private mutating func addContents(of folder: String) {
    for name in FileSystem.names(in: folder) {
      let path = folder + "/" + name
      if let identity = FileIdentity(path) { files[identity] = path }
      if PathContent(at: path) == .folder, !PathContent.isLink(path) { addContents(of: path) }
    }
  }

  /// Whether a path names one of them, or something in a folder of theirs.
  package func contain(_ path: String) -> Bool {
    if let identity = FileIdentity(path), files[identity] != nil { return true }
    let path = ResultPath.key(path)
    return paths[path] != nil || folders.contains { RunInputs.isInside(path, $0) }
  }

  /// An input that lies in a folder.
  func first(in folder: String) -> String? {
    let folder = ResultPath.key(folder)
    if let path = paths.keys.sorted().first(where: { RunInputs.isInside($0, folder) }) { return paths[path] }
    return folders.sorted().first { RunInputs.isInside($0, folder) }
  }

  /// Whether one path without links is another, or lies in it.
  static func isInside(_ path: String, _ folder: String) -> Bool {
    path == folder || path.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
  }
}
