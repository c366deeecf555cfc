import Foundation
import ObjectModel
import Platform

/// Where the archive of one version of a compiled model is, found from the path that a user gave.
struct CompiledModelLocation {
  static let folderSuffix = ".momd"
  static let archiveSuffix = ".mom"
  static let optimisedSuffix = ".omo"

  /// Path of the archive.
  let archivePath: String
  let versionName: String
  /// The folder's `VersionInfo.plist`; nil where there is none.
  let versionInfo: VersionInfo?

  /// Whether the path is that of a compiled model, by its name.
  static func isCompiled(_ path: String) -> Bool {
    [folderSuffix, archiveSuffix, optimisedSuffix].contains(where: path.hasSuffix)
  }

  /// - Parameter path: without a `/` at the end.
  init(path: String, version: String?) throws(ModelError) {
    switch ModelFileSystem.kind(path) {
    case .missing:
      throw ModelError(
        .unreadableFile, file: path, "there is no model here", hint: "give the path of a .momd folder or a .mom file")
    case .file:
      guard path.hasSuffix(Self.archiveSuffix) else {
        throw ModelError(
          .unsupportedFormat, file: path, "this is a compiled model in Core Data's private layout",
          hint: "give the .mom file beside it, or the .xcdatamodeld folder")
      }
      versionName = Self.withoutSuffix((path as NSString).lastPathComponent)
      archivePath = path
      if let version, Self.withoutSuffix(version) != versionName {
        throw ModelError(
          .unknownVersion, file: path, "this is version \(versionName), not \(Self.withoutSuffix(version))",
          hint: "give the path of the .momd folder to choose among its versions")
      }
      let folder = FileSystem.parent(path)
      versionInfo = folder.hasSuffix(Self.folderSuffix) ? try VersionInfo.read(folder: folder) : nil
    case .folder:
      let info = try VersionInfo.read(folder: path)
      let known = try Self.versions(folder: path, info: info)
      let list = known.names.joined(separator: ", ")
      if let version {
        versionName = Self.withoutSuffix(version)
        guard known.names.contains(versionName) else {
          throw ModelError(
            .unknownVersion, file: path, "the model has no version \(versionName)", hint: "its versions are: \(list)")
        }
      } else {
        guard let current = known.current else {
          throw ModelError(
            .unknownVersion, file: path,
            "the model has several versions and no \(VersionInfo.fileName) that says which is current",
            hint: "name one of the versions: \(list)")
        }
        versionName = current
      }
      archivePath = path + "/" + versionName + Self.archiveSuffix
      versionInfo = info
    }
  }

  static func versions(path: String) throws(ModelError) -> ModelVersions {
    guard ModelFileSystem.kind(path) == .folder else {
      let name = try CompiledModelLocation(path: path, version: nil).versionName
      return ModelVersions(names: [name], current: name)
    }
    return try versions(folder: path, info: try VersionInfo.read(folder: path))
  }

  private static func versions(folder: String, info: VersionInfo?) throws(ModelError) -> ModelVersions {
    let names = try ModelFileSystem.names(in: folder).filter { $0.hasSuffix(archiveSuffix) }
      .map(withoutSuffix).sorted { ModelVersions.precedes($0, $1) }
    let list = names.joined(separator: ", ")
    guard let first = names.first else {
      throw ModelError(
        .unreadableFile, file: folder, "the folder holds no \(archiveSuffix) file", hint: "compile the model again")
    }
    // A name is only taken when the folder has that file, so none can lead out of it.
    if let current = info?.currentVersionName, !names.contains(current) {
      throw ModelError(
        .unknownVersion, file: folder + "/" + VersionInfo.fileName,
        "the current version \(current) is not in the folder", hint: "its versions are: \(list)")
    }
    return ModelVersions(names: names, current: info?.currentVersionName ?? (names.count == 1 ? first : nil))
  }

  private static func withoutSuffix(_ name: String) -> String {
    name.hasSuffix(archiveSuffix) ? String(name.dropLast(archiveSuffix.count)) : name
  }
}
