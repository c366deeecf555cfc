public import Foundation
import MemoryStore
public import ObjectModel
import PropertyLists
public import StoreInterface

/// Stores in one file that is read and written whole.
public struct AtomicStoreType<Format: AtomicStoreFormat>: PersistentStoreType {
  /// How the file is written.
  public let format: Format
  /// The name of the type in Core Data's metadata.
  public var name: String { format.storeType }

  /// Stores of that format.
  public init(_ format: Format) {
    self.format = format
  }

  /// Opens the store, or makes it when there is none. At `/dev/null` it is kept in memory.
  /// - Throws: `StoreError.unsupported` without a URL, and what `AtomicStore` throws.
  public func load(_ description: PersistentStoreDescription, model: ManagedObjectModel) throws -> any PersistentStore {
    guard let url = description.url else {
      throw StoreError.unsupported("a store of type \(name) needs the URL of its file")
    }
    if url.path == "/dev/null" { return InMemoryStore(model: model) }
    return try AtomicStore(url: url, model: model, format: format, isReadOnly: description.isReadOnly)
  }

  /// What the file says of the store, with the UUID.
  /// - Throws: `StoreError.missing` when there is no file, `.notAStore` when it is damaged or of another kind,
  ///   `.unsupported` for a format that keeps no metadata.
  public func metadata(at url: URL) throws -> [String: any Sendable] {
    try format.metadata(at: url).mapValues(\.plainValue)
  }

  /// Removes the store's file. It may be in use: a store that has it open finds at its next save that its file is gone,
  /// and refuses.
  /// - Throws: `StoreError.notAStore` when the file is of another kind; it stays then.
  public func destroy(at url: URL) throws {
    if url.path == "/dev/null" { return }
    guard let start = try AtomicFile.start(of: url.path) else { return }
    try requireOwn(start, url)
    try AtomicFile.remove(url.path)
  }

  /// Copies the source's file, which takes the place of the other in one step.
  /// - Throws: `StoreError.missing` when there is no source, `.notAStore` when either is of another kind.
  public func replace(at url: URL, with source: URL) throws {
    var from = AtomicFile(path: source.path)
    guard let data = try from.read() else { throw StoreError.missing(path: source.path) }
    try requireOwn(data.prefix(AtomicFile.startByteCount), source)
    if let start = try AtomicFile.start(of: url.path) { try requireOwn(start, url) }
    var to = AtomicFile(path: url.path)
    _ = try to.read()
    try to.write(data)
  }

  private func requireOwn(_ start: Data, _ url: URL) throws {
    if !start.isEmpty && !format.recognizes(start) {
      throw StoreError.notAStore(path: url.path, message: "it is no store of type \(name) and is left alone")
    }
  }
}

extension AtomicStoreFormat {
  /// What a file says of the store.
  func metadata(at url: URL) throws -> [String: PropertyListValue] {
    var file = AtomicFile(path: url.path)
    guard let data = try file.read() else { throw StoreError.missing(path: url.path) }
    return try StoreError.naming(url.path) { try metadata(of: data) }
  }
}
