import Foundation
import ModelFiles
import ObjectModel
import Platform
import SeedFormats

/// Describes, for messages, a file of another kind than was expected.
package struct UnexpectedFileText {
  /// With its article: `a pipeline file`.
  package var name: String
  /// The name of an SQLite database.
  package static let database = "an SQLite database"
  /// What to do with it; nil where that depends on what was expected.
  var hint: String?

  /// Whether it is a folder, such as that of a model.
  package let isFolder: Bool

  /// - Returns: nil for what is not there, and for what cannot be told.
  package init?(_ path: String) {
    let source = SourceKind(path)
    guard source != .missing else { return nil }
    isFolder = source == .folder
    if ModelReader.isModel(path: path) {
      name = "a data model"
    } else if isFolder {
      name = "a folder"
    } else if source == .file, let kind = FileKind(path: path) {
      name = kind.name
      hint = kind.hint
    } else if let text = Self.textNames[Self.suffix(of: path)] {
      name = text
    } else {
      return nil
    }
  }

  private static let textNames = [
    "csv": "CSV data", "tsv": "TSV data", "txt": "text", "json": "JSON data", "ndjson": "NDJSON data",
    "jsonl": "NDJSON data", "yaml": "a YAML file, such as a pipeline", "yml": "a YAML file, such as a pipeline",
    "swift": "Swift code",
  ]

  /// The extension in small letters, without that of gzip.
  private static func suffix(of path: String) -> String {
    var name = FilePath.name(of: path).lowercased()
    if name.hasSuffix(".gz") { name.removeLast(3) }
    return name.split(separator: ".").dropFirst().last.map(String.init) ?? ""
  }

  /// Whether it is data by its name: a source of a pipeline, not a pipeline.
  static func isData(_ path: String) -> Bool {
    ["csv", "tsv", "ndjson", "jsonl"].contains(suffix(of: path))
  }

  /// Whether the text is a URL and not a path.
  package static func isURL(_ text: String) -> Bool {
    guard let mark = text.firstRange(of: "://") else { return false }
    let scheme = text[..<mark.lowerBound].utf8
    func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }
    return scheme.count > 1 && scheme.first.map(isLetter) == true
      && scheme.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0) }
  }

  /// What to do with a URL.
  package static func hint(forURL url: String) -> String {
    let lower = url.lowercased()
    if lower.hasPrefix("file://") { return "write the path: \(url.dropFirst(7))" }
    let command = ["http://", "https://", "ftp://"].contains(where: lower.hasPrefix) ? " (curl -fLO \(url))" : ""
    return "only files are read and written: download it first\(command) and give the file's path"
  }

  /// Names in a folder that are near to one that is not there.
  package static func hint(forMissing path: String) -> String? {
    let folder = FileSystem.parent(path)
    let name = FilePath.name(of: path)
    let names = FileSystem.names(in: folder)
    if let nearest = Suggestion.nearest(to: name, among: names.sorted()) { return "did you mean \"\(nearest)\"?" }
    // The name may differ in its extension alone.
    let stem = name.split(separator: ".").first.map(String.init) ?? name
    let related = names.sorted().first { $0 != name && !stem.isEmpty && $0.split(separator: ".").first == stem[...] }
    return related.map { "did you mean \"\($0)\"?" }
  }
}
