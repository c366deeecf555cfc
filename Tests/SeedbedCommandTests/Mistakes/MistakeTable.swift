import Foundation
import Testing

/// The table of mistakes, as text files that are read without a build.
///
/// A mistake begins with `## ` and its name. Then stand, in any order:
///
///     change FILE        lines that begin with - are replaced by those that follow and begin with +
///     file FILE          lines of text, each after a |
///     gzip FILE          the same, packed with gzip
///     hex FILE           bytes, each line after a |
///     folder FOLDER      an empty folder
///     disk FOLDER SIZE   a folder with a small file system in it
///     store              the store of the sample pipeline, Shop.sqlite
///     bare-store         the same without the model that it carries
///     env NAME=VALUE     a variable of the environment
///     input FILE         a file that is standard input
///     $ ARGUMENTS        the command line of seedbed, words in single quotes
///     exit CODE          the exit code
///     says WORDS         what the message must contain
///     not WORDS          what it must not contain
///
/// Lines that begin with `# ` before the first mistake are comments.
struct MistakeTable: Sendable, CustomTestStringConvertible {
  /// The name of the file, without its folder.
  var name: String
  var mistakes: [Mistake]

  var testDescription: String { name }

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

  /// The project that works, which every mistake changes.
  static let project = folder.appendingPathComponent("project")

  /// What readers collected who had nothing but the documentation for users.
  static let collectedByReaders = read(folder: "reader")
  /// What was added with knowledge of the sources.
  static let collectedFromSources = read(folder: "sources")

  private static func read(folder name: String) -> [MistakeTable] {
    let folder = folder.appendingPathComponent(name)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".txt") }.sorted().map { name in
      let text = (try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)) ?? ""
      return MistakeTable(name: name, text: text)
    }
  }

  /// Reads a table. A line that says nothing known becomes words that no message has, so that its mistake fails.
  init(name: String, text: String) {
    self.name = name
    mistakes = text.components(separatedBy: "\n## ").dropFirst().map { section in
      var lines = section.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)[...]
      var mistake = Mistake(name: lines.removeFirst())
      while let line = lines.popFirst() {
        let body = lines.prefix { $0.hasPrefix("|") || $0.hasPrefix("-") || $0.hasPrefix("+") }
        lines = lines.dropFirst(body.count)
        let word = line.prefix { $0 != " " }
        Self.read(String(word), String(line.dropFirst(word.count + 1)), body: Array(body), into: &mistake)
      }
      return mistake
    }
  }

  private static func read(_ word: String, _ rest: String, body: [String], into mistake: inout Mistake) {
    let text = body.map { $0.dropFirst() + "\n" }.joined()
    switch word {
    case "": break
    case "change": mistake.changes += replacements(body).map { .lines(rest, old: $0.old, new: $0.new) }
    case "file": mistake.changes.append(.file(rest, Array(text.utf8)))
    case "gzip": mistake.changes.append(.gzip(rest, text))
    case "hex":
      let bytes = text.split { $0 == " " || $0 == "\n" }.compactMap { UInt8($0, radix: 16) }
      mistake.changes.append(.file(rest, bytes))
    case "folder": mistake.changes.append(.folder(rest))
    case "disk":
      let parts = rest.split(separator: " ").map(String.init)
      if parts.count == 2 { mistake.disk = (parts[0], parts[1]) }
    case "store": mistake.changes.append(.store)
    case "bare-store": mistake.changes.append(.storeWithoutModel)
    case "env":
      let parts = rest.split(separator: "=", maxSplits: 1).map(String.init)
      if parts.count == 2 { mistake.environment[parts[0]] = parts[1] }
    case "input": mistake.input = rest
    case "$": mistake.arguments = words(rest)
    case "exit": mistake.exitCode = Int32(rest)
    case "says": mistake.words.append(rest)
    case "not": mistake.absent.append(rest)
    default: mistake.words.append("the table's line \(word) \(rest)")
    }
  }

  /// Pairs of removed and added lines: a `-` after a `+` begins a new pair.
  private static func replacements(_ body: [String]) -> [(old: String, new: String)] {
    var pairs: [(old: String, new: String)] = []
    for line in body {
      if line.hasPrefix("-"), pairs.last.map({ !$0.new.isEmpty }) ?? true { pairs.append(("", "")) }
      guard !pairs.isEmpty else { continue }
      let text = line.dropFirst() + "\n"
      if line.hasPrefix("-") { pairs[pairs.count - 1].old += text } else { pairs[pairs.count - 1].new += text }
    }
    return pairs
  }

  /// The words of a command line; blanks inside single quotes part none.
  private static func words(_ line: String) -> [String] {
    var words: [String] = []
    for (index, part) in line.components(separatedBy: "'").enumerated() {
      words += index % 2 == 1 ? [part] : part.split(separator: " ").map(String.init)
    }
    return words
  }
}
