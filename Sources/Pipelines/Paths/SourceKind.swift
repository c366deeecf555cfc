import Foundation
import Platform
import SeedFormats

/// The kind of file at a source's path.
package enum SourceKind: Equatable {
  /// A file that can be read as often as one likes.
  case file
  case folder
  /// A stream, which can be read only once: a pipe, a FIFO, a device. Two paths with one identity are one stream.
  case stream(identity: String, isNamed: Bool)
  /// Something that cannot be opened, such as a socket.
  case other
  case missing

  /// - Parameter path: `-` is standard input, which counts as a stream even where it is a file. Of a member of an
  ///   archive the archive counts.
  package init(_ path: String) {
    let path = SeedPlace.parts(of: path).file
    var status = stat()
    let result = path == "-" ? unsafe fstat(STDIN_FILENO, &status) : unsafe stat(path, &status)
    let identity = "\(status.st_dev):\(status.st_ino)"
    guard result == 0 else {
      self = path == "-" ? .stream(identity: path, isNamed: false) : .missing
      return
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG:
      self = path == "-" || Self.sharesPosition(path) ? .stream(identity: identity, isNamed: false) : .file
    case S_IFDIR: self = path == "-" ? .stream(identity: path, isNamed: false) : .folder
    case S_IFIFO: self = .stream(identity: identity, isNamed: Self.isNamed(path))
    case S_IFCHR, S_IFBLK: self = .stream(identity: identity, isNamed: false)
    default: self = path == "-" ? .stream(identity: identity, isNamed: false) : .other
    }
  }

  /// Whether a pipe has a name of its own, so that another process may wait for the bytes that are read from it. One
  /// that the process was given (standard input, a process substitution) is its own.
  private static func isNamed(_ path: String) -> Bool {
    var path = path
    for _ in 0..<40 {
      if path == "-" || path.hasPrefix("/dev/") || path.hasPrefix("/proc/") { return false }
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { return true }
      path = FilePath.normalized(target.hasPrefix("/") ? target : FileSystem.parent(path) + "/" + target)
    }
    return true
  }

  /// Whether the file, opened once more, goes on where the process has read to. So it is with Apple's names of open
  /// files; Linux opens the file anew.
  private static func sharesPosition(_ path: String) -> Bool {
    #if canImport(Darwin)
      path == "/dev/stdin" || path.hasPrefix("/dev/fd/")
    #else
      false
    #endif
  }

  /// Whether it is a stream.
  package var isStream: Bool {
    if case .stream = self { return true }
    return false
  }
}
