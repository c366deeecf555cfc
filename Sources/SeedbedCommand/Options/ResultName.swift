import ArgumentParser

/// The names of results on the command line.
enum ResultName {
  /// - Throws: `ValidationError` for a name that is empty, or that of a folder where a file is meant.
  static func check(_ path: String?, _ what: String, isFolder: Bool = false) throws {
    guard let path else { return }
    if path.isEmpty { throw ValidationError("\(what) is empty: name a \(isFolder ? "folder" : "file")") }
    if !isFolder, path.hasSuffix("/") { throw ValidationError("\(what) \(path) is the name of a folder: name a file") }
  }
}
