import CoreDataLayout
import Foundation
import Pipelines
import Platform

/// Texts that are all on the disk before the first of them takes its place. Where one cannot be written, the files that
/// were there stay.
struct StagedFiles {
  private var files: [(place: String, staged: String)] = []

  /// Writes a text beside its place.
  /// - Throws: `RunError` that names the path.
  mutating func add(_ text: String, at path: String) throws(RunError) {
    do {
      let place = URL(fileURLWithPath: ResultPath.followed(path)).path
      try FileSystem.makeFolder(FileSystem.parent(place))
      let folder = ResultPath.resolved(FileSystem.parent(place))
      let name = ".seedbed-" + UUID().uuidString
      guard let handle = try FolderHandle.open(folder) else {
        throw Self.failure(path, "its folder is gone", number: nil)
      }
      files.append((folder + "/" + FilePath.name(of: place), folder + "/" + name))
      try handle.write(Array(text.utf8), to: name)
    } catch let error as RunError {
      throw error
    } catch let error as SystemError {
      throw Self.failure(path, error.reason, number: error.number)
    } catch FolderError.system(let error) {
      throw Self.failure(path, error.reason, number: error.number)
    } catch FolderError.unsuitable(_, let reason) {
      throw Self.failure(path, reason, number: nil)
    } catch {
      throw Self.failure(path, "\(error)", number: nil)
    }
  }

  private static func failure(_ path: String, _ reason: String, number: Int32?) -> RunError {
    let isFull = number.map { [EFBIG, ENOSPC, EDQUOT, EIO].contains($0) } ?? false
    return RunError(
      isFull ? .inputOutput : .cannotCreate, code: isFull ? "path.cannot-write" : "path.cannot-create",
      "cannot write \(path): \(reason)")
  }

  /// Puts all texts in their places, or none.
  func commit() throws {
    let placement = FilePlacement()
    do {
      for (place, staged) in files { try placement.put(staged, at: place) }
    } catch {
      throw placement.undo(after: error)
    }
    placement.commit()
  }

  /// Removes the files that have not taken their places.
  func discard() {
    for (_, staged) in files { try? FileSystem.remove(staged) }
  }
}
