import Foundation

/// What a path names, symbolic links followed. Nothing is opened, so a FIFO does not block.
package enum PathContent: Sendable, Hashable {
  /// There is nothing of that name.
  case nothing
  /// A regular file.
  case file(byteCount: Int)
  case folder, fifo, socket, device
  /// A symbolic link that leads nowhere, or in circles.
  case brokenLink
  /// Something else, or nothing that may be looked at.
  case unknown

  /// Looks at a path.
  package init(at path: String) {
    var info = stat()
    if unsafe stat(path, &info) == 0 {
      self = Self.kind(info)
    } else if unsafe lstat(path, &info) == 0 {
      self = Self.isLink(info) ? .brokenLink : .unknown
    } else {
      self = .nothing
    }
  }

  /// Looks at an open file.
  package init(descriptor: Int32) {
    var info = stat()
    self = unsafe fstat(descriptor, &info) == 0 ? Self.kind(info) : .unknown
  }

  private static func kind(_ info: stat) -> PathContent {
    switch info.st_mode & S_IFMT {
    case S_IFREG: .file(byteCount: Int(info.st_size))
    case S_IFDIR: .folder
    case S_IFIFO: .fifo
    case S_IFSOCK: .socket
    case S_IFCHR, S_IFBLK: .device
    default: .unknown
    }
  }

  private static func isLink(_ info: stat) -> Bool { info.st_mode & S_IFMT == S_IFLNK }

  /// Whether the path itself is a symbolic link.
  package static func isLink(_ path: String) -> Bool {
    var info = stat()
    return unsafe lstat(path, &info) == 0 && isLink(info)
  }

  /// A description for messages.
  package var text: String {
    switch self {
    case .nothing: "nothing"
    case .file: "a file"
    case .folder: "a folder"
    case .fifo: "a FIFO"
    case .socket: "a socket"
    case .device: "a device"
    case .brokenLink: "a symbolic link that leads nowhere"
    case .unknown: "no regular file"
    }
  }
}

/// Which file it is, whatever its name: the same for a file, its symbolic links and its hard links.
package struct FileIdentity: Sendable, Hashable {
  private let device: UInt64
  private let node: UInt64

  /// The identity of what a path leads to; nil when it leads to nothing.
  package init?(_ path: String) {
    var info = stat()
    guard unsafe stat(path, &info) == 0 else { return nil }
    device = UInt64(truncatingIfNeeded: info.st_dev)
    node = UInt64(truncatingIfNeeded: info.st_ino)
  }
}

/// Follows symbolic links in the paths of results.
package enum ResultPath {
  /// What a path leads to where it is a symbolic link, else the path: a result takes the place of the file, and the
  /// link stays.
  package static func followed(_ path: String) -> String { PathContent.isLink(path) ? resolved(path) : path }

  /// A text that is the same for all spellings of a path: the path without symbolic links, in small letters where the
  /// file system takes these and capitals for the same.
  package static func key(_ path: String) -> String {
    let path = resolved(path)
    #if canImport(Darwin)
      var folder = FileSystem.parent(path)
      while !FileSystem.exists(folder), folder != FileSystem.parent(folder) { folder = FileSystem.parent(folder) }
      return unsafe pathconf(folder, Int32(_PC_CASE_SENSITIVE)) == 1 ? path : path.lowercased()
    #else
      return path
    #endif
  }

  /// The path without symbolic links, also where its last parts do not exist yet.
  package static func resolved(_ path: String) -> String {
    if let real = unsafe realpath(path, nil) {
      defer { unsafe free(real) }
      return unsafe String(cString: real)
    }
    // A link that leads nowhere has no other name.
    if PathContent.isLink(path) { return path }
    let parent = FileSystem.parent(path)
    guard parent != path, parent != "." || path.contains("/") else {
      // The working folder may be gone.
      let folder = FileManager.default.currentDirectoryPath
      return folder.hasPrefix("/") ? resolved(folder) + "/" + path : path
    }
    let name = path.dropFirst(parent == "/" ? 1 : parent.utf8.count + 1)
    let folder = resolved(parent)
    return folder.hasSuffix("/") ? folder + name : folder + "/" + name
  }
}
