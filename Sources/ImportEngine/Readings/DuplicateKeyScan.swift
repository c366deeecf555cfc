import Foundation
import SeedFormats
import StoreInterface

/// Finds, before anything is written, the records of a step that a later record with the same key supersedes
/// (`duplicates: last`).
///
/// The first reading keeps only a 64-bit hash and the place of every valid record. Only when two hashes agree is the
/// input read a second time to compare the keys themselves.
struct DuplicateKeyScan {
  private let source: SourceReader

  init(_ source: SourceReader) { self.source = source }

  /// All superseded records of the source.
  func superseded() throws -> SupersededRecords {
    var hashes: [UInt64] = []
    try unsafe forEachKey { key, _ in unsafe hashes.append(KeyHash.hash(key)) }
    let repeated = KeyHash.repeated(in: &hashes)
    hashes = []
    return try superseded(among: repeated)
  }

  /// The superseded among the records whose keys have one of these hashes.
  func superseded(among repeated: Set<UInt64>) throws -> SupersededRecords {
    var superseded = SupersededRecords()
    guard !repeated.isEmpty else { return superseded }
    var latest: [[UInt8]: SupersededRecords.Place] = [:]
    try unsafe forEachKey { key, place in
      guard unsafe repeated.contains(KeyHash.hash(key)) else { return }
      if let earlier = unsafe latest.updateValue(place, forKey: Array(key)) { superseded.insert(earlier) }
    }
    return superseded
  }

  /// Calls the body with the match key and the place of every record that decodes.
  private func forEachKey(_ body: (UnsafeRawBufferPointer, SupersededRecords.Place) -> Void) throws {
    try source.read { decoded in
      var key: [UInt8] = []
      let node = decoded.root
      for row in 0..<node.batch.count {
        key.removeAll(keepingCapacity: true)
        guard MatchKey.append(node, row: row, to: &key) == .key else { continue }
        let place = decoded.records.place(ofRecord: Int(node.records[row]))
        let start = SupersededRecords.Place(file: decoded.file, byteOffset: place.byteOffset)
        unsafe key.withUnsafeBytes { unsafe body($0, start) }
      }
    }
  }
}
