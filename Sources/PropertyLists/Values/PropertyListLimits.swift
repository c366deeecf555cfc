/// The limits for reading a property list. Lists may share values or lead in circles, so the size of a file bounds
/// neither.
package struct PropertyListLimits {
  /// The deepest nesting of containers.
  package var depth: Int
  /// The most values, each counted as often as it is referred to.
  package var valueCount: Int
  /// The most bytes of text and data, each counted as often as it is referred to.
  package var byteCount: Int

  /// Limits with these numbers.
  package init(depth: Int, valueCount: Int, byteCount: Int) {
    self.depth = depth
    self.valueCount = valueCount
    self.byteCount = byteCount
  }

  /// The limits for lists that become values in memory.
  package static let standard = PropertyListLimits(depth: 64, valueCount: 1_000_000, byteCount: 32 << 20)
}
