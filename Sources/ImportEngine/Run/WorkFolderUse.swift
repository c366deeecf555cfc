import Foundation
import ObjectModel
import Pipelines
import Platform

/// The bytes that a run had written into its work folder when it ended, for the message of a full disk.
final class WorkFolderUse {
  private(set) var bytes = 0

  /// Adds up the files of a folder, without its subfolders.
  func measure(_ folder: String) {
    let names = FileSystem.names(in: folder)
    bytes = names.reduce(0) { sum, name in
      sum + Int(clamping: (try? FileSystem.stamp(folder + "/" + name))?.size ?? 0)
    }
  }
}

extension RunError {
  /// The error with the space that the store of a run needs, as far as it can be told from what the run had written and
  /// read.
  func addingNeed(store path: String, _ use: WorkFolderUse, _ progress: RunProgress) -> RunError {
    guard code == "disk.full", message.hasPrefix(FilePath.shown(path) + " cannot be written") else { return self }
    let folder = FileSystem.parent(path)
    let (read, total) = progress.bytes
    guard read > 0, read < total, let free = Self.freeBytes(folder) else { return self }
    let whole = Int(Double(use.bytes) * Double(total) / Double(read))
    guard whole > free else { return self }
    var error = self
    error.hint =
      "about \(whole.byteCountText) are needed and \(free.byteCountText) are free in \(FilePath.shown(folder)): "
      + Self.roomAdvice
    return error
  }
}
