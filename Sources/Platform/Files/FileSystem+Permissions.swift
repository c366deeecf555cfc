/// Whose a file is, and what is allowed with it.
extension FileSystem {
  /// Whether another file can take the place of this one, so that nothing but its contents changes for others: it has
  /// one name, and belongs to the user of this process.
  /// - Parameter spare: a path that does not count where it is a second name of the file.
  package static func isReplaceable(_ path: String, besides spare: String?) throws(SystemError) -> Bool {
    var info = stat()
    guard unsafe stat(path, &info) == 0 else { throw SystemError("look at the file", path) }
    let hasSpare = spare.map { FileSystem.isName($0, of: info) } ?? false
    return info.st_nlink == (hasSpare ? 2 : 1) && info.st_uid == geteuid()
  }

  private static func isName(_ path: String, of file: stat) -> Bool {
    var info = stat()
    return unsafe lstat(path, &info) == 0 && info.st_ino == file.st_ino && info.st_dev == file.st_dev
  }

  /// Gives a file the permissions of another.
  package static func copyPermissions(of source: String, to target: String) throws(SystemError) {
    var (from, to) = (stat(), stat())
    guard unsafe stat(source, &from) == 0 else { throw SystemError("look at the file", source) }
    // Some file systems refuse even what changes nothing.
    if unsafe stat(target, &to) == 0, to.st_mode & 0o777 == from.st_mode & 0o777 { return }
    guard unsafe chmod(target, from.st_mode & 0o777) == 0 else { throw SystemError("set the permissions", target) }
  }
}
