import Foundation
import Platform

/// The files of external data that lie beside a store and belong to it.
public struct ExternalFiles: Sendable, Hashable {
  /// The hidden folder that they lie in, beside the store.
  public var folder: String
  /// How many regular files.
  public var count: Int
  /// The size of all these files together, in bytes.
  public var bytes: Int

  /// Counts the files beside a store; none where there is no such folder.
  public init(ofStoreAt path: String) {
    let external = ExternalDataFolder(storePath: path)
    folder = (external.supportPath as NSString).lastPathComponent
    count = 0
    bytes = 0
    guard FileSystem.exists(external.dataPath) else { return }
    let keys: Set<URLResourceKey> = [.isRegularFileKey, .fileSizeKey]
    let files = try? FileManager.default.contentsOfDirectory(
      at: URL(fileURLWithPath: external.dataPath), includingPropertiesForKeys: Array(keys))
    for file in files ?? [] {
      guard let values = try? file.resourceValues(forKeys: keys), values.isRegularFile == true else { continue }
      count += 1
      bytes += values.fileSize ?? 0
    }
  }
}
