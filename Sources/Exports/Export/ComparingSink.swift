import Foundation
import SeedFormats

/// Compares written bytes with the bytes of a file. Nothing is written anywhere.
package final class ComparingSink: ByteSink {
  private let file: FileHandle?
  /// Whether the file has the same bytes so far; after `finish`, whether it is equal.
  package private(set) var isSame: Bool

  /// - Parameter path: a regular file, or nothing, which equals nothing.
  package init(path: String) {
    file = FileHandle(forReadingAtPath: path)
    isSame = file != nil
  }

  deinit { try? file?.close() }

  func write(_ bytes: UnsafeRawBufferPointer) throws(SeedFormatError) {
    var offset = 0
    while isSame, offset < bytes.count {
      // A file that cannot be read counts as different.
      guard let part = try? file?.read(upToCount: min(bytes.count - offset, 256 << 10)), !part.isEmpty,
        unsafe Self.isEqual(part, UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + part.count)]))
      else {
        isSame = false
        return
      }
      offset += part.count
    }
  }

  /// - Parameter other: of the same length.
  private static func isEqual(_ part: Data, _ other: UnsafeRawBufferPointer) -> Bool {
    unsafe part.withUnsafeBytes { part in
      guard let left = part.baseAddress, let right = other.baseAddress else { return true }
      return unsafe memcmp(left, right, part.count) == 0
    }
  }

  func finish() throws(SeedFormatError) {
    guard isSame, let rest = try? file?.read(upToCount: 1) else { return }
    isSame = rest.isEmpty
  }
}
