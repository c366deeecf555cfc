/// Passes bytes on, unless the first ones are of something that is no text.
final class KindCheckingBlockSource: BlockSource {
  private let upstream: any BlockSource
  private let file: String?
  /// Whether UTF-16 is recognised by its bytes; false where the encoding is stated.
  private let refusesWideText: Bool
  /// The bytes that were read for the check; nil before and after it.
  private var held: ByteBuffer?
  private var given = 0
  private var isPassing = false

  init(upstream: any BlockSource, refusesWideText: Bool, file: String?) {
    self.upstream = upstream
    self.refusesWideText = refusesWideText
    self.file = file
  }

  /// - Throws: `source.kind`, and the upstream's errors.
  func read(into target: UnsafeMutableRawBufferPointer) throws(SeedFormatError) -> Int {
    if isPassing { return try unsafe upstream.read(into: target) }
    let held = try checkedPrefix()
    let count = min(target.count, held.count - given)
    guard count > 0 else {
      self.held = nil
      isPassing = true
      return try unsafe upstream.read(into: target)
    }
    // Safety: `held` has `given + count` bytes at least, and is added to no more.
    unsafe target.copyMemory(from: UnsafeRawBufferPointer(start: held.base + given, count: count))
    given += count
    return count
  }

  /// The first bytes, once they were found to be of a text.
  private func checkedPrefix() throws(SeedFormatError) -> ByteBuffer {
    if let held { return held }
    let held = ByteBuffer()
    while held.count < FileKind.prefixLength,
      try held.append(from: upstream, maximum: ByteBlock.defaultCapacity)
    {}
    self.held = held
    let prefix = unsafe Array(UnsafeRawBufferPointer(start: held.base, count: min(held.count, FileKind.prefixLength)))
    if let kind = FileKind(prefix, allowsWideText: !refusesWideText) { throw kind.error(file: file) }
    return held
  }
}
