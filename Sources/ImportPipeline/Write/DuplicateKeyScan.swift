import Foundation
import SeedFormats
import StoreInterface

/// Finds, before anything is written, the records of a step that lose against a later record with the same key
/// (`duplicates: last`).
///
/// The first reading keeps only a 64-bit hash and the place of every valid record. Only when two hashes agree is the
/// input read a second time to compare the keys themselves.
struct DuplicateKeyScan {
  let stages: StepStages

  func superseded() throws -> SupersededRecords {
    var hashes: [UInt64] = []
    try unsafe forEachKey { key, _ in unsafe hashes.append(KeyHash.hash(key)) }
    hashes.sort()
    var repeated: Set<UInt64> = []
    for (left, right) in zip(hashes, hashes.dropFirst()) where left == right { repeated.insert(left) }
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
      if let loser = unsafe latest.updateValue(place, forKey: Array(key)) { superseded.insert(loser) }
    }
    return superseded
  }

  /// Calls the body with the payload key and the place of every record that decodes.
  private func forEachKey(_ body: (UnsafeRawBufferPointer, SupersededRecords.Place) -> Void) throws {
    try stages.run(header: { _, _ in }) { decoded in
      var key: [UInt8] = []
      let node = decoded.root
      for row in 0..<node.batch.count {
        key.removeAll(keepingCapacity: true)
        guard PayloadKey.append(node, row: row, to: &key) == .key else { continue }
        let place = decoded.records.place(ofRecord: Int(node.records[row]))
        let start = SupersededRecords.Place(file: decoded.file, byteOffset: place.byteOffset)
        unsafe key.withUnsafeBytes { unsafe body($0, start) }
      }
    }
  }
}

/// The natural key of a record as the record itself states it: a relationship counts by the key it refers to.
enum PayloadKey {
  static func append(_ node: DecodedNode, row: Int, to buffer: inout [UInt8]) -> KeyEncoding.Result {
    let start = buffer.count
    var present = 0
    for part in node.plan.match {
      switch part {
      case .attribute(let column):
        let before = buffer.count
        // The trailing column keeps its length here, so that parts of any kind can follow each other.
        buffer.append(contentsOf: [0, 0, 0, 0, 0, 0, 0, 0])
        if KeyEncoding.append([column], of: node.batch, row: row, to: &buffer) == .key {
          present += 1
          setLength(buffer.count - before - 8, at: before, in: &buffer)
        }
      case .reference(let index):
        let entry = node.keys[index].entries[row]
        guard entry.state == .value else { continue }
        present += 1
        let before = buffer.count
        buffer.append(contentsOf: [0, 0, 0, 0, 0, 0, 0, 0])
        unsafe node.keys[index].withKey(entry) { unsafe buffer.append(contentsOf: $0) }
        setLength(buffer.count - before - 8, at: before, in: &buffer)
      }
    }
    if present == node.plan.match.count { return .key }
    buffer.removeSubrange(start...)
    return present == 0 ? .noKey : .incomplete
  }

  private static func setLength(_ length: Int, at offset: Int, in buffer: inout [UInt8]) {
    for byte in 0..<8 { buffer[offset + byte] = UInt8(truncatingIfNeeded: length >> (byte * 8)) }
  }
}
