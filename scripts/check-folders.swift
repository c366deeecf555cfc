// Finds folders of one module that know each other both ways.
//
//   scripts/check-folders              check this clone
//   scripts/check-folders --self-test  show that a planted circle is found
//
// A folder knows another when one of its files names a type that a file of the other declares at its top level, or a
// member that an extension in the other adds, or a function that the other declares at its top level. Names in comments
// and in string literals do not count, but for those in a literal's `\(…)`, nor do names that files of several folders
// declare. A member is told by its name alone, so it counts only where the name can be nothing else: no other module
// declares it, no other folder uses it for a member, a variable, a parameter or a label, and it is none of the standard
// library's names in `commonNames`. Members that a type declares itself need the type, whose name mostly stands near.
// Files that lie in the module's own folder count as a folder, and folders in folders belong to the outer one. The
// folders in `circlesAllowed` may know each other both ways; a circle with any other folder is found, and of it only
// what the others know and are known by is told. Prints every circle with the names that close it. Exit code 0: none;
// 1: circles; 2: the check itself could not run.

import Foundation

/// Module → folders that may know each other both ways. An object knows its context; the context knows its objects,
/// their changes, its merge policy, its undo manager and the stack it saves to, and each of these knows objects and
/// contexts, as in Core Data (`docs/ARCHITECTURE.md`).
let circlesAllowed: [String: Set<String>] = [
  "ObjectGraph": ["Changes", "Conflicts", "Context", "Objects", "Saving", "Stack", "Undo"],
  // The self-test's.
  "PlantedKnot": ["Object", "Context"],
]

/// Names of the standard library, Foundation and the C library that extensions here may repeat for types of their own.
let commonNames: Set<String> = ["combine", "get", "rounded", "set"]

struct SourceFile {
  let name: String
  let folder: String
  let tokens: [String]
}

/// The words and signs of a file, without comments and what string literals say. What stands in a literal's `\(…)`
/// counts.
func tokens(_ text: [UInt8]) -> [String] {
  var result: [String] = []
  /// Where the parentheses open that literals were left by, and how their literals end.
  var interpolations: [(depth: Int, end: StaticString)] = []
  var depth = 0
  var index = 0
  func starts(_ mark: StaticString) -> Bool {
    let count = mark.utf8CodeUnitCount
    guard index + count <= text.count else { return false }
    return (0..<count).allSatisfy { text[index + $0] == mark.utf8Start[$0] }
  }
  func skip(to mark: StaticString) {
    while index < text.count, !starts(mark) { index += text[index] == UInt8(ascii: "\\") ? 2 : 1 }
    index += mark.utf8CodeUnitCount
  }
  func skipLiteral(to mark: StaticString, isRaw: Bool) {
    while index < text.count, !starts(mark) {
      if !isRaw, starts("\\(") {
        index += 2
        interpolations.append((depth, mark))
        return
      }
      index += text[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    index += mark.utf8CodeUnitCount
  }
  while index < text.count {
    let start = index
    while index < text.count, isWord(text[index]) { index += 1 }
    if index > start {
      result.append(String(decoding: text[start..<index], as: UTF8.self))
      continue
    }
    switch text[index] {
    case UInt8(ascii: "/") where starts("//"):
      while index < text.count, text[index] != UInt8(ascii: "\n") { index += 1 }
    case UInt8(ascii: "/") where starts("/*"): skip(to: "*/")
    case UInt8(ascii: "#") where starts("#/"):
      index += 2
      skip(to: "/#")
    case UInt8(ascii: "\""):
      let isLong = starts("\"\"\"")
      let isRaw = result.last == "#"
      index += isLong ? 3 : 1
      skipLiteral(to: isLong ? "\"\"\"" : "\"", isRaw: isRaw)
    case UInt8(ascii: ")") where interpolations.last?.depth == depth:
      index += 1
      if let literal = interpolations.popLast() { skipLiteral(to: literal.end, isRaw: false) }
    case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "`"): index += 1
    default:
      if text[index] == UInt8(ascii: "(") { depth += 1 }
      if text[index] == UInt8(ascii: ")") { depth -= 1 }
      result.append(String(UnicodeScalar(text[index])))
      index += 1
    }
  }
  return result
}

func isWord(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
    UInt8(ascii: "0")...UInt8(ascii: "9"):
    true
  default: false
  }
}

func sourceFiles(at module: String) -> [SourceFile] {
  let paths = (FileManager.default.enumerator(atPath: module)?.compactMap { $0 as? String } ?? []).sorted()
  return paths.filter { $0.hasSuffix(".swift") }.map { path in
    let parts = path.split(separator: "/")
    let text = FileManager.default.contents(atPath: module + "/" + path) ?? Data()
    return SourceFile(
      name: String(parts.last ?? ""), folder: parts.count > 1 ? String(parts[0]) : ".", tokens: tokens([UInt8](text)))
  }
}

/// The names that a file declares, by where they stand.
struct Declarations {
  /// Types at the top level.
  var types: Set<String> = []
  /// Members that extensions add, and functions at the top level.
  var added: Set<String> = []
  /// Members of types, whatever their depth.
  var members: Set<String> = []
  /// Those of them that other files can see.
  var visibleMembers: Set<String> = []
  /// Variables, parameters and labels.
  var others: Set<String> = []

  init(_ tokens: [String]) {
    enum Block { case type, extensionBody, body }
    var blocks: [Block] = []
    var opening: Block?
    /// Whether a modifier since the last block or declaration hides what comes.
    var isPrivate = false
    func isName(_ token: String) -> Bool { token.utf8.first.map(isWord) ?? false }
    func addMember(_ name: String) {
      members.insert(name)
      if !isPrivate { visibleMembers.insert(name) }
    }
    for index in tokens.indices.dropLast() {
      let next = tokens[index + 1]
      switch tokens[index] {
      case "{":
        blocks.append(opening ?? .body)
        (opening, isPrivate) = (nil, false)
      case "}":
        _ = blocks.popLast()
        isPrivate = false
      case "private", "fileprivate": if next != "(" { isPrivate = true }
      case "struct", "enum", "class", "actor", "protocol", "typealias":
        guard isName(next), next != "func", next != "var", index == 0 || tokens[index - 1] != "import" else { continue }
        if blocks.isEmpty { types.insert(next) } else { addMember(next) }
        if tokens[index] != "typealias" { opening = .type }
      case "extension": opening = .extensionBody
      case "func", "var", "let":
        switch blocks.last {
        case nil where !isPrivate, .extensionBody where !isPrivate: added.insert(next)
        case .body: others.insert(next)
        default: addMember(next)
        }
        isPrivate = false
        // All names of a pattern such as `let (first, second)`.
        for name in tokens[(index + 1)...].prefix(while: { isName($0) || $0 == "(" || $0 == "," }) where isName(name) {
          if next == "(" { others.insert(name) }
        }
      case "case":
        // Cases of an enumeration, or of a switch: what they bind follows `let`.
        if blocks.last == .type { addMember(next) }
      case ",": if blocks.last == .type { addMember(next) }
      case "for": others.insert(next)
      case "in":
        // The parameters of a closure, or the names of a loop.
        var place = index - 1
        if place >= 0, tokens[place] == ")" { place -= 1 }
        while place > 0, isName(tokens[place]) {
          others.insert(tokens[place])
          guard tokens[place - 1] == "," else { break }
          place -= 2
        }
      case ":":
        // A label, a parameter's name, a property that is declared with others.
        guard index > 1, tokens[index - 2] != "." else { continue }
        others.insert(tokens[index - 1])
        if index > 2, ["(", ","].contains(tokens[index - 3]) { others.insert(tokens[index - 2]) }
      default: break
      }
    }
    // Every declared property with a type stands before a colon: that alone makes it nothing else.
    others.subtract(
      added.filter { name in
        tokens.indices.dropLast(2).allSatisfy {
          tokens[$0 + 1] != name || tokens[$0 + 2] != ":" || ["let", "var"].contains(tokens[$0])
        }
      })
  }
}

/// The declarations of a module's files.
struct Module {
  let name: String
  let files: [(source: SourceFile, declarations: Declarations)]

  init(_ name: String, at path: String) {
    self.name = name
    files = sourceFiles(at: path).map { ($0, Declarations($0.tokens)) }
  }
}

/// Folder → folder that it knows → the names by which it does, each with its file.
/// - Parameter foreign: names that other modules declare.
func knowledge(_ module: Module, foreign: Set<String>) -> [String: [String: [String]]] {
  var owners: [String: Set<String>] = [:]
  var adders: [String: Set<String>] = [:]
  var users: [String: Set<String>] = [:]
  for (source, declarations) in module.files {
    for name in declarations.types { owners[name, default: []].insert(source.folder) }
    for name in declarations.added { adders[name, default: []].insert(source.folder) }
    for name in declarations.members.union(declarations.others) { users[name, default: []].insert(source.folder) }
  }
  for (name, folders) in adders where owners[name] == nil && !foreign.contains(name) && !commonNames.contains(name) {
    if folders.count == 1, users[name, default: []].isSubset(of: folders) { owners[name] = folders }
  }
  var result: [String: [String: [String]]] = [:]
  for (file, _) in module.files {
    for word in Set(file.tokens).sorted() {
      guard let folders = owners[word], folders.count == 1, let other = folders.first, other != file.folder else {
        continue
      }
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
  let modules = try FileManager.default.contentsOfDirectory(atPath: sources).sorted().map {
    Module($0, at: sources + "/" + $0)
  }
  /// Name → modules that declare it for others.
  var declarers: [String: Set<String>] = [:]
  for module in modules {
    for file in module.files {
      for name in file.declarations.added.union(file.declarations.visibleMembers) {
        declarers[name, default: []].insert(module.name)
      }
    }
  }
  var found: [String] = []
  for module in modules {
    let allowed = circlesAllowed[module.name] ?? []
    let foreign = Set(declarers.filter { !$0.value.subtracting([module.name]).isEmpty }.keys)
    let knows = knowledge(module, foreign: foreign)
    for circle in circles(knows) where !allowed.isSuperset(of: circle) {
      found.append("Sources/\(module.name): \(circle.joined(separator: ", ")) know each other")
      for folder in circle {
        for (other, names) in (knows[folder] ?? [:]).sorted(by: { $0.key < $1.key }) where circle.contains(other) {
          if allowed.contains(folder) && allowed.contains(other) { continue }
          found.append("  \(folder) knows \(other) by \(names.prefix(5).joined(separator: ", "))")
        }
      }
    }
  }
  return found
}

/// Plants circles in a tree of its own, allowed ones too, and what only looks like one.
func selfTest() throws {
  let root = FileManager.default.temporaryDirectory.appendingPathComponent("check-folders-\(UUID().uuidString)").path
  defer { try? FileManager.default.removeItem(atPath: root) }
  func plant(_ text: String, at path: String, of module: String = "Planted") throws {
    let path = root + "/Sources/\(module)/" + path
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try text.write(toFile: path, atomically: true, encoding: .utf8)
  }
  try plant("struct Low {}  // High\nlet text = \"High\"\n", at: "Low/Low.swift")
  try plant("public final class High { let low = Low() }\n", at: "High/High.swift")
  guard try check(root: root).isEmpty else { throw CheckFailure("self-test: a circle where there is none") }
  try plant("extension Low {\n  func up() -> High? { nil }\n}\n", at: "Low/Low+Up.swift")
  let expected = [
    "Sources/Planted: High, Low know each other", "  High knows Low by High.swift: Low",
    "  Low knows High by Low+Up.swift: High",
  ]
  guard try check(root: root) == expected else { throw CheckFailure("self-test: the planted circle is not found") }

  // A circle that only a member of an extension closes, beside names that could be something else.
  try plant("extension Low {\n  var doubled: Int { 2 }\n  var local: Int { 1 }\n}\n", at: "Low/Low+Up.swift")
  try plant(
    "struct Other {\n  func use(_ low: Low) -> Int {\n    let local = 1\n    return local + low.raised(by: 2)\n  }\n}\n",
    at: "Other/Other.swift")
  try plant(
    "extension Low {\n  func raised(\n    by count: Int\n  ) -> Int { count }\n}\n", at: "High/Low+Raised.swift")
  guard try check(root: root).isEmpty else { throw CheckFailure("self-test: a circle of members where there is none") }
  try plant("struct Sum {}\nextension High {\n  var sum: Int { Other().use(low) }\n}\n", at: "High/High+Sum.swift")
  let members = [
    "Sources/Planted: High, Other know each other", "  High knows Other by High+Sum.swift: Other",
    "  Other knows High by Other.swift: raised",
  ]
  guard try check(root: root) == members else {
    throw CheckFailure("self-test: the circle that a member of an extension closes is not found")
  }

  // Another module's private name is not that member, and a literal may say it.
  try plant("struct Far {\n  private func raised(by count: Int) {}\n}\n", at: "Far/Far.swift", of: "Distant")
  try plant(
    "struct Other {\n  func use(_ low: Low) -> String { \"no raised (\" + \"\\(low.raised(by: 2)) of \\(2)\" }\n}\n",
    at: "Other/Other.swift")
  guard try check(root: root) == members else {
    throw CheckFailure("self-test: the circle that a literal closes is not found")
  }

  // Folders that may know each other, and then a third one in their circle.
  try FileManager.default.removeItem(atPath: root + "/Sources/Planted")
  try plant("final class Object { weak var owner: Context? }\n", at: "Object/Object.swift", of: "PlantedKnot")
  try plant("final class Context { var objects: [Object] = [] }\n", at: "Context/Context.swift", of: "PlantedKnot")
  try plant("struct Results { let context: Context }\n", at: "Results/Results.swift", of: "PlantedKnot")
  guard try check(root: root).isEmpty else { throw CheckFailure("self-test: a circle that is allowed is found") }
  try plant(
    "extension Object {\n  var found: Results? { nil }\n}\n", at: "Object/Object+Found.swift", of: "PlantedKnot")
  let widened = [
    "Sources/PlantedKnot: Context, Object, Results know each other",
    "  Object knows Results by Object+Found.swift: Results",
    "  Results knows Context by Results.swift: Context",
  ]
  guard try check(root: root) == widened else {
    throw CheckFailure("self-test: a circle of allowed folders with another one is not found")
  }
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
