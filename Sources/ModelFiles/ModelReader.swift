import Foundation
public import ObjectModel
import Platform

/// Reads the models that Xcode's editor writes: `.xcdatamodeld` folders with their versions, and single
/// `.xcdatamodel` folders or the XML file `contents` inside one; and compiled ones: `.momd` folders and `.mom` files.
public enum ModelReader {
  /// The largest XML file that is read, in bytes.
  static let maximumByteCount = 64 << 20

  /// Reads a model.
  /// - Parameters:
  ///   - path: a `.xcdatamodeld` or `.xcdatamodel` folder (a `/` at the end is allowed), a `contents` file, a `.momd`
  ///     folder or a `.mom` file; or a folder and the name of one of its versions, as `Shop.xcdatamodeld/Shop 2`.
  ///   - version: name of a version, with or without its suffix; nil for the current one.
  /// - Throws: `ModelError` with every mistake found, each with file, line and what to do.
  public static func read(path: String, version: String? = nil) throws(ModelError) -> ManagedObjectModel {
    try readFile(path: path, version: version).model
  }

  /// The folder and version of a path such as `Shop.xcdatamodeld/Shop 2`, which names a version without its suffix.
  private static func namedVersion(_ path: String) -> (folder: String, version: String)? {
    guard let slash = path.lastIndex(of: "/"), ModelFileSystem.kind(path) == .missing else { return nil }
    let folder = String(path[..<slash])
    let isFolder = [ModelLocation.folderSuffix, CompiledModelLocation.folderSuffix].contains(where: folder.hasSuffix)
    let name = String(path[path.index(after: slash)...])
    guard isFolder, !name.contains(".xcdatamodel"), !name.hasSuffix(".mom") else { return nil }
    return (folder, name)
  }

  /// Reads a model and tells which version it is and what was left out. See `read(path:version:)`.
  public static func readFile(path: String, version: String? = nil) throws(ModelError) -> ModelFile {
    let path = ModelLocation.withoutTrailingSlashes(path)
    if let named = namedVersion(path), version == nil || version == named.version {
      return try readFile(path: named.folder, version: named.version)
    }
    if CompiledModelLocation.isCompiled(path) {
      return try CompiledModelReader.readFile(path: path, version: version)
    }
    let location = try ModelLocation(path: path, version: version)
    let bytes = try ModelFileSystem.readFile(location.contentsPath, limit: maximumByteCount)
    if !isModel(path: path), !isXML(bytes) {
      throw ModelError(
        .unsupportedFormat, file: path, "this is no model: neither XML nor a compiled one",
        hint: "give the app's .xcdatamodeld, .xcdatamodel, .momd or .mom")
    }
    let root = try XMLNode.parse(bytes, path: location.contentsPath)
    var decoder = ModelDecoder(path: location.contentsPath)
    let model = try decoder.decode(root)
    return ModelFile(
      model: model, versionName: location.versionName, path: location.contentsPath, archive: nil,
      warnings: decoder.log.warnings)
  }

  /// Whether the bytes begin as XML does, or as a property list, which is refused with words of its own.
  private static func isXML(_ bytes: Data) -> Bool {
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes
    return bytes.isEmpty || bytes.starts(with: Array("bplist".utf8))
      || text.first { !($0 == 0x20 || (0x09...0x0D).contains($0)) } == UInt8(ascii: "<")
  }

  /// Whether a path names a model, told from its name; the file is not read.
  public static func isModel(path: String) -> Bool {
    let path = ModelLocation.withoutTrailingSlashes(path)
    return namedVersion(path) != nil || CompiledModelLocation.isCompiled(path)
      || path.hasSuffix(ModelLocation.versionSuffix)
      || path.hasSuffix(ModelLocation.folderSuffix)
      || path.hasSuffix(ModelLocation.versionSuffix + "/" + ModelLocation.contentsName)
  }

  /// What a model or store is called: the last part of its path without its suffix, `Shop` for `App/Shop.xcdatamodeld`.
  public static func modelName(path: String) -> String {
    let path = ModelLocation.withoutTrailingSlashes(path) as NSString
    let isContents = path.lastPathComponent == ModelLocation.contentsName
    let named = isContents ? path.deletingLastPathComponent as NSString : path
    return (named.lastPathComponent as NSString).deletingPathExtension
  }

  /// Lists the versions of a `.xcdatamodeld` or `.momd` folder, or the one of a single `.xcdatamodel` or `.mom`.
  /// - Throws: `ModelError` when there is no model at the path or its folder is damaged.
  public static func versions(path: String) throws(ModelError) -> ModelVersions {
    let path = ModelLocation.withoutTrailingSlashes(path)
    if let named = namedVersion(path) {
      let version = try readFile(path: named.folder, version: named.version).versionName
      return ModelVersions(names: [version], current: version)
    }
    return try CompiledModelLocation.isCompiled(path)
      ? CompiledModelLocation.versions(path: path) : ModelLocation.versions(path: path)
  }
}
