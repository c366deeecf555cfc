import Dispatch
import Foundation
import Platform

/// Forces a file's contents to disk on another thread while its owner still reads it, so that a second, short write is
/// forced quickly afterwards.
package final class BackgroundSync: @unchecked Sendable {
  /// Smaller files are not worth a thread, bytes.
  private static let leastSize = 4 << 20

  private let done = DispatchGroup()
  /// Set by the thread before it leaves the group, read after waiting for it.
  private var failure: (any Error)?

  /// Begins.
  /// - Returns: nil for a small file.
  package init?(_ path: String) throws {
    guard let stamp = try StoreFiles.stamp(path), stamp.size >= BackgroundSync.leastSize else { return nil }
    // It has its own queue, because it only waits and must not take the place of a worker.
    DispatchQueue(label: "seedbed.flush").async(group: done) {
      do {
        try StoreFiles.synchronize(path)
      } catch {
        self.failure = error
      }
    }
  }

  /// Waits for the end.
  /// - Throws: what went wrong. It must not get lost: the system reports a failed write to one caller only.
  package func finish() throws {
    done.wait()
    if let failure { throw failure }
  }
}
