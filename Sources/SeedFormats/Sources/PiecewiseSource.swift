/// A source that makes its bytes piece by piece of those of another, and gives what it made before an error first.
protocol PiecewiseSource: BlockSource {
  /// Whether nothing more comes.
  var isDone: Bool { get set }
  /// The error that the next call throws.
  var pendingError: SeedFormatError? { get set }
  /// Makes some bytes, none perhaps.
  func some(into target: UnsafeMutableRawBufferPointer) throws(SeedFormatError) -> Int
}

extension PiecewiseSource {
  /// Fills the target as far as bytes come.
  func fill(_ target: UnsafeMutableRawBufferPointer) throws(SeedFormatError) -> Int {
    if let error = pendingError {
      pendingError = nil
      throw error
    }
    var written = 0
    do {
      while written < target.count, !isDone {
        written += try unsafe some(into: UnsafeMutableRawBufferPointer(rebasing: target[written...]))
      }
    } catch {
      isDone = true
      if written == 0 { throw error }
      pendingError = error
    }
    return written
  }
}
