public import Foundation
public import ObjectModel
import Platform
public import StoreInterface

/// Folders of record files as stores; see `RecordFileStore`.
public struct RecordFolderType: PersistentStoreType {
  /// How the files are written.
  public let format: RecordFileFormat
  /// What metadata call the type.
  public var name: String { format.rawValue.uppercased() + "Folder" }

  /// Folders of files of that format.
  public init(format: RecordFileFormat) {
    self.format = format
  }

  /// Opens the store in a folder, or makes the folder.
  public func load(_ description: PersistentStoreDescription, model: ManagedObjectModel) throws -> any PersistentStore {
    let store = try RecordFileStore(description: description, model: model, format: format)
    try store.load()
    return store
  }

  /// Removes the store's files, and the folder when nothing else is in it.
  /// - Throws: `StoreError.notAStore` when the folder is not known to be such a store; it stays then.
  public func destroy(at url: URL) throws {
    guard FileSystem.exists(url.path) else { return }
    for name in try ownFiles(url) { try AtomicFile.remove(url.path + "/" + name) }
    try AtomicFile.removeFolderIfEmpty(url.path)
  }

  /// Puts the source's files in the place of the other's. While that is done there is no whole store for a moment; a
  /// folder that holds anything else is left alone.
  /// - Throws: `StoreError.missing` when there is no source, `.notAStore` when either is no such store.
  public func replace(at url: URL, with source: URL) throws {
    guard FileSystem.exists(source.path) else { throw StoreError.missing(path: source.path) }
    let names = try ownFiles(source)
    if FileSystem.exists(url.path) {
      for name in try ownFiles(url) where !names.contains(name) { try AtomicFile.remove(url.path + "/" + name) }
    }
    var files: [AtomicFile] = []
    var data: [Data?] = []
    for name in names {
      var from = AtomicFile(path: source.path + "/" + name)
      data.append(try from.read())
      var to = AtomicFile(path: url.path + "/" + name)
      _ = try to.read()
      files.append(to)
    }
    try AtomicFile.write(data, to: &files)
  }

  /// The names of the store's files that are there, `store.json` last.
  private func ownFiles(_ url: URL) throws -> [String] {
    guard let metadata = try RecordFolderMetadata.read(folder: url.path), metadata.format == format.rawValue else {
      throw StoreError.notAStore(path: url.path, message: "it is no store of type \(name) and is left alone")
    }
    let names = metadata.versionHashes.keys.sorted().map { RecordFolder.name($0, format) }
    // An entity's name is a word; a name from elsewhere must not lead out of the folder.
    let own = names.filter { !$0.contains("/") && FileSystem.exists(url.path + "/" + $0) }
    return own + [RecordFolderMetadata.fileName]
  }
}

extension PersistentStoreType where Self == RecordFolderType {
  /// Folders with one CSV file per entity.
  public static var csvFolder: Self { RecordFolderType(format: .csv) }
  /// Folders with one NDJSON file per entity.
  public static var ndjsonFolder: Self { RecordFolderType(format: .ndjson) }
  /// Folders with one JSON file per entity, an array of its objects. No entity may be called "Store".
  public static var jsonFolder: Self { RecordFolderType(format: .json) }
}
