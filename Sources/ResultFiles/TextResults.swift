import CoreDataLayout
import Foundation
public import Pipelines
import Platform
import SeedFormats

/// Puts texts that a command has made into files, all or none: a failure leaves the files that were there.
public enum TextResults {
  /// Writes each text beside its file and renames all of them into place. Folders are made where there are none; a file
  /// that a symbolic link leads to is replaced, and the link stays.
  /// - Throws: `RunError`: 73 where a file cannot be made, 74 when the disk is full or broken, 75 when another process
  ///   is writing the same.
  public static func write(_ files: [(path: String, text: String)]) throws(RunError) {
    var works: [String: WorkFolder] = [:]
    defer { for work in works.values { work.remove() } }
    let placement = FilePlacement()
    var current = ""
    do {
      var moves: [(from: String, to: String)] = []
      for file in files {
        current = file.path
        let place = ResultPath.followed(file.path)
        try ResultPlace.createFolder(of: place)
        let folder = FileSystem.parent(place)
        let work = try works[folder] ?? WorkFolder(for: place)
        works[folder] = work
        let partial = work.path + "/" + FilePath.name(of: place)
        try write(Array(file.text.utf8), to: partial)
        moves.append((from: partial, to: place))
      }
      for move in moves {
        current = move.to
        try placement.put(move.from, at: move.to)
      }
      try placement.synchronize()
    } catch {
      throw RunError(any: placement.undo(after: error), store: current)
    }
    placement.commit()
  }

  private static func write(_ bytes: [UInt8], to path: String) throws {
    let sink = try FileSink(path: path)
    try unsafe bytes.withUnsafeBytes { bytes throws in try unsafe sink.write(bytes) }
    try sink.finish()
    // The file's contents must reach the disk before its name.
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    defer { try? file.close() }
    try FileDescriptor.synchronize(file.fileDescriptor, of: path)
  }
}
