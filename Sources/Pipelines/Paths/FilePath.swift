import Foundation

/// Takes paths apart. Foundation's own splitting traps on paths of one character.
package enum FilePath {
  /// A path as messages name it: relative to the working folder where it lies below it.
  package static func shown(_ path: String) -> String {
    let folder = FileManager.default.currentDirectoryPath + "/"
    return path.hasPrefix(folder) ? String(path.dropFirst(folder.count)) : path
  }

  /// A path as a word of a command line that a message suggests: in quotes where a shell needs them, and with `./`
  /// before a hyphen, so that it is no option.
  package static func argument(_ path: String) -> String { quoted(path.hasPrefix("-") ? "./" + path : path) }

  /// A word for a shell, in quotes where it needs them.
  package static func quoted(_ word: String) -> String {
    let isPlain = word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+=".contains($0)) }
    return isPlain && !word.isEmpty ? word : "'" + word.replacing("'", with: "'\\''") + "'"
  }

  /// What follows the last slash.
  package static func name(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
    return String(path[path.utf8.index(after: slash)...])
  }

  /// The ending of a file's name without that of compression, in small letters; nil when there is none.
  package static func ending(_ path: String) -> String? {
    var name = name(of: path).lowercased()
    for suffix in [".gz", ".zst"] where name.hasSuffix(suffix) { name.removeLast(suffix.count) }
    return name.split(separator: ".", omittingEmptySubsequences: false).dropFirst().last.map(String.init)
  }

  /// An absolute path without `.`, `..` and doubled slashes.
  static func normalized(_ path: String) -> String {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }
}
