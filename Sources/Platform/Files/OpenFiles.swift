import Synchronization

/// The database files that connections of this process have open.
///
/// POSIX releases all locks that a process has on a file as soon as the process closes any descriptor of it, those of
/// SQLite's own connections included. So code that reads a database's bytes without SQLite closes its descriptor here:
/// as long as a connection has the file open, the descriptor waits, as SQLite's own do. Connections of other copies of
/// SQLite in the process are not known.
package enum OpenFiles {
  package struct Identity: Hashable, Sendable {
    fileprivate var device: UInt64
    fileprivate var node: UInt64
  }

  private struct Entry {
    var connections = 0
    var waiting: [Int32] = []
  }

  private static let files = Mutex<[Identity: Entry]>([:])

  /// Closes a descriptor, or keeps it until no connection has its file open.
  package static func close(_ descriptor: Int32) {
    var info = stat()
    let isKnown = unsafe fstat(descriptor, &info) == 0
    let identity = Identity(info)
    // Within the lock, so that no connection can begin to use the file between the question and the act.
    files.withLock { files in
      if isKnown, files[identity] != nil {
        files[identity]?.waiting.append(descriptor)
      } else {
        FileDescriptor.close(descriptor)
      }
    }
  }

  /// Closes a descriptor of a file beside a database that SQLite locks too, or keeps it until no connection has the
  /// database open.
  package static func close(_ descriptor: Int32, besides identity: Identity) {
    files.withLock { files in
      if files[identity] != nil {
        files[identity]?.waiting.append(descriptor)
      } else {
        FileDescriptor.close(descriptor)
      }
    }
  }

  /// Which file a path leads to now; nil for none.
  package static func identity(_ path: String) -> Identity? {
    var info = stat()
    guard !path.isEmpty, unsafe stat(path, &info) == 0 else { return nil }
    return Identity(info)
  }

  /// Notes that a connection has opened a file.
  /// - Returns: nil when there is no file of that name, as of a database in memory.
  package static func register(_ path: String) -> Identity? {
    guard let identity = identity(path) else { return nil }
    files.withLock { $0[identity, default: Entry()].connections += 1 }
    return identity
  }

  /// Notes that a connection has closed its file.
  package static func unregister(_ identity: Identity?) {
    guard let identity else { return }
    files.withLock { files in
      guard var entry = files[identity] else { return }
      entry.connections -= 1
      if entry.connections > 0 {
        files[identity] = entry
      } else {
        for descriptor in entry.waiting { FileDescriptor.close(descriptor) }
        files[identity] = nil
      }
    }
  }
}

extension OpenFiles.Identity {
  fileprivate init(_ info: stat) {
    self.init(device: UInt64(truncatingIfNeeded: info.st_dev), node: UInt64(truncatingIfNeeded: info.st_ino))
  }
}
