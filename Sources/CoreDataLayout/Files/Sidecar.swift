/// The files that SQLite keeps beside a database, by the endings of their names.
package enum Sidecar: String, Sendable, CaseIterable {
  /// The write-ahead log.
  case log = "-wal"
  /// The log's index, which SQLite makes anew where it is not there.
  case index = "-shm"
  /// The rollback journal.
  case journal = "-journal"

  /// Those without which rows may be missing, or rows be read that were never committed.
  package static let withRows: [Sidecar] = [.log, .journal]
  /// Those that a store in WAL mode is left with.
  package static let ofLog: [Sidecar] = [.log, .index]

  /// Where it is, or would be.
  /// - Parameter store: the file itself, or its name, not a symbolic link to it.
  package func path(of store: String) -> String { store + rawValue }

  /// A database file with sidecars, the file first.
  package static func files(of store: String, _ sidecars: [Sidecar] = allCases) -> [String] {
    [store] + sidecars.map { $0.path(of: store) }
  }
}
