// Enforces the module boundaries.
//
//   scripts/check-imports              check this clone
//   scripts/check-imports --self-test  show that planted violations are found
//
// Three things must agree: the boundary table of docs/ARCHITECTURE.md (what a module may import), the target
// dependencies of Package.swift (as `swift package dump-package` gives them), and the import statements of the sources.
// What is granted and not imported is a violation too.
// Prints file:line of every violation. Exit code 0: all agree; 1: violations; 2: the check itself could not run.

import Foundation

struct Failure: Error {
  let message: String
}

/// The modules of the system that every target may import. `FoundationXML` is not among them: the boundary table grants
/// it by name.
let systemModules: Set<String> = [
  "Dispatch", "Foundation", "FoundationEssentials", "Swift", "Synchronization",
]
/// The C library, by the names that systems give it. One module imports it, for all others.
let cLibraries: Set<String> = ["Darwin", "Glibc", "Musl"]
let cLibraryModule = "Platform"
/// What a test target may import without a dependency in the manifest.
let testModules: Set<String> = systemModules.union(["FoundationXML", "Testing"])
/// Modules of the toolchain that the boundary table grants by name; they need no dependency in the manifest.
let toolchainModules: Set<String> = ["FoundationXML"]

struct Target {
  let name: String
  let type: String
  let path: String
  let dependencies: Set<String>
}

// MARK: - Reading the three sides

func read(_ path: String) throws -> String {
  guard let data = FileManager.default.contents(atPath: path) else { throw Failure(message: "cannot read \(path)") }
  return String(decoding: data, as: UTF8.self)
}

/// The rows between the two markers: module names in the first cell, granted modules in the last one, in backticks.
func boundaryTable(root: String) throws -> [String: Set<String>] {
  let path = root + "/docs/ARCHITECTURE.md"
  let parts = try read(path).components(separatedBy: "<!-- boundary table -->")
  guard parts.count == 3 else { throw Failure(message: "\(path): no boundary table between its two markers") }
  var table: [String: Set<String>] = [:]
  for line in parts[1].split(separator: "\n") where line.hasPrefix("| `") {
    let cells = line.split(separator: "|").map(String.init)
    guard let first = cells.first, let last = cells.last else { continue }
    let granted = Set(quotedNames(last))
    for module in quotedNames(first) { table[module] = granted }
  }
  return table
}

func quotedNames(_ cell: String) -> [String] {
  cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
    .filter { $0.offset % 2 == 1 }.map { String($0.element) }
}

func targets(root: String) throws -> [Target] {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = ["swift", "package", "--package-path", root, "dump-package"]
  let output = Pipe()
  process.standardOutput = output
  try process.run()
  let json = output.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  guard process.terminationStatus == 0,
    let package = try JSONSerialization.jsonObject(with: json) as? [String: Any],
    let list = package["targets"] as? [[String: Any]]
  else { throw Failure(message: "\"swift package dump-package\" failed") }
  return list.map { target in
    let name = target["name"] as? String ?? ""
    let type = target["type"] as? String ?? ""
    // A dependency is {"byName": [name, …]}, {"target": [name, …]} or {"product": [name, package, …]}.
    let dependencies = (target["dependencies"] as? [[String: Any]] ?? []).compactMap { dependency in
      dependency.values.lazy.compactMap { ($0 as? [Any])?.first as? String }.first
    }
    let path = target["path"] as? String ?? (type == "test" ? "Tests/" : "Sources/") + name
    return Target(name: name, type: type, path: path, dependencies: Set(dependencies))
  }
}

/// The import statements of a Swift file: module names with their 1-based lines. Text in comments and in multi-line
/// string literals is not an import.
func imports(in source: String) -> [(module: String, line: Int)] {
  let statement =
    #/^\s*(?:@[\w()]+\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+(?:(?:struct|class|enum|protocol|typealias|func|let|var|actor)\s+)?`?(\w+)/#
  var found: [(String, Int)] = []
  var commentDepth = 0
  var isInString = false
  for (index, line) in source.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
    if isInString {
      if line.contains("\"\"\"") { isInString = false }
      continue
    }
    if commentDepth == 0, let match = line.firstMatch(of: statement) { found.append((String(match.1), index + 1)) }
    let code = commentDepth == 0 ? line.prefix(upTo: line.firstRange(of: "//")?.lowerBound ?? line.endIndex) : line
    commentDepth += code.ranges(of: "/*").count - code.ranges(of: "*/").count
    commentDepth = max(commentDepth, 0)
    if commentDepth == 0 && code.ranges(of: "\"\"\"").count % 2 == 1 { isInString = true }
  }
  return found
}

func swiftFiles(under folder: String) -> [String] {
  (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? [])
    .filter { $0.hasSuffix(".swift") }.sorted()
}

// MARK: - Comparing them

func violations(root: String) throws -> [String] {
  let table = try boundaryTable(root: root)
  let targets = try targets(root: root)
  let manifest = try read(root + "/Package.swift").split(separator: "\n", omittingEmptySubsequences: false)
  func manifestLine(_ target: String) -> Int {
    (manifest.lastIndex { $0.contains("name: \"\(target)\"") } ?? 0) + 1
  }

  let programs = Set(targets.lazy.filter { $0.type == "executable" }.map(\.name))
  var found: [String] = []
  for target in targets {
    let isTest = target.type == "test"
    let granted = table[target.name]
    if !isTest {
      let place = "Package.swift:\(manifestLine(target.name))"
      guard let granted else {
        found.append("\(place): the target \(target.name) has no row in the boundary table of docs/ARCHITECTURE.md")
        continue
      }
      for dependency in target.dependencies.subtracting(granted).sorted() {
        found.append("\(place): \(target.name) depends on \(dependency), which the boundary table does not grant")
      }
    }
    if target.type == "system" { continue }

    var imported: Set<String> = []
    let declared = target.dependencies.union(isTest ? testModules : systemModules).union([target.name])
    for file in swiftFiles(under: root + "/" + target.path) {
      let path = target.path + "/" + file
      for (module, line) in imports(in: try read(root + "/" + path)) {
        imported.insert(module)
        if cLibraries.contains(module) {
          if target.name != cLibraryModule {
            found.append("\(path):\(line): only \(cLibraryModule) imports the C library (\(module))")
          }
        } else if !isTest, let granted, !granted.contains(module), !systemModules.contains(module) {
          found.append("\(path):\(line): \(target.name) may not import \(module) (boundary table)")
        } else if !declared.contains(module)
          && !(granted?.contains(module) == true && toolchainModules.contains(module))
        {
          found.append("\(path):\(line): \(target.name) imports \(module) without a dependency in Package.swift")
        }
      }
    }
    // Programs are depended on to be built; plugins run what they depend on.
    if target.type == "plugin" { continue }
    let unused = target.dependencies.subtracting(imported).subtracting(programs)
    for module in unused.sorted() {
      found.append(
        "Package.swift:\(manifestLine(target.name)): \(target.name) depends on \(module) and does not import it")
    }
    for module in (granted ?? []).subtracting(imported).subtracting(unused).sorted() where !isTest {
      found.append("docs/ARCHITECTURE.md: \(target.name) is granted \(module) and does not import it (boundary table)")
    }
  }
  for module in Set(table.keys).subtracting(targets.map(\.name)).sorted() {
    found.append("docs/ARCHITECTURE.md: the boundary table names \(module), which is no target of Package.swift")
  }
  return found
}

// MARK: - Self-test

/// Plants one violation of each kind in a copy of the tree and shows that exactly those are found.
func selfTest(root: String) throws {
  let files = FileManager.default
  let copy = files.temporaryDirectory.appendingPathComponent("check-imports-\(UUID().uuidString)").path
  defer { try? files.removeItem(atPath: copy) }
  try files.createDirectory(atPath: copy + "/docs", withIntermediateDirectories: true)
  for item in ["Package.swift", "Sources", "Tests", "examples", "docs/ARCHITECTURE.md"] {
    try files.copyItem(atPath: root + "/" + item, toPath: copy + "/" + item)
  }
  func expect(_ expected: [String], _ situation: String) throws {
    let found = try violations(root: copy)
    guard found == expected else {
      throw Failure(message: "self-test: \(situation)\n  expected: \(expected)\n  found:    \(found)")
    }
  }
  func plant(_ text: String, at path: String) throws {
    try files.createDirectory(
      atPath: (copy + "/" + path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try text.write(toFile: copy + "/" + path, atomically: true, encoding: .utf8)
  }

  try expect([], "the tree as it is")

  let planted = "Sources/ObjectModel/Planted.swift"
  try plant("import Foundation\n/* import Dispatch\nimport Yams */\n\npublic import SQLite\n", at: planted)
  try expect(["\(planted):5: ObjectModel may not import SQLite (boundary table)"], "an import across a boundary")
  try plant("let text = \"\"\"\n  import SQLite\n  \"\"\"  // import SQLite\n", at: planted)
  try expect([], "imports in comments and strings")
  try files.removeItem(atPath: copy + "/" + planted)

  let test = "Tests/ObjectModelTests/Planted.swift"
  try plant("import Testing\n@testable import ImportEngine\n", at: test)
  try expect(
    ["\(test):2: ObjectModelTests imports ImportEngine without a dependency in Package.swift"],
    "an import without a dependency")
  try files.removeItem(atPath: copy + "/" + test)

  for path in ["Sources/SQLitePages/Planted.swift", "Tests/SQLitePagesTests/Planted.swift"] {
    try plant("#if canImport(Glibc)\n  import Glibc\n#endif\n", at: path)
    try expect(["\(path):2: only Platform imports the C library (Glibc)"], "the C library in \(path)")
    try files.removeItem(atPath: copy + "/" + path)
  }

  let manifest = try read(copy + "/Package.swift")
  let honest = "name: \"SeedFormats\", dependencies: [\"CZlib\""
  try plant(manifest.replacingOccurrences(of: honest, with: honest + ", \"CSQLite\""), at: "Package.swift")
  let line =
    (manifest.split(separator: "\n", omittingEmptySubsequences: false).firstIndex { $0.contains(honest) } ?? -1) + 1
  try expect(
    [
      "Package.swift:\(line): SeedFormats depends on CSQLite, which the boundary table does not grant",
      "Package.swift:\(line): SeedFormats depends on CSQLite and does not import it",
    ], "a dependency across a boundary")
}

// MARK: - Main

do {
  let script = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
  let root = script.deletingLastPathComponent().deletingLastPathComponent().path
  switch Array(CommandLine.arguments.dropFirst()) {
  case []:
    let found = try violations(root: root)
    for violation in found { print(violation) }
    exit(found.isEmpty ? 0 : 1)
  case ["--self-test"]:
    try selfTest(root: root)
  default:
    throw Failure(message: "usage: scripts/check-imports [--self-test]")
  }
} catch let failure as Failure {
  FileHandle.standardError.write(Data("check-imports: \(failure.message)\n".utf8))
  exit(2)
}
