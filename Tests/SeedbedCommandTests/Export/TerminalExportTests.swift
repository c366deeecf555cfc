import Foundation
import Platform
import Testing

#if os(Linux)
  /// What an export shows on a terminal, and what it writes elsewhere.
  @Suite("Exports to a terminal")
  struct TerminalExportTests {
    private static let name = "x\u{1B}[31my\u{7F}\u{9B}2J\u{202E}ü\u{2066}z"

    private func workspace(_ strategy: String = "automatic") async throws -> Workspace {
      let workspace = try Workspace.withModel()
      try workspace.write("items.csv", "id,name\na,\(Self.name)\n")
      try ItemPipeline(map: ["identifier: id", "name: name"]).write(to: workspace)
      #expect(try await workspace.run("run", "items.yaml").exitCode == 0)
      return workspace
    }

    /// Runs the tool with a terminal as standard output.
    private func onTerminal(_ words: [String], in workspace: Workspace) async throws -> (exitCode: Int32, text: String)
    {
      let main = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY)
      try #require(main >= 0)
      defer { close(main) }
      // TIOCSPTLCK and TIOCGPTN, whose macros Swift cannot read: unlock the other side, and ask for its number.
      var isLocked: Int32 = 0
      var number: UInt32 = 0
      try #require(unsafe ioctl(main, 0x4004_5431, &isLocked) == 0 && ioctl(main, 0x8004_5430, &number) == 0)
      let path = "/dev/pts/\(number)"
      // Kept open, so that nothing is lost when the tool ends first.
      let other = unsafe open(path, O_RDWR | O_NOCTTY)
      defer { close(other) }
      try workspace.write("in", "")
      try workspace.write("talk", "")
      let child = try ChildProcess(
        path: Tool.path, arguments: words, environment: ProcessInfo.processInfo.environment,
        folder: workspace.folder.path, files: [workspace.path("in"), path, workspace.path("talk")])
      let exitCode = await child.exitCode()
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 4096)
      _ = fcntl(main, F_SETFL, O_NONBLOCK)
      while true {
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(main, $0.baseAddress, $0.count) }
        guard count > 0 else { break }
        bytes += buffer.prefix(count)
      }
      return (exitCode, String(decoding: bytes, as: UTF8.self).replacingOccurrences(of: "\r\n", with: "\n"))
    }

    @Test(
      "a terminal is shown CSV with such characters written out, and a pipe gets the bytes",
      arguments: ["-", "/dev/stdout"])
    func csv(output: String) async throws {
      let workspace = try await workspace()
      let words = [
        "export", "--quiet", "--model", "Shop.xcdatamodeld", "--entity", "Item", "--columns", "identifier,name",
        "--output", output, "Shop.sqlite",
      ]
      let shown = try await onTerminal(words, in: workspace)
      #expect(shown.exitCode == 0)
      #expect(
        shown.text == "identifier,name\na,x\\u{1b}[31my\\u{7f}\\u{9b}2J\\u{202e}ü\\u{2066}z\n")
      let piped = try await Tool.run(words, in: workspace.folder)
      #expect(piped.text == "identifier,name\na,\(Self.name)\n")
    }

    @Test("a terminal is shown JSON that is still JSON")
    func ndjson() async throws {
      let workspace = try await workspace()
      let words = [
        "export", "--quiet", "--model", "Shop.xcdatamodeld", "--entity", "Item", "--columns", "name", "--format",
        "ndjson", "Shop.sqlite",
      ]
      let shown = try await onTerminal(words, in: workspace)
      #expect(shown.exitCode == 0)
      #expect(shown.text == "{\"name\":\"x\\u001b[31my\\u007f\\u009b2J\\u202eü\\u2066z\"}\n")
    }

    @Test("an export of a pipeline is shown like that of the command")
    func pipeline() async throws {
      let workspace = try await workspace()
      try workspace.write(
        "items.yaml",
        workspace.text("items.yaml") + "\nexport: [{ entity: Item, to: \"-\", format: csv, columns: [name] }]\n")
      let shown = try await onTerminal(["run", "--quiet", "items.yaml"], in: workspace)
      #expect(shown.exitCode == 0)
      #expect(shown.text.contains("name\nx\\u{1b}[31my"), "\(shown.text)")
      #expect(!shown.text.contains("\u{202E}"))
    }
  }
#endif
