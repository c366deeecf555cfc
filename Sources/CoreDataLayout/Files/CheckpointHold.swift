import Platform

/// A lock that keeps all connections from moving a store's log into its main file. They go on reading and writing; the
/// log grows meanwhile. Nothing is written for it.
final class CheckpointHold {
  private let descriptor: Int32
  private let store: OpenFiles.Identity

  /// Takes the lock.
  /// - Returns: nil where nothing has the store's log open, or a checkpoint is under way.
  init?(_ path: String) {
    guard let store = OpenFiles.identity(path), let descriptor = FileLock.open(Sidecar.index.path(of: path)) else {
      return nil
    }
    self.store = store
    self.descriptor = descriptor
    guard FileLock.share(CheckpointHold.lockedBytes, of: descriptor) else { return nil }
  }

  deinit { OpenFiles.close(descriptor, besides: store) }

  /// `WAL_CKPT_LOCK` in the log's index: the second of the eight bytes that SQLite locks from byte 120 on
  /// (https://www.sqlite.org/walformat.html, section 2.3).
  private static let lockedBytes: Range<Int64> = 121..<122
}
