/// Where the bytes of a seed are: a file, or a member of a zip archive.
///
/// `feed.zip!stops.txt` names a member, unless there is a file of just that name; `feed.zip` alone is its only member
/// with data in it.
public struct SeedPlace: Sendable {
  /// The path of the file, be it an archive.
  public let file: String
  /// The member of the archive; nil where the file itself is meant.
  public let member: ZipArchive.Member?
  /// The name of the source in errors.
  public let name: String

  /// Finds out what one of several paths names.
  /// - Parameter directories: of the archives that paths before this one named.
  package init(path: String, directories: inout ZipDirectories) throws(SeedFormatError) {
    let (file, memberName) = Self.parts(of: path)
    name = path
    self.file = file
    do {
      if let memberName {
        member = try directories.archive(at: file).member(named: memberName)
      } else {
        member = path != "-" && ZipArchive.isArchive(path: file) ? try directories.archive(at: file).onlyMember() : nil
      }
    } catch {
      var error = error
      error.file = path
      throw error
    }
  }

  /// The file and the name of the member that a path is made of.
  ///
  /// The exclamation mark is the first one that stands behind a file, or behind `.zip` where there is none.
  public static func parts(of path: String) -> (file: String, member: String?) {
    guard path.utf8.contains(UInt8(ascii: "!")), path != "-", !isFile(path) else { return (path, nil) }
    var likely: (file: String, member: String?)?
    var start = path.startIndex
    while let mark = path[start...].firstIndex(of: "!") {
      let file = String(path[..<mark])
      let parts = (file: file, member: String(path[path.index(after: mark)...]))
      if isFile(file) { return parts }
      if likely == nil, file.lowercased().hasSuffix(".zip") { likely = parts }
      start = path.index(after: mark)
    }
    return likely ?? (path, nil)
  }

  /// The bytes as they are in the file.
  public func bytes() throws(SeedFormatError) -> any BlockSource {
    guard let member else { return try FileBlockSource(path: file) }
    return try ZipMemberBytes(member, of: file, name: name)
  }

  private static func isFile(_ path: String) -> Bool { (try? RandomAccessFile(path: path)) != nil }
}
