import ObjectModel
import StoreInterface

/// The match key of a record as the record itself states it: a relationship counts by the key it refers to.
enum MatchKey {
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

  /// A number for the key of a row and its hierarchy, never 0; nil where the row has no whole key.
  static func hash(_ node: DecodedNode, row: Int) -> UInt64? {
    var bytes = unsafe withUnsafeBytes(of: node.plan.entity.root.index) { unsafe Array($0) }
    guard append(node, row: row, to: &bytes) == .key else { return nil }
    return unsafe bytes.withUnsafeBytes { unsafe KeyHash.hash($0) } | 1
  }

  private static func setLength(_ length: Int, at offset: Int, in buffer: inout [UInt8]) {
    for byte in 0..<8 { buffer[offset + byte] = UInt8(truncatingIfNeeded: length >> (byte * 8)) }
  }
}
