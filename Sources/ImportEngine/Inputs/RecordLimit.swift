import Foundation
import Pipelines

/// Finds a record that is too long in text that is not parsed.
struct RecordLimit: Sendable {
  /// The length of the longest record that is accepted, in bytes.
  let bytes: Int
  /// Bytes without which a text of the format has no more than one record.
  private let separators: [UInt8]
  private var position = 0
  /// Where the text without any of them starts.
  private var start = 0
  /// Whether record lengths are unknown: the text is compressed, or a property list, which is limited as a whole.
  private var isCompressed = false

  init(format: SourceSettings.Format, bytes: Int) {
    self.bytes = bytes
    // An array of records may stand on one line; its elements are separated by commas.
    separators = format == .json ? [0x0A, 0x0D, 0x2C] : [0x0A, 0x0D]
    isCompressed = format == .plist
  }

  /// - Returns: where a record starts that is longer than any may be; nil while there is none.
  mutating func overrun(_ block: UnsafeRawBufferPointer) -> Int? {
    if position == 0, !isCompressed {
      // gzip, zip, zstd.
      let marks: [[UInt8]] = [[0x1F, 0x8B], [0x50, 0x4B, 3, 4], [0x28, 0xB5, 0x2F, 0xFD]]
      isCompressed = marks.contains { unsafe block.starts(with: $0) }
    }
    position += block.count
    guard !isCompressed, let base = block.baseAddress else { return nil }
    if separators.contains(where: { unsafe memchr(base, Int32($0), block.count) != nil }) { start = position }
    return position - start > bytes ? start : nil
  }
}
