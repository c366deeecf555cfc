/// Directories of archives that several paths name, each read once.
package struct ZipDirectories: Sendable {
  private var archives: [String: ZipArchive] = [:]

  package init() {}

  mutating func archive(at path: String) throws(SeedFormatError) -> ZipArchive {
    if let known = archives[path] { return known }
    let archive = try ZipArchive(path: path)
    archives[path] = archive
    return archive
  }
}
