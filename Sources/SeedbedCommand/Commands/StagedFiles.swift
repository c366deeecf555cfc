import Foundation
import Pipelines
import Platform
import ResultFiles

/// Texts that all are on the disk before the first of them takes its place, so that where one cannot be written, what
/// was there stays.
struct StagedFiles {
  private var files: [(place: String, staged: String)] = []

  /// Writes a text beside its place.
  /// - Throws: `RunError` that names the path.
  mutating func add(_ text: String, at path: String) throws {
    do {
      let place = URL(fileURLWithPath: ResultPath.followed(path)).path
      let folder = FileSystem.parent(place)
      try FileSystem.makeFolder(folder)
      let staged = folder + "/.seedbed-" + UUID().uuidString
      files.append((place, staged))
      try Data(text.utf8).write(to: URL(fileURLWithPath: staged))
    } catch let error as SystemError {
      throw RunError(.cannotCreate, code: "path.cannot-create", "cannot write \(path): \(error.reason)")
    } catch let error as CocoaError where error.code == .fileWriteUnknown || error.code == .fileWriteOutOfSpace {
      let reason = RunError(any: error, store: path).message
      throw RunError(.inputOutput, code: "path.cannot-write", "cannot write \(path): \(reason)")
    } catch {
      throw RunError(
        .cannotCreate, code: "path.cannot-create", "cannot write \(path): \(error.localizedDescription)")
    }
  }

  /// Puts all texts in their places.
  func commit() throws(RunError) {
    for (place, staged) in files { try ResultPlace.rename(staged, to: place) }
  }

  /// Forgets what has not taken its place.
  func discard() {
    for (_, staged) in files { try? FileSystem.remove(staged) }
  }
}
