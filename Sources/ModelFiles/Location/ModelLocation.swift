import Foundation
import ObjectModel
import Platform
import PropertyLists

/// Where the XML of one model version is, found from the path that a user gave.
struct ModelLocation {
  static let versionSuffix = ".xcdatamodel"
  static let folderSuffix = ".xcdatamodeld"
  static let contentsName = "contents"
  static let currentVersionFile = ".xccurrentversion"

  /// Path of the XML file.
  let contentsPath: String
  let versionName: String

  /// - Parameter path: without a `/` at the end.
  init(path: String, version: String?) throws(ModelError) {
    switch ModelFileSystem.kind(path) {
    case .missing:
      throw ModelError(
        .unreadableFile, file: path, "there is no model here", hint: "give the path of a .xcdatamodeld or .momd folder")
    case .file:
      let folder = FileSystem.parent(path)
      let name = Self.baseName(folder.hasSuffix(Self.versionSuffix) ? folder : path)
      try Self.require(version, toBe: name, path: path)
      contentsPath = path
      versionName = name
    case .folder where path.hasSuffix(Self.versionSuffix):
      let name = Self.baseName(path)
      try Self.require(version, toBe: name, path: path)
      contentsPath = try Self.contents(of: path)
      versionName = name
    case .folder:
      let name = try Self.chosenVersion(version, in: path)
      contentsPath = try Self.contents(of: path + "/" + name + Self.versionSuffix)
      versionName = name
    }
  }

  static func versions(path: String) throws(ModelError) -> ModelVersions {
    guard ModelFileSystem.kind(path) == .folder, !path.hasSuffix(versionSuffix) else {
      let name = try ModelLocation(path: path, version: nil).versionName
      return ModelVersions(names: [name], current: name)
    }
    let names = try ModelFileSystem.names(in: path).filter { $0.hasSuffix(versionSuffix) }
      .map { String($0.dropLast(versionSuffix.count)) }.sorted { ModelVersions.precedes($0, $1) }
    guard let first = names.first else {
      throw ModelError(
        .unreadableFile, file: path, "the folder holds no \(versionSuffix) version",
        hint: "give the path of a .xcdatamodeld folder")
    }
    let current = try currentVersion(in: path, names: names) ?? (names.count == 1 ? first : nil)
    return ModelVersions(names: names, current: current)
  }

  private static func chosenVersion(_ version: String?, in folder: String) throws(ModelError) -> String {
    let known = try ModelLocation.versions(path: folder)
    let list = known.names.joined(separator: ", ")
    if let version {
      let stated = withoutSuffix(version)
      // The folder's own spelling: names are equal in either normal form of Unicode, and paths are not.
      guard let name = known.names.first(where: { $0 == stated }) else {
        throw ModelError(
          .unknownVersion, file: folder, "the model has no version \(stated)", hint: "its versions are: \(list)")
      }
      return name
    }
    guard let current = known.current else {
      throw ModelError(
        .unknownVersion, file: folder,
        "the model has several versions and no \(currentVersionFile) that says which is current",
        hint: "name one of the versions: \(list)")
    }
    return current
  }

  /// The version in `.xccurrentversion`; nil when there is no such file. One that says nothing means the version that
  /// is named like the folder, else the first one.
  private static func currentVersion(in folder: String, names: [String]) throws(ModelError) -> String? {
    let path = folder + "/" + currentVersionFile
    guard ModelFileSystem.kind(path) != .missing else { return nil }
    let list = names.joined(separator: ", ")
    let file = try PropertyListFile.read(path)
    let contents = file?.value?.dictionaryValue
    var isSilent = contents.map { $0["_XCCurrentVersionName"] == nil } ?? false
    if let file, file.value == nil { isSilent = true }
    // Blanks around a name may be the name's own.
    let name = (contents?["_XCCurrentVersionName"]?.stringValue).map { stated in
      names.contains(withoutSuffix(stated)) ? stated : stated.trimmingCharacters(in: .whitespacesAndNewlines)
    }
    if isSilent || name?.isEmpty == true {
      let own = ((folder as NSString).lastPathComponent as NSString).deletingPathExtension
      return names.contains(own) ? own : names.first
    }
    guard let name else {
      throw ModelError(
        .unknownVersion, file: path, "the file is not a property list with a _XCCurrentVersionName",
        hint: "restore the file, or remove it and name one of the versions: \(list)")
    }
    let stated = withoutSuffix(name)
    guard let version = names.first(where: { $0 == stated }) else {
      throw ModelError(
        .unknownVersion, file: path, "the current version \(stated) is not in the folder",
        hint: "its versions are: \(list)")
    }
    return version
  }

  private static func contents(of folder: String) throws(ModelError) -> String {
    let path = folder + "/" + contentsName
    if ModelFileSystem.kind(path) == .file { return path }
    if ModelFileSystem.kind(folder + "/elements") == .file {
      throw ModelError(
        .unsupportedFormat, file: folder, "this is a model in the binary format of Xcode 3",
        hint: "open it in a newer Xcode and save it, which writes the XML format")
    }
    throw ModelError(
      .unreadableFile, file: folder, "the model has no file named contents", hint: "restore the folder's files")
  }

  private static func require(_ version: String?, toBe name: String, path: String) throws(ModelError) {
    guard let version, withoutSuffix(version) != name else { return }
    throw ModelError(
      .unknownVersion, file: path, "this is version \(name), not \(withoutSuffix(version))",
      hint: "give the path of the .xcdatamodeld folder to choose among its versions")
  }

  private static func baseName(_ path: String) -> String { withoutSuffix((path as NSString).lastPathComponent) }

  private static func withoutSuffix(_ name: String) -> String {
    name.hasSuffix(versionSuffix) ? String(name.dropLast(versionSuffix.count)) : name
  }

  static func withoutTrailingSlashes(_ path: String) -> String {
    var path = Substring(path)
    while path.count > 1, path.last == "/" { path.removeLast() }
    return String(path)
  }
}
