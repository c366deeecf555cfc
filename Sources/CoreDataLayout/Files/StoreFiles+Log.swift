import Foundation
import Platform
import StoreInterface

extension StoreFiles {
  /// Whether rows may lie beside the store, in a log or a journal.
  package static func hasLog(_ path: String) throws -> Bool {
    try Sidecar.withRows.contains { try (stamp(sidecar($0, of: path))?.size ?? 0) > 0 }
  }

  /// Bytes of a store with its log or journal.
  static func byteCount(_ path: String) throws -> Int {
    try StoreStamp.read(path: path).byteCount
  }

  /// Copies a store with its log or journal as they are at one moment, also while other connections write to its log.
  /// The log's index (`-shm`) is left out: SQLite builds it anew.
  /// - Throws: `StoreError.busy` when the files keep changing.
  static func copyWithLog(from source: String, to target: String, synchronizes: Bool = true) throws {
    // A symbolic link to a store has its log beside the store.
    let source = ResultPath.followed(source)
    var hold: CheckpointHold?
    for _ in 0..<ReadOnlyAccess.attempts {
      hold = hold ?? CheckpointHold(source)
      let before = try StoreStamp.read(path: source)
      let files = { Sidecar.files(of: $0, Sidecar.withRows) }
      for (from, to) in zip(files(source), files(target)) {
        if FileSystem.exists(from) {
          try copy(from, to: to, synchronizes: synchronizes)
        } else {
          try remove(to)
        }
      }
      let after = try StoreStamp.read(path: source)
      if after == before { return }
      if try after.differsOnlyInLog(from: before) && isStartOfLog(in: target, of: source) { return }
      Thread.sleep(forTimeInterval: 0.05)
    }
    throw StoreError.busy(path: source)
  }

  /// Whether what was copied of a log is its start. A log only grows as long as its header stays, and SQLite leaves out
  /// the end of a log that no commit closes. Where a log began anew meanwhile, the copy may have frames of both, and
  /// older pages than the main file.
  private static func isStartOfLog(in target: String, of source: String) throws -> Bool {
    let (copy, log) = (Sidecar.log.path(of: target), Sidecar.log.path(of: source))
    guard FileSystem.exists(copy), FileSystem.exists(log) else { return false }
    let start = try header(copy).prefix(32)
    return try start.count == 32 && start == header(log).prefix(32)
  }
}
