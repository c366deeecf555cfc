import Platform
import StoreInterface

/// The open folder of a store's external data, with the errors of stores.
package struct ExternalDataFolderHandle {
  private let folder: FolderHandle
  /// The folder's path, for messages.
  var path: String { folder.path }

  /// Opens a folder inside another; nil when there is none.
  init?(_ name: String, in parent: String) throws(StoreError) {
    let opened = try Self.converting { () throws(FolderError) in try FolderHandle.open(parent)?.folder(name) }
    guard let opened else { return nil }
    folder = opened
  }

  /// Names in the folder, sorted.
  func names() throws(StoreError) -> [String] {
    try Self.converting { () throws(FolderError) in try folder.names() }
  }

  /// The bytes of a regular file; nil when there is none.
  func read(_ name: String) throws(StoreError) -> [UInt8]? {
    try Self.converting { () throws(FolderError) in try folder.read(name) }
  }

  /// The size of a regular file in bytes; nil when there is none.
  func size(_ name: String) throws(StoreError) -> Int? {
    try Self.converting { () throws(FolderError) in try folder.size(name) }
  }

  /// Copies a regular file's bytes to a path, and forces them to the disk.
  func copy(_ name: String, to target: String) throws(StoreError) {
    try Self.converting { () throws(FolderError) in try folder.copy(name, to: target) }
  }

  /// Writes a new file and forces it to the disk.
  func write(_ bytes: [UInt8], to name: String) throws(StoreError) {
    try Self.converting { () throws(FolderError) in try folder.write(bytes, to: name) }
  }

  /// Removes a file, if it is there.
  func remove(_ name: String) throws(StoreError) {
    try Self.converting { () throws(FolderError) in try folder.remove(name) }
  }

  /// Forces the folder's entries to the disk.
  func synchronize() throws(StoreError) {
    try Self.converting { () throws(FolderError) in try folder.synchronize() }
  }

  private static func converting<Result>(_ body: () throws(FolderError) -> Result) throws(StoreError) -> Result {
    do throws(FolderError) {
      return try body()
    } catch {
      switch error {
      case .system(let error): throw StoreError(error)
      case .unsuitable(let path, let reason): throw .inputOutput(path: path, message: reason)
      }
    }
  }
}
