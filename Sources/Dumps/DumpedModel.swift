import CoreDataLayout
import Foundation
import ModelFiles
import ObjectModel
import Pipelines
import Platform
import SeedFormats

/// The model inside a dump, so that the dump stands by itself.
struct DumpedModel {
  /// Name of the file or folder inside the dump.
  let name: String
  /// The version inside the folder; nil where there is only one.
  let version: String?

  /// Copies a model into a folder, or writes the one that the store carries.
  /// - Parameters:
  ///   - path: where the model was read from; nil, or a store, for a cached one.
  ///   - file: the model as it was read.
  static func write(from path: String?, file: ModelFile, store: String, into folder: String) throws -> DumpedModel {
    let origin = path ?? store
    if StoreFiles.isDatabase(path: origin) { return try writeCached(of: origin, into: folder) }
    var source = URL(fileURLWithPath: origin).standardizedFileURL
    let parent = source.deletingLastPathComponent()
    var version: String?
    switch (source.pathExtension, parent.pathExtension) {
    // The folder around a version's archive has its hashes.
    case ("mom", "momd"):
      source = parent
      version = file.versionName
    case ("xcdatamodeld", _), ("momd", _): version = file.versionName
    // The XML inside a version's folder.
    case (_, "xcdatamodel"): source = parent
    default: break
    }
    let target = folder + "/" + source.lastPathComponent
    try FileSystem.copyTree(source.resolvingSymlinksInPath().path, to: target)
    return DumpedModel(name: source.lastPathComponent, version: version)
  }

  /// A compiled model of the cached archive, with the version hashes that the store has beside it.
  private static func writeCached(of store: String, into folder: String) throws -> DumpedModel {
    guard let cache = try ModelCache.read(path: store) else {
      throw RunError(.missingInput, code: "dump.no-model", "\(store) carries no model")
    }
    let archive = try RawDeflate.inflate(cache.content, CompiledModelReader.maximumByteCount)
    let version = "Model"
    let path = folder + "/\(version).momd"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try write(Data(archive), to: path + "/\(version).mom")
    try write(
      Data(versionInfo(version, hashes: cache.versionHashes).utf8), to: path + "/" + VersionInfo.fileName)
    return DumpedModel(name: "\(version).momd", version: version)
  }

  /// `VersionInfo.plist`, written by hand so that the same store gives the same bytes.
  private static func versionInfo(_ version: String, hashes: [String: Data]) -> String {
    let entries = hashes.sortedByCodePoint(\.key).map { name, hash in
      "\t\t\t<key>\(name)</key>\n\t\t\t<data>\(hash.base64EncodedString())</data>\n"
    }
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict>
      \t<key>NSManagedObjectModel_CurrentVersionName</key>
      \t<string>\(version)</string>
      \t<key>NSManagedObjectModel_VersionHashes</key>
      \t<dict>
      \t\t<key>\(version)</key>
      \t\t<dict>
      \(entries.joined())\t\t</dict>
      \t</dict>
      </dict>
      </plist>

      """
  }

  static func write(_ data: Data, to path: String) throws {
    let sink = try FileSink(path: path)
    try unsafe data.withUnsafeBytes { try unsafe sink.write($0) }
    try sink.finish()
  }
}
