/// Operations on files and folders by their names.
package enum FileSystem {
  /// Size and modification time, by which a changed file is noticed.
  package struct Stamp: Hashable, Sendable {
    /// The size in bytes.
    package let size: Int64
    private let seconds: Int
    private let nanoseconds: Int
    private let node: UInt64

    fileprivate init(_ info: stat) {
      #if canImport(Darwin)
        let time = info.st_mtimespec
      #else
        let time = info.st_mtim
      #endif
      size = Int64(info.st_size)
      seconds = Int(time.tv_sec)
      nanoseconds = Int(time.tv_nsec)
      node = UInt64(info.st_ino)
    }

    /// Whether both are of one file, whatever was written to it in between.
    package func isOfSameFile(as other: Stamp) -> Bool { node == other.node }
  }

  /// Nil when there is no file.
  package static func stamp(_ path: String) throws(SystemError) -> Stamp? {
    var info = stat()
    if unsafe stat(path, &info) == 0 { return Stamp(info) }
    if errno == ENOENT || errno == ENOTDIR { return nil }
    throw SystemError("look at the file", path)
  }

  /// The number of the file or folder that a path leads to, which is another's once it was replaced; nil for none.
  package static func node(_ path: String) -> UInt64? {
    var info = stat()
    return unsafe stat(path, &info) == 0 ? UInt64(info.st_ino) : nil
  }

  /// Whether a path leads to something.
  package static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

  /// Whether there may be something at a path that cannot be looked at, because a folder on the way may not be
  /// searched.
  package static func isOutOfReach(_ path: String) -> Bool { unsafe access(path, F_OK) != 0 && errno == EACCES }

  /// The folder that a path lies in; `.` for a bare name.
  package static func parent(_ path: String) -> String {
    // Foundation's own splitting traps on paths of one character.
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Whether a path leads to a folder.
  package static func isFolder(_ path: String) -> Bool {
    var info = stat()
    return unsafe stat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFDIR
  }

  /// Makes a folder, and those that it lies in; one that is there stays as it is.
  package static func makeFolder(_ path: String) throws(SystemError) {
    if path.isEmpty { return }
    if unsafe mkdir(path, 0o777) == 0 { return }
    let number = errno
    if number == ENOENT, path.utf8.contains(UInt8(ascii: "/")), parent(path) != path {
      try makeFolder(parent(path))
      if unsafe mkdir(path, 0o777) == 0 { return }
    }
    // Another process may have made it meanwhile.
    if !isFolder(path) { throw SystemError("make the folder", path, number: number == ENOENT ? errno : number) }
  }

  /// Names of what lies in a folder, in no order; none where it cannot be read.
  package static func names(in path: String) -> [String] { (try? listing(of: path)) ?? [] }

  /// Names of what lies in a folder, in no order.
  package static func listing(of path: String) throws(SystemError) -> [String] {
    guard let folder = unsafe opendir(path) else { throw SystemError("list the folder", path) }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      // Safety: the system ends the name with a zero byte, inside the entry.
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Removes a file, if it is there.
  package static func remove(_ path: String) throws(SystemError) {
    if unsafe unlink(path) != 0 && errno != ENOENT && errno != ENOTDIR { throw SystemError("remove the file", path) }
  }

  /// Removes a folder with nothing in it, if it is there. One with something in it stays. A symbolic link is an error.
  package static func removeFolderIfEmpty(_ path: String) throws(SystemError) {
    if unsafe rmdir(path) != 0 && ![ENOTEMPTY, EEXIST, ENOENT].contains(errno) {
      throw SystemError("remove the folder", path)
    }
  }

  /// Renames, replacing what is there.
  package static func rename(_ from: String, to: String) throws(SystemError) {
    if unsafe systemRename(from, to) != 0 { throw SystemError("put the file in place", to) }
  }

  /// Forces a file's bytes, or a folder's names, to the disk.
  package static func synchronize(_ path: String) throws(SystemError) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError("open the file", path) }
    defer { OpenFiles.close(descriptor) }
    do throws(SystemError) {
      try FileDescriptor.synchronize(descriptor, of: path)
    } catch {
      // Some file systems cannot synchronise a folder and say so; the rename is then as safe as it can be.
      if ![EINVAL, ENOTSUP, EOPNOTSUPP].contains(error.number) { throw error }
    }
  }
}

/// The system's function, by a name that the method above does not hide.
@unsafe private func systemRename(_ from: String, _ to: String) -> Int32 { unsafe rename(from, to) }
