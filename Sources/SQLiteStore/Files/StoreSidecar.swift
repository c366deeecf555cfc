import Foundation
import StoreInterface

/// A name that SQLite gives a log beside a store, and what has it. To replace a store takes its logs away, so whatever
/// else has such a name must be seen before.
public struct StoreSidecar: Sendable, Hashable {
  /// What is in the way of a store there.
  public enum Obstacle: Sendable, Hashable {
    /// A folder, a FIFO, a symbolic link: never a log.
    case notAFile(String)
    /// A file that is no log of the store.
    case foreignFile(String)

    /// What it is, for a message.
    public var text: String {
      switch self {
      case .notAFile(let text), .foreignFile(let text): text
      }
    }
  }

  /// Where it is, or would be.
  public let path: String
  /// Nil where nothing is, or a log that goes with its store.
  public let obstacle: Obstacle?

  /// All names of logs beside a store, symbolic links to the store followed.
  public static func all(of store: String) -> [StoreSidecar] {
    let place = ResultPath.followed(store)
    var hasStore = false
    if case .file(byteCount: 1...) = PathContent(at: place) { hasStore = StoreFile.isDatabase(path: place) }
    return PrivateView.sidecarSuffixes.map { suffix in
      StoreSidecar(path: place + suffix, obstacle: obstacle(at: place + suffix, suffix, hasStore: hasStore))
    }
  }

  private static func obstacle(at path: String, _ suffix: String, hasStore: Bool) -> Obstacle? {
    // A log is never opened through a link; to take the link away would lose it.
    if PathContent.isLink(path) { return .notAFile("a symbolic link") }
    switch PathContent(at: path) {
    case .nothing, .file(byteCount: 0): return nil
    case .file: break
    case let other: return .notAFile(other.text)
    }
    guard hasStore else { return .foreignFile("a file beside no store") }
    return isLog(path, suffix) ? nil : .foreignFile("a file that is no log of SQLite")
  }

  /// Whether a file begins as SQLite's logs of that name do. Shared memory has no mark.
  private static func isLog(_ path: String, _ suffix: String) -> Bool {
    if suffix == "-shm" { return true }
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    guard let start = try? file.read(upToCount: 8) else { return false }
    if suffix == "-wal" {
      return [[0x37, 0x7f, 0x06, 0x82], [0x37, 0x7f, 0x06, 0x83]].contains(Array(start.prefix(4)))
    }
    // A journal that is kept for the next transaction, or not forced to disk yet, begins with zeros.
    return [[0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7], Array(repeating: 0, count: 8)].contains(Array(start))
  }
}
