import Foundation
import Platform
import SQLite
import Testing

private func makeFIFO(_ path: String) throws {
  guard unsafe mkfifo(path, 0o600) == 0 else { throw ChildProcess.Failure(message: "no FIFO at \(path)") }
}

/// What is at the path of a result and is no earlier result of its kind stays as it is.
@Suite("Paths of results")
struct ResultPathTests {
  /// What writes to `out/result`, as a name in the workspace.
  enum Kind: String, CaseIterable {
    case store, changedStore, seededStore, csv, ndjson, rejects, copy, exportCommand, compressedExport, dump, svg
    case mermaid

    /// With the ending that the command wants.
    var target: String {
      switch self {
      case .store, .changedStore, .seededStore, .copy: "out/result.sqlite"
      case .csv, .rejects, .exportCommand: "out/result.csv"
      case .ndjson: "out/result.ndjson"
      case .compressedExport: "out/result.csv.gz"
      case .dump: "out/result"
      case .svg: "out/result.svg"
      case .mermaid: "out/result.mmd"
      }
    }

    var isStore: Bool { [.store, .changedStore, .seededStore, .copy].contains(self) }

    func arguments(_ workspace: Workspace) throws -> [String] {
      func pipeline(_ store: String, _ more: String = "", rejects: String = "limit: 5") throws -> [String] {
        let yaml = ItemPipeline(map: ["identifier: id", "name: name"], rejects: rejects, more: more).yaml
        try workspace.write(
          "run.yaml", yaml.replacingOccurrences(of: "path: Shop.sqlite, replace: always", with: store))
        return ["run", "--quiet", "run.yaml"]
      }
      switch self {
      case .store: return try pipeline("path: \(target)")
      case .changedStore: return try pipeline("path: \(target), replace: when-changed")
      case .seededStore: return try pipeline("path: \(target), seed: Shop.sqlite")
      case .csv, .ndjson: return try pipeline("path: Other.sqlite", "export: [{ entity: Item, to: \(target) }]")
      case .rejects:
        try workspace.write("items.csv", "id,name\na,A\nb,\n")
        return try pipeline("path: Other.sqlite", rejects: "file: \(target), limit: 5")
      case .copy: return ["copy", "--quiet", "--replace", "Shop.sqlite", target]
      case .exportCommand, .compressedExport:
        return ["export", "--quiet", "Shop.sqlite", "--entity", "Item", "--model", "Shop.xcdatamodeld"]
          + ["--columns", "identifier,name", "--output", target]
      case .dump: return ["dump", "--quiet", "Shop.sqlite", target, "--model", "Shop.xcdatamodeld"]
      case .svg, .mermaid: return ["inspect", "Shop.sqlite", "--model", "Shop.xcdatamodeld", "--er", target]
      }
    }
  }

  /// What is in the way.
  enum Obstacle: String, CaseIterable {
    case text, database, appStore, truncatedStore, folder, fifo, socket, brokenLink
    case input, linkToInput, hardLinkToInput, hardLinkToModel

    func put(at target: String, in workspace: Workspace) throws {
      let path = workspace.path(target)
      switch self {
      case .text: try workspace.write(target, "a letter\nof mine\n")
      case .database:
        let connection = try Connection(path: path, options: .init(createsFile: true))
        try connection.execute("CREATE TABLE NOTES (TEXT); INSERT INTO NOTES VALUES ('mine')")
        try connection.close()
      case .appStore:
        try workspace.write(target, workspace.bytes("App.sqlite"))
      case .truncatedStore: try workspace.write(target, Array(workspace.bytes("App.sqlite").prefix(5000)))
      case .folder: try workspace.write(target + "/keep.txt", "mine")
      case .fifo: try makeFIFO(path)
      case .socket: try makeSocket(path)
      case .brokenLink:
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "nowhere")
      case .input: break
      case .linkToInput:
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "../items.csv")
      case .hardLinkToInput: try FileManager.default.linkItem(atPath: workspace.path("Shop.sqlite"), toPath: path)
      case .hardLinkToModel:
        try FileManager.default.linkItem(
          atPath: workspace.path("Shop.xcdatamodeld/Shop.xcdatamodel/contents"), toPath: path)
      }
    }

    private func makeSocket(_ path: String) throws {
      #if canImport(Glibc)
        let descriptor = Platform.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      #else
        let descriptor = Platform.socket(AF_UNIX, SOCK_STREAM, 0)
      #endif
      defer { close(descriptor) }
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      // Addresses of sockets are short: it is made elsewhere and moved.
      let short = FileManager.default.temporaryDirectory.appendingPathComponent("s-\(UUID().uuidString.prefix(8))").path
      let bytes = Array(short.utf8)
      unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes.prefix($0.count - 1)) }
      let size = socklen_t(MemoryLayout<sockaddr_un>.size)
      let result = unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, size) }
      }
      #expect(result == 0)
      try FileManager.default.moveItem(atPath: short, toPath: path)
    }
  }

  /// Kind, inode, bytes, and where a link leads; for a folder all that is in it.
  private func state(_ name: String, in workspace: Workspace) throws -> [String] {
    let path = workspace.path(name)
    var info = stat()
    guard unsafe lstat(path, &info) == 0 else { return ["nothing"] }
    var state = ["\(name) \(info.st_mode) \(info.st_ino) \(info.st_size)"]
    switch info.st_mode & S_IFMT {
    case S_IFREG: state.append(Data(try workspace.bytes(name)).base64EncodedString())
    case S_IFLNK: state.append(try FileManager.default.destinationOfSymbolicLink(atPath: path))
    case S_IFDIR:
      for inner in try workspace.names(in: name) { state += try self.state(name + "/" + inner, in: workspace) }
    default: break
    }
    return state
  }

  /// A workspace with a model, a source, a store made here and one that an app made.
  private func workspace() async throws -> Workspace {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", "id,name\na,A\nb,B\n")
    try ItemPipeline(map: ["identifier: id", "name: name"]).write(to: workspace)
    #expect(try await workspace.run("run", "--quiet", "items.yaml").exitCode == 0)
    try workspace.write("App.sqlite", workspace.bytes("Shop.sqlite"))
    try forgetOrigin(workspace.path("App.sqlite"))
    try FileManager.default.createDirectory(at: workspace.url("out"), withIntermediateDirectories: true)
    return workspace
  }

  /// Makes a store one that an app made: without the key.
  private func forgetOrigin(_ path: String) throws {
    let connection = try Connection(path: path)
    try connection.execute(
      "UPDATE Z_METADATA SET Z_PLIST = replace(Z_PLIST, CAST('SeedbedInputDigest' AS BLOB), CAST('SomeoneElsesDigest' AS BLOB))"
    )
    // `replace` gives text, whatever it is given.
    try connection.execute("UPDATE Z_METADATA SET Z_PLIST = CAST(Z_PLIST AS BLOB)")
    try connection.close()
  }

  @Test("what is no earlier result stays, to the byte and the inode", arguments: Kind.allCases)
  func refused(kind: Kind) async throws {
    let fresh = try await workspace()
    for obstacle in Obstacle.allCases {
      let workspace = fresh
      for name in try workspace.names(in: "out") {
        try FileManager.default.removeItem(at: workspace.url("out/" + name))
      }
      // The links are to what this kind reads.
      if obstacle == .linkToInput, kind == .copy || kind == .dump || kind == .svg || kind == .mermaid { continue }
      if obstacle == .linkToInput, kind == .exportCommand || kind == .compressedExport { continue }
      if obstacle == .hardLinkToInput, ![.copy, .seededStore, .dump, .exportCommand, .svg].contains(kind) { continue }
      if obstacle == .hardLinkToModel, kind == .copy { continue }
      if obstacle == .input { continue }
      try obstacle.put(at: kind.target, in: workspace)
      let arguments = try kind.arguments(workspace)
      // A FIFO that an export is to be written to is written to.
      if obstacle == .fifo, [.csv, .ndjson, .exportCommand, .compressedExport].contains(kind) { continue }
      let before = try state("out", in: workspace)
      let inputs = try ["items.csv", "Shop.sqlite", "Shop.xcdatamodeld"].flatMap { try state($0, in: workspace) }
      for more in [[], ["--force"]] {
        let isLost = more == ["--force"] && [.text, .database, .appStore, .truncatedStore].contains(obstacle)
        if isLost, kind != .dump { continue }
        let outcome = try await Tool.run(arguments + more, in: workspace.folder)
        #expect(outcome.exitCode == 73, "\(kind) \(obstacle) \(more): \(outcome.talk)")
        #expect(outcome.talk.contains("result"), "\(kind) \(obstacle): \(outcome.talk)")
        #expect(try state("out", in: workspace) == before, "\(kind) \(obstacle) \(more)")
      }
      #expect(
        try ["items.csv", "Shop.sqlite", "Shop.xcdatamodeld"].flatMap { try state($0, in: workspace) } == inputs,
        "\(kind) \(obstacle)")
      #expect(!workspace.exists("Other.sqlite"))
    }
  }

  @Test(
    "with --force a file that is no earlier result is replaced, and an earlier result without", arguments: Kind.allCases
  )
  func replaced(kind: Kind) async throws {
    let workspace = try await workspace()
    if kind != .dump {
      for obstacle in [Obstacle.text, .database, .appStore] {
        try? FileManager.default.removeItem(at: workspace.url(kind.target))
        try obstacle.put(at: kind.target, in: workspace)
        let outcome = try await Tool.run(kind.arguments(workspace) + ["--force"], in: workspace.folder)
        #expect(outcome.exitCode == (kind == .rejects ? 1 : 0), "\(kind) \(obstacle): \(outcome.talk)")
        if obstacle == .database, kind.isStore {
          #expect(try workspace.query(kind.target, "SELECT count(*) FROM ZITEM") == ["2"])
        }
      }
    }
    for _ in 0..<2 {
      let outcome = try await Tool.run(
        kind.arguments(workspace) + (kind == .dump ? ["--force"] : []), in: workspace.folder)
      #expect(outcome.exitCode == (kind == .rejects ? 1 : 0), "\(kind): \(outcome.talk)")
    }
    #expect(try workspace.names(in: "out") == [String(kind.target.dropFirst(4))])
    // An empty file has nothing that could be lost.
    if kind != .dump {
      try workspace.write(kind.target, "")
      #expect(try await Tool.run(kind.arguments(workspace), in: workspace.folder).exitCode <= 1)
    }
  }

  @Test("an import into an app's store leaves it the app's")
  func appStore() async throws {
    let workspace = try await workspace()
    let yaml = try workspace.text("items.yaml")
    func run(_ store: String) async throws -> Int32 {
      try workspace.write(
        "run.yaml", yaml.replacingOccurrences(of: "path: Shop.sqlite, replace: always", with: store))
      return try await workspace.run("run", "--quiet", "run.yaml").exitCode
    }
    try workspace.write("items.csv", "id,name\nc,C\n")
    #expect(try await run("path: App.sqlite, replace: never") == 0)
    #expect(try workspace.query("App.sqlite", "SELECT count(*) FROM ZITEM") == ["3"])
    let bytes = try workspace.bytes("App.sqlite")
    for replace in ["always", "when-changed"] { #expect(try await run("path: App.sqlite, replace: \(replace)") == 73) }
    #expect(try workspace.bytes("App.sqlite") == bytes)
    #expect(try await run("path: App.sqlite, replace: never") == 0)
    // A copy is a result, whatever it was copied from.
    #expect(try await workspace.run("copy", "App.sqlite", "copy.sqlite").exitCode == 0)
    #expect(try await workspace.run("copy", "--replace", "App.sqlite", "copy.sqlite").exitCode == 0)
    #expect(try await run("path: copy.sqlite") == 0)
  }

  @Test("a symbolic link to a result stays, and what it leads to is replaced")
  func links() async throws {
    let workspace = try await workspace()
    try workspace.write("builds/keep.txt", "")
    for (link, kind) in [
      ("out/result.sqlite", Kind.store), ("out/result.csv", .csv), ("out/result.csv", .exportCommand),
    ] {
      let name = String(link.dropFirst(4))
      #expect(try await Tool.run(kind.arguments(workspace), in: workspace.folder).exitCode == 0)
      try FileManager.default.moveItem(at: workspace.url(link), to: workspace.url("builds/" + name))
      try FileManager.default.createSymbolicLink(
        atPath: workspace.path(link), withDestinationPath: "../builds/" + name)
      try workspace.write("items.csv", "id,name\nz,Z\n")
      let outcome = try await Tool.run(kind.arguments(workspace), in: workspace.folder)
      #expect(outcome.exitCode == 0, "\(outcome.talk)")
      #expect(
        try FileManager.default.destinationOfSymbolicLink(atPath: workspace.path(link)) == "../builds/" + name)
      #expect(try workspace.names(in: "out") == [name])
      try FileManager.default.removeItem(at: workspace.url(link))
      try FileManager.default.removeItem(at: workspace.url("builds/" + name))
    }
  }

  @Test("a FIFO or a device is written to as it is", arguments: ["run", "export"])
  func streams(command: String) async throws {
    let workspace = try await workspace()
    try makeFIFO(workspace.path("out/fifo"))
    func arguments(_ target: String) throws -> String {
      if command == "export" {
        return
          "export --quiet Shop.sqlite --entity Item --model Shop.xcdatamodeld --columns identifier --output \(target)"
      }
      let export = "export: [{ entity: Item, to: \(target), format: csv, columns: [identifier] }]"
      let yaml = ItemPipeline(map: ["identifier: id", "name: name"], more: export).yaml
      try workspace.write("run.yaml", yaml.replacingOccurrences(of: "path: Shop", with: "path: Other"))
      return "run --quiet --allow-outside run.yaml"
    }
    func shell(_ script: String) async throws -> Tool.Outcome {
      try await Tool.run(["-c", script, Tool.path], in: workspace.folder, executable: "/bin/sh")
    }
    let text = "identifier\na\nb\n"
    var outcome = try await shell("\"$0\" \(arguments("out/fifo")) & cat out/fifo; wait $!")
    #expect(outcome.exitCode == 0 && outcome.text == text, "\(outcome.text) \(outcome.talk)")
    for target in ["/dev/stdout", "/dev/fd/1"] {
      outcome = try await shell("echo before > out/log; \"$0\" \(arguments(target)) >> out/log")
      #expect(outcome.exitCode == 0, "\(outcome.talk)")
      #expect(try workspace.text("out/log") == "before\n" + text)
    }
    outcome = try await shell("\"$0\" \(arguments("/dev/fd/3")) 3>> out/log")
    #expect(outcome.exitCode == 0, "\(outcome.talk)")
    #expect(try workspace.text("out/log") == "before\n" + text + text)
    outcome = try await shell("\"$0\" \(arguments("/dev/null"))")
    #expect(outcome.exitCode == 0, "\(outcome.talk)")
    var info = stat()
    #expect(unsafe lstat("/dev/null", &info) == 0 && info.st_mode & S_IFMT == S_IFCHR)
    #expect(try workspace.names(in: "out") == ["fifo", "log"])
  }

  @Test("a folder or lock that is not ours is neither removed nor written through", arguments: Kind.allCases)
  func besides(kind: Kind) async throws {
    let workspace = try await workspace()
    try workspace.write("notes.txt", "123\n")
    let locks = [Kind.store, .changedStore, .seededStore].contains(kind) ? ["link", "hard", "text", "fifo"] : []
    for way in ["folder", "file", "empty link", "marked link"] + locks {
      for name in try workspace.names(in: "out") {
        try FileManager.default.removeItem(at: workspace.url("out/" + name))
      }
      let partial = kind.target + ".partial"
      let lock = kind.target + ".lock"
      switch way {
      case "folder": try workspace.write(partial + "/thesis.txt", "mine")
      case "file": try workspace.write(partial, "mine")
      case "empty link", "marked link":
        try workspace.write(
          "elsewhere/" + (way == "marked link" ? ".seedbed" : "mine.txt"), "Seedbed makes a result here.")
        try FileManager.default.createSymbolicLink(
          atPath: workspace.path(partial), withDestinationPath: workspace.path("elsewhere"))
      case "link":
        try FileManager.default.createSymbolicLink(atPath: workspace.path(lock), withDestinationPath: "../notes.txt")
      case "hard": try FileManager.default.linkItem(atPath: workspace.path("notes.txt"), toPath: workspace.path(lock))
      case "text": try workspace.write(lock, "a lock of mine\n")
      default: try makeFIFO(workspace.path(lock))
      }
      let before = try state("out", in: workspace) + state("notes.txt", in: workspace)
      let outcome = try await Tool.run(try kind.arguments(workspace), in: workspace.folder)
      #expect(outcome.exitCode == 73, "\(kind) \(way): \(outcome.talk)")
      #expect(outcome.talk.contains("move it away"), "\(kind) \(way): \(outcome.talk)")
      #expect(try state("out", in: workspace) + state("notes.txt", in: workspace) == before, "\(kind) \(way)")
    }
    // An empty folder may be what a killed run left; it is used, and stays.
    for name in try workspace.names(in: "out") { try FileManager.default.removeItem(at: workspace.url("out/" + name)) }
    try FileManager.default.createDirectory(
      at: workspace.url(kind.target + ".partial"), withIntermediateDirectories: true)
    let before = try state(kind.target + ".partial", in: workspace)
    #expect(try await Tool.run(kind.arguments(workspace), in: workspace.folder).exitCode <= 1)
    #expect(
      try state(kind.target + ".partial", in: workspace)[0].split(separator: " ")[2]
        == before[0].split(separator: " ")[2])
  }

  @Test("no result is another one, a log of the store, or a file of the run under another name")
  func places() async throws {
    let workspace = try await workspace()
    try workspace.write("out/a.csv", "identifier,name\n")
    try FileManager.default.linkItem(atPath: workspace.path("out/a.csv"), toPath: workspace.path("out/b.csv"))
    try FileManager.default.createSymbolicLink(atPath: workspace.path("out/c.csv"), withDestinationPath: "a.csv")
    func export(_ names: String...) -> String {
      "export: ["
        + names.map { "{ entity: Item, to: \"\($0)\", format: csv, columns: [identifier, name] }" }
        .joined(separator: ", ") + "]"
    }
    for more in [
      export("out/a.csv", "out/b.csv"), export("out/a.csv", "out/c.csv"), export("out/d.csv", "out/./d.csv"),
      export("Other.sqlite-wal"), export("Other.sqlite.lock"), export("Other.sqlite.partial/x.csv"),
      export("Shop.xcdatamodeld/x.csv"), export("run.txt"), export("Other.sqlite"),
    ] {
      let yaml = ItemPipeline(map: ["identifier: id", "name: name"], more: more).yaml
      try workspace.write("run.txt", yaml.replacingOccurrences(of: "path: Shop", with: "path: Other"))
      let before = try state("", in: workspace)
      let outcome = try await workspace.run("run", "--force", "run.txt")
      // A name that says SQLite is a mistake of the pipeline already.
      #expect(outcome.exitCode == (more == export("Other.sqlite") ? 78 : 73), "\(more): \(outcome.talk)")
      #expect(try state("", in: workspace) == before, "\(more)")
    }
  }
}
