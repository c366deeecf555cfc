import Foundation
import ObjectModel
import Platform
import StoreInterface

extension RunError {
  private static let fullDiskTexts = ["No space left on device", "database or disk is full", "Disk quota exceeded"]

  /// Where a result does not fit on its disk, the error with the result's path in place of the temporary one, and with
  /// the free space; otherwise itself, and also where the result is in place nevertheless.
  func namingFullDisk() -> RunError {
    guard kind == .inputOutput, !message.contains(StoreError.isInPlace),
      let reason = Self.fullDiskTexts.first(where: { message.contains($0) }),
      let mark = message.firstRange(of: ".partial/")
    else { return self }
    var result = message[..<mark.lowerBound]
    // The path is the end of what is left.
    for word in [": ", "cannot write ", "cannot create "] {
      if let last = result.ranges(of: word).last { result = result[last.upperBound...] }
    }
    let path = String(result)
    let folder = FileSystem.parent(path)
    let free = Self.freeBytes(folder).map {
      "more is needed than the \($0.byteCountText) that are free in \(FilePath.shown(folder)): "
    }
    return RunError(
      .inputOutput, code: "disk.full", "\(FilePath.shown(path)) cannot be written: \(reason)",
      hint: (free ?? "") + Self.roomAdvice)
  }

  package static let roomAdvice = "make room there, or name another folder"

  /// The free bytes of the disk that a folder is on.
  package static func freeBytes(_ folder: String) -> Int? {
    try? FileManager.default.attributesOfFileSystem(forPath: folder)[.systemFreeSize] as? Int
  }
}
