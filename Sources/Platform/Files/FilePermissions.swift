/// Whose a file is, and what is allowed with it.
extension FileSystem {
  /// Whether another file can take the place of this one, so that nothing but its contents changes for others: it has
  /// one name, and belongs to the user of this process.
  package static func isReplaceable(_ path: String) throws(SystemError) -> Bool {
    var info = stat()
    guard unsafe stat(path, &info) == 0 else { throw SystemError("look at the file", path) }
    return info.st_nlink == 1 && info.st_uid == geteuid()
  }

  /// Gives a file the permissions of another.
  package static func copyPermissions(of source: String, to target: String) throws(SystemError) {
    var info = stat()
    guard unsafe stat(source, &info) == 0 else { throw SystemError("look at the file", source) }
    guard unsafe chmod(target, info.st_mode & 0o7777) == 0 else { throw SystemError("set the permissions", target) }
  }
}
