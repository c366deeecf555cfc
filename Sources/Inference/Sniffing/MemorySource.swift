import SeedFormats

/// Bytes in memory as a source.
final class MemorySource: BlockSource {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  func read(into target: UnsafeMutableRawBufferPointer) throws(SeedFormatError) -> Int {
    let count = min(target.count, bytes.count - position)
    guard count > 0 else { return 0 }
    unsafe bytes.withUnsafeBytes { all in
      unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: all[position..<position + count]))
    }
    position += count
    return count
  }

  /// The first bytes of a source.
  /// - Returns: the bytes, and whether they are all.
  static func head(
    of source: any BlockSource, count: Int
  ) throws(SeedFormatError) -> (bytes: [UInt8], isWhole: Bool) {
    var bytes: [UInt8] = []
    while let block = try source.next() {
      unsafe bytes.append(contentsOf: block.bytes)
      if bytes.count > count { return (Array(bytes.prefix(count)), false) }
    }
    return (bytes, true)
  }
}
