import Foundation

/// A folder of its own among the system's temporary files. It goes, with all that is in it, when this object does.
package final class ScratchFolder: Sendable {
  /// The path of the folder.
  package let path: String

  /// Makes the folder; only the user of this process can look into it.
  /// - Throws: `SystemError` when it cannot be made.
  package init() throws(SystemError) {
    let parent = FileManager.default.temporaryDirectory
    // TMPDIR may name a folder that does not exist yet; when it cannot be made, the next call fails.
    try? FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
    var name = Array(parent.appendingPathComponent("seedbed-XXXXXX").path.utf8CString)
    // Safety: the name ends with a zero, and `mkdtemp` writes over the six letters before it only.
    guard unsafe mkdtemp(&name) != nil else { throw SystemError("make a temporary folder", parent.path) }
    path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { remove() }

  /// Removes the folder before its time.
  package func remove() { try? FileManager.default.removeItem(atPath: path) }
}
