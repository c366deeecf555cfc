import Foundation
import Seedbed

/// Measures images, and writes captions from what the note says.
final class ImageAttachmentPolicy: EntityMigrationPolicy {
  override var functions: [String: Function] {
    [
      "widthOf:": { operands in (operands[0] as? Data).flatMap(Self.size)?.width },
      "heightOf:": { operands in (operands[0] as? Data).flatMap(Self.size)?.height },
      "captionFor:": { operands in (operands[0] as? String).map { String($0.prefix(80)) } },
    ]
  }

  /// The size of a PNG image, from the chunk that it begins with; nil for other data.
  static func size(_ image: Data) -> (width: Int, height: Int)? {
    let bytes = [UInt8](image.prefix(24))
    guard bytes.count == 24, bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) else { return nil }
    func number(_ start: Int) -> Int { bytes[start..<(start + 4)].reduce(0) { $0 << 8 | Int($1) } }
    return (number(16), number(20))
  }
}
