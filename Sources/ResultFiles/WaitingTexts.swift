import CoreDataLayout
import Foundation
package import Pipelines
import Platform
import SeedFormats

/// Texts that are whole and on disk beside their files, and wait to take their places together.
package final class WaitingTexts {
  private var works: [String: WorkFolder] = [:]
  private var moves: [(from: String, to: String)] = []
  /// Whether there are none.
  package var isEmpty: Bool { moves.isEmpty }

  /// Writes each text beside its file. Folders are made where there are none.
  /// - Throws: `RunError`, as `TextResults.write` does.
  package init(_ files: [(path: String, text: String)]) throws(RunError) {
    var current = ""
    do {
      for file in files {
        current = file.path
        let place = ResultPath.followed(file.path)
        try ResultPlace.createFolder(of: place)
        let folder = FileSystem.parent(place)
        let work = try works[folder] ?? WorkFolder(for: place)
        works[folder] = work
        let partial = work.path + "/" + FilePath.name(of: place)
        try Self.write(Array(file.text.utf8), to: partial)
        moves.append((from: partial, to: place))
      }
    } catch {
      remove()
      throw RunError(any: error, store: current)
    }
  }

  /// Renames all of them into place, all or none.
  /// - Parameter others: finished files that take their places with them, first.
  package func put(after others: [(from: String, to: String)] = []) throws(RunError) {
    let placement = FilePlacement()
    var current = ""
    do {
      for move in others + moves {
        current = move.to
        try placement.put(move.from, at: move.to)
      }
      try placement.synchronize()
    } catch {
      throw RunError(any: placement.undo(after: error), store: current)
    }
    placement.commit()
  }

  /// Removes what is left beside the files.
  package func remove() {
    for work in works.values { work.remove() }
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
