import Platform
public import StoreInterface

/// Puts finished files in the place of others, all or none: until `commit` every step can be undone.
///
/// The file that was there keeps a second name, beside the new one's temporary name, until all are in place. Every step
/// leaves each target whole, and so does undoing it, so that a process may be killed at any time.
public final class FilePlacement {
  private enum Step {
    /// A new file stands at `target`, which came from `source`.
    case put(source: String, target: String, before: Before)
    /// The file at `path` was renamed to `name`.
    case aside(path: String, name: String)
  }

  /// What stood at a target before.
  private enum Before {
    case nothing
    /// A file that has a second name.
    case kept(String)
    /// A file that is gone: the file system has no second names.
    case lost
  }

  private var steps: [Step] = []
  /// What is tidied after everything is undone, and what after everything is in place.
  private var afterUndo: [() -> Void] = []
  private var afterCommit: [() -> Void] = []

  /// A placement that has not changed any file yet.
  public init() {}

  /// The second name of a file that one made at `source` replaces, until all are in place.
  static func keptName(beside source: String) -> String { source + ".previous" }

  /// Renames a finished file to `target`, on the same file system. It gets the permissions of the file that it
  /// replaces.
  /// - Throws: `StoreError.cannotCreate` or `.inputOutput`; the target is as it was then.
  public func put(_ source: String, at target: String) throws(StoreError) {
    let name = FilePlacement.keptName(beside: source)
    try StoreFiles.remove(name)
    let before: Before
    if unsafe linkat(AT_FDCWD, target, AT_FDCWD, name, 0) == 0 {
      before = .kept(name)
    } else {
      switch errno {
      case ENOENT: before = .nothing
      // A file system without second names, or a file of another owner that may have none.
      case EPERM, EACCES, EOPNOTSUPP, ENOTSUP, ENOSYS, EMLINK, EXDEV: before = .lost
      default: throw StoreFiles.failure(target, "keep the file until the new one is in place")
      }
    }
    do {
      if case .file = PathContent(at: target) { try StoreFiles.copyPermissions(of: target, to: source) }
      try StoreFiles.rename(source, to: target)
    } catch {
      try? StoreFiles.remove(name)
      throw error
    }
    steps.append(.put(source: source, target: target, before: before))
  }

  /// Renames a file out of the way, if there is one.
  /// - Parameter name: where it is until `commit`.
  func setAside(_ path: String, as name: String) throws(StoreError) {
    guard FileSystem.exists(path) else { return }
    try StoreFiles.rename(path, to: name)
    steps.append(.aside(path: path, name: name))
  }

  func onUndo(_ body: @escaping () -> Void) { afterUndo.append(body) }
  func onCommit(_ body: @escaping () -> Void) { afterCommit.append(body) }

  /// Forces the names to the disk.
  public func synchronize() throws(StoreError) {
    for folder in folders { try StoreFiles.synchronize(folder) }
  }

  /// Keeps what is in place, and removes what was there before. What cannot be removed stays where the next run removes
  /// it.
  public func commit() {
    for step in steps {
      switch step {
      case .put(_, _, .kept(let name)), .aside(_, let name): try? StoreFiles.remove(name)
      case .put: break
      }
    }
    for body in afterCommit { body() }
    forget()
  }

  /// Undoes all steps, the last one first.
  /// - Returns: the error to report: the one that was the reason, or, where undoing failed too, one that also says
  ///   which new files are in place.
  public func undo(after reason: any Error) -> any Error {
    let folders = folders
    defer { forget() }
    while let step = steps.last {
      do {
        try undo(step)
        steps.removeLast()
      } catch {
        // Earlier steps are not undone then: an old log must never lie beside a new store.
        return FilePlacement.unfinished(reason, error, targets)
      }
    }
    for body in afterUndo { body() }
    for folder in folders { try? StoreFiles.synchronize(folder) }
    return reason
  }

  private func undo(_ step: Step) throws(StoreError) {
    switch step {
    case .put(_, let target, .kept(let name)): try StoreFiles.rename(name, to: target)
    case .put(let source, let target, .nothing): try StoreFiles.rename(target, to: source)
    case .put(_, let target, .lost):
      throw StoreError.inputOutput(path: target, message: "its file system keeps no second name of a file")
    case .aside(let path, let name): try StoreFiles.rename(name, to: path)
    }
  }

  /// The error of a placement that failed and could not be undone.
  private static func unfinished(_ reason: any Error, _ obstacle: StoreError, _ targets: [String]) -> any Error {
    let what = targets.count == 1 ? "the new file is" : "the new files are"
    return StoreError.inputOutput(
      path: targets.last ?? "",
      message:
        "\(text(reason)); \(what) \(StoreError.isInPlace) (\(targets.joined(separator: ", "))), as it could not be "
        + "undone: \(text(obstacle))")
  }

  private static func text(_ error: any Error) -> String {
    switch error {
    case StoreError.inputOutput(let path, let message, _), StoreError.cannotCreate(let path, let message):
      "\(path): \(message)"
    default: "\(error)"
    }
  }

  private var targets: [String] {
    var seen: Set<String> = []
    return steps.compactMap { step in
      guard case .put(_, let target, _) = step, seen.insert(target).inserted else { return nil }
      return target
    }
  }

  private var folders: [String] {
    var seen: Set<String> = []
    return targets.map { FileSystem.parent($0) }.filter { seen.insert($0).inserted }
  }

  private func forget() {
    steps = []
    afterUndo = []
    afterCommit = []
  }
}
