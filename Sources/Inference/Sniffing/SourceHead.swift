import SeedFormats

extension BlockSource {
  /// The first bytes of the source.
  /// - Returns: the bytes, and whether they are all.
  func head(count: Int) throws(SeedFormatError) -> (bytes: [UInt8], isWhole: Bool) {
    var bytes: [UInt8] = []
    while let block = try next() {
      unsafe bytes.append(contentsOf: block.bytes)
      if bytes.count > count { return (Array(bytes.prefix(count)), false) }
    }
    return (bytes, true)
  }
}
