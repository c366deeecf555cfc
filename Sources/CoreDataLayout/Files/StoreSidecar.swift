import Foundation
import Platform
import StoreInterface

/// A name that SQLite gives a log beside a store, and what is there. Replacing a store removes its logs, so anything
/// else with such a name must be found first.
public struct StoreSidecar: Sendable, Hashable {
  /// What is in the way of a store there.
  public enum Obstacle: Sendable, Hashable {
    /// A folder, a FIFO, a symbolic link, never a log; or a file that may not be read.
    case notAFile(String)
    /// A file that does not begin as a log does.
    case foreignFile

    /// A description for messages.
    public var text: String {
      switch self {
      case .notAFile(let text): text
      case .foreignFile: "a file that is no log of SQLite"
      }
    }
  }

  /// Where it is, or would be.
  public let path: String
  /// Nil where there is nothing, or a log: a log that a removed store left behind may be removed.
  public let obstacle: Obstacle?

  /// All names of logs beside a store, symbolic links to the store followed.
  public static func all(of store: String) -> [StoreSidecar] {
    let place = ResultPath.followed(store)
    return Sidecar.allCases.map { sidecar in
      let path = sidecar.path(of: place)
      return StoreSidecar(path: path, obstacle: obstacle(at: path, sidecar))
    }
  }

  /// Refuses files that SQLite could not open, or only by waiting. Nothing is opened.
  /// - Throws: `StoreError.inputOutput` where something that is no file has the name of a log.
  static func requireFiles(beside store: String) throws(StoreError) {
    for sidecar in Sidecar.allCases {
      let path = StoreFiles.sidecar(sidecar, of: store)
      guard let text = nonFile(at: path) else { continue }
      throw StoreError.inputOutput(
        path: path, message: "is \(text), and SQLite keeps a log of the store under that name; move it away")
    }
  }

  private static func obstacle(at path: String, _ sidecar: Sidecar) -> Obstacle? {
    if let text = nonFile(at: path) { return .notAFile(text) }
    guard case .file(let count) = PathContent(at: path), count > 0 else { return nil }
    guard let file = FileHandle(forReadingAtPath: path) else { return .notAFile("a file that may not be read") }
    defer { try? file.close() }
    return isLog(file, sidecar) ? nil : .foreignFile
  }

  /// What is at a path and is no file; nil for a file, and where nothing is.
  private static func nonFile(at path: String) -> String? {
    // SQLite never opens a log through a link, and removing the link would lose it.
    if PathContent.isLink(path) { return "a symbolic link" }
    switch PathContent(at: path) {
    case .nothing, .file: return nil
    case let other: return other.text
    }
  }

  /// Whether a file begins as SQLite's logs of that name do.
  private static func isLog(_ file: FileHandle, _ sidecar: Sidecar) -> Bool {
    guard let data = try? file.read(upToCount: 48) else { return false }
    let start = Array(data)
    switch sidecar {
    case .log: return [[0x37, 0x7f, 0x06, 0x82], [0x37, 0x7f, 0x06, 0x83]].contains(Array(start.prefix(4)))
    case .index:
      // The version of the index, in the byte order of the machine; zeros before it is first written.
      let version = unsafe withUnsafeBytes(of: UInt32(3_007_000)) { unsafe Array($0) }
      return start.starts(with: version) || start.allSatisfy { $0 == 0 }
    case .journal:
      // A journal that is kept for the next transaction, or not forced to disk yet, begins with zeros.
      let mark: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
      return start.starts(with: mark) || (start.count >= 8 && start.prefix(8).allSatisfy { $0 == 0 })
    }
  }
}
