import Foundation
package import Pipelines
import Platform

/// Where a result goes once it is complete.
package enum ResultPlace {
  /// Creates the folder that a path lies in.
  package static func createFolder(of path: String) throws(RunError) {
    let folder = FileSystem.parent(path)
    guard !folder.isEmpty else { return }
    do throws(SystemError) {
      try FileSystem.makeFolder(folder)
    } catch {
      throw RunError(
        .cannotCreate, code: "path.cannot-create", "cannot create the folder \(folder): \(error.reason)")
    }
  }

  /// Renames, replacing what is there. A file gets the permissions of the one that it replaces.
  package static func rename(_ source: String, to target: String) throws(RunError) {
    do throws(SystemError) {
      if case .file = PathContent(at: target) { try FileSystem.copyPermissions(of: target, to: source) }
      try FileSystem.rename(source, to: target)
    } catch {
      throw RunError(
        [EIO, ENOSPC, EDQUOT, ENOMEM].contains(error.number) ? .inputOutput : .cannotCreate, code: "path.cannot-create",
        "cannot move \(source) to \(target): \(error.reason)")
    }
  }
}
