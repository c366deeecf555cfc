import Foundation
import Platform

/// Patterns of file names: `*` for any characters, `?` for one, `[a-z]` and `[!a-z]` for one of a set.
enum FilePattern {
  /// The files, not folders, that an absolute pattern matches, sorted by the bytes of their paths.
  ///
  /// Wildcards do not match across `/`, nor a leading dot.
  static func files(matching pattern: String) -> [String] {
    var found = [""]
    for part in pattern.split(separator: "/") {
      if part.contains(where: { "*?[".contains($0) }) {
        let matcher = scalars(part)
        found = found.flatMap { folder in
          let names = FileSystem.names(in: folder.isEmpty ? "/" : folder)
          return names.filter { name in
            (!name.hasPrefix(".") || part.hasPrefix(".")) && matches(scalars(name)[...], matcher[...])
          }.map { folder + "/" + $0 }
        }
      } else {
        found = found.map { $0 + "/" + part }.filter { FileSystem.exists($0) }
      }
    }
    return found.filter { FileSystem.exists($0) && !FileSystem.isFolder($0) }.sorted {
      $0.utf8.lexicographicallyPrecedes($1.utf8)
    }
  }

  /// Whether a pattern matches a path that is only a name, such as that of a member of an archive.
  static func matches(path: String, pattern: String) -> Bool {
    let names = path.split(separator: "/", omittingEmptySubsequences: false)
    let parts = pattern.split(separator: "/", omittingEmptySubsequences: false)
    return names.count == parts.count
      && zip(names, parts).allSatisfy { name, part in
        (!name.hasPrefix(".") || part.hasPrefix("."))
          && matches(scalars(name)[...], scalars(part)[...])
      }
  }

  /// Composed, because file systems and editors spell letters with accents in one way or the other.
  private static func scalars(_ text: some StringProtocol) -> [Unicode.Scalar] {
    Array(text.precomposedStringWithCanonicalMapping.unicodeScalars)
  }

  /// Greedy with one point of return: linear in the name times the pattern.
  private static func matches(_ name: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>) -> Bool {
    var name = name
    var pattern = pattern
    var retry: (name: ArraySlice<Unicode.Scalar>, pattern: ArraySlice<Unicode.Scalar>)?
    while true {
      if pattern.first == "*" {
        pattern = pattern.dropFirst()
        retry = (name, pattern)
        continue
      }
      if let scalar = name.first, let length = step(scalar, pattern) {
        name = name.dropFirst()
        pattern = pattern.dropFirst(length)
        continue
      }
      if name.isEmpty, pattern.isEmpty { return true }
      guard let (tried, after) = retry, !tried.isEmpty else { return false }
      name = tried.dropFirst()
      pattern = after
      retry = (name, after)
    }
  }

  /// How many scalars of the pattern match the scalar; nil: it does not match.
  private static func step(_ scalar: Unicode.Scalar, _ pattern: ArraySlice<Unicode.Scalar>) -> Int? {
    guard let first = pattern.first else { return nil }
    if first == "?" { return 1 }
    guard first == "[", let close = pattern.dropFirst(2).firstIndex(of: "]") else { return scalar == first ? 1 : nil }
    var set = pattern[pattern.startIndex + 1..<close]
    let isNegated = set.first == "!"
    if isNegated { set = set.dropFirst() }
    var isMember = false
    while let low = set.first {
      if set.count >= 3, set[set.startIndex + 1] == "-" {
        let high = set[set.startIndex + 2]
        if low <= scalar, scalar <= high { isMember = true }
        set = set.dropFirst(3)
      } else {
        if low == scalar { isMember = true }
        set = set.dropFirst()
      }
    }
    return isMember != isNegated ? close - pattern.startIndex + 1 : nil
  }
}
