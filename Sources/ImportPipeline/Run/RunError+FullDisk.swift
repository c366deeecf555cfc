import Foundation

/// What a run had written into its work folder when it ended, for the message of a full disk.
final class WorkUse {
  private(set) var bytes = 0

  /// Adds up the files of a folder, without its subfolders.
  func measure(_ folder: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    bytes = names.reduce(0) { sum, name in
      let size = try? FileManager.default.attributesOfItem(atPath: folder + "/" + name)[.size] as? Int
      return sum + (size ?? 0)
    }
  }
}

extension RunError {
  private static let fullDiskTexts = ["No space left on device", "database or disk is full", "Disk quota exceeded"]

  /// The error with the result's path in place of the temporary one, and with the space that is there, where a result
  /// does not fit on its disk; else itself.
  func namingFullDisk() -> RunError {
    guard kind == .inputOutput, let reason = Self.fullDiskTexts.first(where: { message.contains($0) }),
      let mark = message.firstRange(of: ".partial/")
    else { return self }
    var result = message[..<mark.lowerBound]
    // The path stands at the message's end so far.
    for word in [": ", "cannot write ", "cannot create "] {
      if let last = result.ranges(of: word).last { result = result[last.upperBound...] }
    }
    let path = String(result)
    let folder = FilePath.folder(of: path)
    let free = Self.freeBytes(folder).map {
      "more is needed than the \(Self.size($0)) that are free in \(FilePath.shown(folder)): "
    }
    return RunError(
      .inputOutput, code: "disk.full", "\(FilePath.shown(path)) cannot be written: \(reason)",
      hint: (free ?? "") + Self.advice)
  }

  private static let advice = "make room there, or name another folder"

  private static func freeBytes(_ folder: String) -> Int? {
    try? FileManager.default.attributesOfFileSystem(forPath: folder)[.systemFreeSize] as? Int
  }

  /// The error with the space that the store of a run needs, as far as it can be told from what the run had written and
  /// read.
  func addingNeed(store path: String, _ use: WorkUse, _ progress: RunProgress) -> RunError {
    guard code == "disk.full", message.hasPrefix(FilePath.shown(path) + " cannot be written") else { return self }
    let folder = FilePath.folder(of: path)
    let (read, total) = progress.bytes
    guard read > 0, read < total, let free = Self.freeBytes(folder) else { return self }
    let whole = Int(Double(use.bytes) * Double(total) / Double(read))
    guard whole > free else { return self }
    var error = self
    error.hint =
      "about \(Self.size(whole)) are needed and \(Self.size(free)) are free in \(FilePath.shown(folder)): "
      + Self.advice
    return error
  }

  /// A number of bytes for people: `61.4 KB`.
  private static func size(_ bytes: Int) -> String {
    let units = ["bytes", "KB", "MB", "GB", "TB"]
    var value = Double(bytes)
    var unit = 0
    while value >= 1000, unit + 1 < units.count {
      value /= 1000
      unit += 1
    }
    return unit == 0 ? "\(bytes) bytes" : "\((value * 10).rounded() / 10) \(units[unit])"
  }
}
