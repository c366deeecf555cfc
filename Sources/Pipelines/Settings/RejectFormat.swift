import Foundation
import Platform

/// How files of rejects begin, by which they are known as sources again.
package enum RejectFormat {
  /// The columns before those of a source (CSV).
  package static let columns = [
    "file", "line", "column", "byteOffset", "entity", "property", "code", "value", "message", "hint",
  ]

  /// The member before those of a record (JSON).
  package static let jsonStart = Array("{\"$reject\":{".utf8)

  /// Whether paths name files of rejects of JSON sources, which are lines of JSON.
  package static func areJSONRejects(_ paths: [String]) -> Bool {
    let start = Data(jsonStart)
    return !paths.isEmpty
      && paths.allSatisfy { path in
        guard case .file = PathContent(at: path), let file = FileHandle(forReadingAtPath: path) else { return false }
        defer { try? file.close() }
        return (try? file.read(upToCount: start.count)) == start
      }
  }
}
