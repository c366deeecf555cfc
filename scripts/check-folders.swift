// Finds folders of one module that know each other both ways.
//
//   scripts/check-folders              check this clone
//   scripts/check-folders --self-test  show that a planted circle is found
//
// A folder knows another when one of its files names a type that a file of the other declares at its top level. Names in
// comments and string literals do not count, nor do names that files of several folders declare. What extensions add cannot be
// told so, nor can free functions. Files that lie in the module's own folder count as a folder, and folders in folders belong to
// the outer one. Modules in `circlesAllowed` are left out until they have been taken apart.
// Prints every circle with the names that close it. Exit code 0: none; 1: circles; 2: the check itself could not run.

import Foundation

/// Modules whose folders may still know each other.
let circlesAllowed: Set<String> = ["ObjectGraph"]

struct SourceFile {
  let name: String
  let folder: String
  let code: String
}

/// The text without comments and string literals.
func code(_ text: String) -> String {
  text.replacing(#/"""[\s\S]*?"""/#, with: "\"\"").replacing(#/"(?:\\.|[^"\\\n])*"/#, with: "\"\"")
    .replacing(#/\/\/[^\n]*/#, with: "").replacing(#/\/\*[\s\S]*?\*\//#, with: "")
}

func files(of module: String) -> [SourceFile] {
  let paths = (FileManager.default.enumerator(atPath: module)?.compactMap { $0 as? String } ?? []).sorted()
  return paths.filter { $0.hasSuffix(".swift") }.map { path in
    let parts = path.split(separator: "/")
    let text = String(decoding: FileManager.default.contents(atPath: module + "/" + path) ?? Data(), as: UTF8.self)
    return SourceFile(
      name: String(parts.last ?? ""), folder: parts.count > 1 ? String(parts[0]) : ".", code: code(text))
  }
}

/// Folder → folder that it knows → the names by which it does, each with its file.
func knowledge(_ files: [SourceFile]) -> [String: [String: [String]]] {
  let declaration =
    #/^(?:@\w+(?:\([^)\n]*\))?\s+)*(?:(?:public|package|internal|final|open|indirect|nonisolated)\s+)*(?:struct|class|enum|protocol|actor|typealias)\s+(\w+)/#
    .anchorsMatchLineEndings()
  var owners: [String: Set<String>] = [:]
  for file in files {
    for match in file.code.matches(of: declaration) { owners[String(match.1), default: []].insert(file.folder) }
  }
  var result: [String: [String: [String]]] = [:]
  for file in files {
    for word in Set(file.code.matches(of: #/\b[A-Z]\w*/#).map { String($0.0) }).sorted() {
      guard let folders = owners[word], folders.count == 1, let other = folders.first, other != file.folder else { continue }
      result[file.folder, default: [:]][other, default: []].append("\(file.name): \(word)")
    }
  }
  return result
}

/// The groups of folders in which each can be reached from each.
func circles(_ knows: [String: [String: [String]]]) -> [[String]] {
  func reached(from start: String) -> Set<String> {
    var found: Set<String> = []
    var waiting = [start]
    while let folder = waiting.popLast() {
      for next in (knows[folder] ?? [:]).keys where found.insert(next).inserted { waiting.append(next) }
    }
    return found
  }
  let reach = Dictionary(uniqueKeysWithValues: knows.keys.map { ($0, reached(from: $0)) })
  var groups: Set<[String]> = []
  for (folder, others) in reach where others.contains(folder) {
    groups.insert(others.filter { reach[$0]?.contains(folder) == true }.sorted())
  }
  return groups.sorted { $0[0] < $1[0] }
}

func check(root: String) throws -> [String] {
  let sources = root + "/Sources"
  var found: [String] = []
  for module in try FileManager.default.contentsOfDirectory(atPath: sources).sorted()
  where !circlesAllowed.contains(module) {
    let knows = knowledge(files(of: sources + "/" + module))
    for circle in circles(knows) {
      found.append("Sources/\(module): \(circle.joined(separator: ", ")) know each other")
      for folder in circle {
        for (other, names) in (knows[folder] ?? [:]).sorted(by: { $0.key < $1.key }) where circle.contains(other) {
          found.append("  \(folder) knows \(other) by \(names.prefix(5).joined(separator: ", "))")
        }
      }
    }
  }
  return found
}

/// Plants a circle in a tree of its own, and what only looks like one.
func selfTest() throws {
  let root = FileManager.default.temporaryDirectory.appendingPathComponent("check-folders-\(UUID().uuidString)").path
  defer { try? FileManager.default.removeItem(atPath: root) }
  func plant(_ text: String, at path: String) throws {
    let path = root + "/Sources/Planted/" + path
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try text.write(toFile: path, atomically: true, encoding: .utf8)
  }
  try plant("struct Low {}  // High\nlet text = \"High\"\n", at: "Low/Low.swift")
  try plant("public final class High { let low = Low() }\n", at: "High/High.swift")
  guard try check(root: root).isEmpty else { throw CheckFailure("self-test: a circle where there is none") }
  try plant("extension Low {\n  func up() -> High? { nil }\n}\n", at: "Low/Low+Up.swift")
  let expected = [
    "Sources/Planted: High, Low know each other", "  High knows Low by High.swift: Low", "  Low knows High by Low+Up.swift: High",
  ]
  guard try check(root: root) == expected else { throw CheckFailure("self-test: the planted circle is not found") }
}

struct CheckFailure: Error {
  let message: String
  init(_ message: String) { self.message = message }
}

do {
  let script = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
  let root = script.deletingLastPathComponent().deletingLastPathComponent().path
  switch Array(CommandLine.arguments.dropFirst()) {
  case []:
    let found = try check(root: root)
    for line in found { print(line) }
    exit(found.isEmpty ? 0 : 1)
  case ["--self-test"]: try selfTest()
  default: throw CheckFailure("usage: scripts/check-folders [--self-test]")
  }
} catch {
  FileHandle.standardError.write(Data("check-folders: \((error as? CheckFailure)?.message ?? "\(error)")\n".utf8))
  exit(2)
}
