import Foundation
import Platform
import SQLite
import StoreInterface

/// Watches a store's file and its log, and tells of what anything commits there.
///
/// The system tells that the files were written, and a connection of its own whether something was committed. Nothing
/// is asked at intervals, but while a transaction is under way.
final class StoreChangeWatch: RemoteChangeObservation, @unchecked Sendable {
  private let url: URL
  /// Without symbolic links: SQLite, too, has its log beside the file that they lead to.
  private let path: String
  private let changed: @Sendable (RemoteStoreChange) -> Void
  private let queue = DispatchQueue(label: "seedbed.store.changes")
  /// Guards what follows.
  private let lock = NSLock()
  /// Nil when it was cancelled.
  private var state: CommittedState?
  /// The other file at the path that was told last.
  private var replacement: OpenFiles.Identity?
  private var files: FileWatch?
  private var isCheckingLater = false
  private var delayMilliseconds = firstDelayMilliseconds

  private static let firstDelayMilliseconds = 1
  private static let longestDelayMilliseconds = 100

  /// Watches from now on.
  /// - Throws: `StoreError` when the file or its folder cannot be watched.
  init(path: String, changed: @escaping @Sendable (RemoteStoreChange) -> Void) throws {
    url = URL(filePath: path)
    self.path = ResultPath.resolved(path)
    self.changed = changed
    try lock.withLock {
      do {
        let name = URL(filePath: self.path).lastPathComponent
        // First: what is written from here on is noticed.
        files = try FileWatch(
          folder: FileSystem.parent(self.path), names: Set(Sidecar.files(of: name, Sidecar.withRows)), queue: queue
        ) { [weak self] in self?.checkForCommit() }
        state = try CommittedState(path: self.path)
      } catch let error as SystemError {
        throw StoreError(error)
      } catch let error as SQLiteError {
        throw StoreError(error, path: path)
      }
    }
  }

  deinit { cancel() }

  /// Ends it and closes its connection.
  func cancel() {
    lock.withLock {
      files?.cancel()
      files = nil
      state = nil
    }
  }

  /// Looks for what was committed, and tells it.
  private func checkForCommit() {
    if let change = lock.withLock({ change() }) { changed(change) }
  }

  private func change() -> RemoteStoreChange? {
    // Without a file, the watch tells when there is one again.
    guard let state, let identity = OpenFiles.identity(path) else { return nil }
    do {
      guard identity == state.identity else {
        if identity == replacement { return nil }
        let content = try CommittedState.Content(replacementAt: path)
        replacement = identity
        return remoteChange(content)
      }
      if state.isBeingWritten { checkLater() } else { delayMilliseconds = Self.firstDelayMilliseconds }
      return try state.advance() ? remoteChange(state.content) : nil
    } catch let error as SQLiteError where error.code == .busy || error.code == .locked {
      checkLater()
    } catch {
      // The file cannot be read now, so there is nothing to tell. Mending it takes a write, which is noticed.
    }
    return nil
  }

  private func remoteChange(_ content: CommittedState.Content) -> RemoteStoreChange {
    RemoteStoreChange(
      storeURL: url, storeUUID: content.storeUUID,
      historyToken: content.transactionNumber.map {
        PersistentHistoryToken(store: content.storeUUID, transactionNumber: $0)
      })
  }

  private func checkLater() {
    if isCheckingLater { return }
    isCheckingLater = true
    queue.asyncAfter(deadline: .now() + .milliseconds(delayMilliseconds)) { [weak self] in
      guard let self else { return }
      lock.withLock { self.isCheckingLater = false }
      checkForCommit()
    }
    delayMilliseconds = min(delayMilliseconds * 2, Self.longestDelayMilliseconds)
  }
}
