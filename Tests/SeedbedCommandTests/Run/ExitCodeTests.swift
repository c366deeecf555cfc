import Foundation
import TestSupport
import Testing

/// Exit codes where the system, not the data, is at fault.
@Suite("Exit codes of failed input and output")
struct ExitCodeTests {
  /// Runs a shell command in which `"$0"` is the tool.
  private func shell(_ command: String, in workspace: Workspace) async throws -> Tool.Outcome {
    try await Tool.run(["-c", command, Tool.path], in: workspace.folder, executable: "/bin/sh")
  }

  private static let printing = [
    "run items.yaml", "run --json items.yaml", "lint --json items.yaml", "copy --replace Shop.sqlite Copy.sqlite",
    "check --model Shop.xcdatamodeld Shop.sqlite", "check --json --model Shop.xcdatamodeld Shop.sqlite",
    "inspect Shop.sqlite", "inspect --json Shop.xcdatamodeld", "inspect --er - Shop.xcdatamodeld", "schema",
    "generate --force Shop.xcdatamodeld out", "export --model Shop.xcdatamodeld --entity Item Shop.sqlite", "--help",
    "help run", "--version",
  ]

  @Test(
    "a full device as standard output is 74, with a message",
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
    arguments: printing)
  func fullDevice(words: String) async throws {
    let workspace = try await Workspace.withItems()
    let outcome = try await shell("exec \"$0\" \(words) >/dev/full", in: workspace)
    #expect(outcome.exitCode == 74)
    #expect(outcome.talk.contains("error: "))
    #expect(outcome.talk.contains("No space left on device"))
  }

  @Test("a reader that goes away ends the tool quietly, as it ends other programs", arguments: printing)
  func closedPipe(words: String) async throws {
    let workspace = try await Workspace.withItems()
    // The reader has opened the other end of the pipe and is gone when the tool begins.
    let script = "mkfifo gone; true <gone & exec 3>gone; wait; \"$0\" \(words) >&3 2>talk; echo $? >code"
    let outcome = try await shell(script, in: workspace)
    #expect(outcome.exitCode == 0)
    #expect(try workspace.text("code") == "141\n")
    // What goes to standard error before the output does not belong to an error.
    #expect(try !workspace.text("talk").contains("error"))
  }

  @Test(
    "a folder as input is 66",
    arguments: [
      "run folder", "lint folder", "check folder", "inspect folder", "copy folder x", "export folder --entity Item",
      "dump folder x", "check --model Shop.xcdatamodeld folder",
      "export --model Shop.xcdatamodeld folder --entity Item",
    ])
  func folder(words: String) async throws {
    let workspace = try await Workspace.withItems()
    try FileManager.default.createDirectory(atPath: workspace.path("folder"), withIntermediateDirectories: true)
    let outcome = try await Tool.run(words.split(separator: " ").map(String.init), in: workspace.folder)
    #expect(outcome.exitCode == 66, "\(outcome.talk)")
    #expect(!outcome.talk.isEmpty)
  }

  @Test("a limit to the size of files is 74, and the store stays")
  func fileSizeLimit() async throws {
    let workspace = try await Workspace.withItems()
    let store = try workspace.bytes("Shop.sqlite")
    let names = try workspace.names()
    try workspace.write("items.csv", "id,name\n" + (0..<20_000).map { "i\($0),some name of it\n" }.joined())
    // The shell's unit is 512 or 1,024 bytes.
    for words in ["run items.yaml", "copy --replace Shop.sqlite Copy.sqlite"] {
      let limit = words.hasPrefix("run") ? 200 : 8
      let outcome = try await shell("ulimit -f \(limit); exec \"$0\" \(words) >/dev/null", in: workspace)
      #expect(outcome.exitCode == 74, "\(outcome.talk)")
      #expect(outcome.talk.contains("error: "))
    }
    #expect(try workspace.bytes("Shop.sqlite") == store)
    #expect(try Set(workspace.names()).subtracting(names).isEmpty)
  }

  // Elsewhere the limit counts processes.
  #if os(Linux)
    @Test(
      "where not one thread can be made, that is 74 after some seconds, and the store stays",
      .enabled(if: Tool.unprivilegedCommand != nil, "the superuser has no such limit, and cannot be another user here"))
    func noThread() async throws {
      let workspace = try await Workspace.withItems()
      let store = try workspace.bytes("Shop.sqlite")
      try UnprivilegedUser.own(workspace.folder)
      // Shells differ in the letter.
      let script = "ulimit -p 1 2>/dev/null || ulimit -u 1; exec \"$0\" run items.yaml"
      let command = try #require(Tool.unprivilegedCommand) + ["/bin/sh", "-c", script, Tool.path]
      let outcome = try await Tool.run(Array(command.dropFirst()), in: workspace.folder, executable: command[0])
      #expect(outcome.exitCode == 74, "\(outcome.talk)")
      #expect(outcome.talk.contains("no more threads can be made"), "\(outcome.talk)")
      #expect(try workspace.bytes("Shop.sqlite") == store)
    }
  #endif

  @Test("a limit to open files is 74, and the store stays")
  func openFileLimit() async throws {
    let workspace = try await Workspace.withItems()
    let store = try workspace.bytes("Shop.sqlite")
    try workspace.write("items.csv", "id,name\na,B\n")
    var failures = 0
    for limit in 4...18 {
      let outcome = try await shell("ulimit -n \(limit); exec \"$0\" run items.yaml", in: workspace)
      // Where the files suffice, it succeeds.
      if outcome.exitCode == 0 { continue }
      failures += 1
      #expect(outcome.exitCode == 74, "\(limit): \(outcome.talk)")
      #expect(outcome.talk.contains("error: "), "\(limit): \(outcome.talk)")
      #expect(try workspace.bytes("Shop.sqlite") == store)
    }
    #expect(failures > 0)
  }

  @Test("too few open files are told before anything begins, and a soft limit is raised", arguments: printing)
  func fewOpenFiles(words: String) async throws {
    let workspace = try await Workspace.withItems()
    let few = try await shell("ulimit -n 4; exec \"$0\" \(words)", in: workspace)
    #expect(few.exitCode == 74, "\(few.talk)")
    #expect(few.output.isEmpty && few.talk.contains("at least 12 are needed") && few.talk.contains("ulimit -n"))
    let soft = try await shell("ulimit -S -n 4; exec \"$0\" \(words)", in: workspace)
    #expect(soft.exitCode == 0, "\(soft.talk)")
  }

  @Test(
    "a full device under an export is named as standard output",
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")), arguments: ["-", "/dev/stdout"])
  func fullExport(output: String) async throws {
    let workspace = try await Workspace.withItems()
    let outcome = try await shell(
      "exec \"$0\" export --model Shop.xcdatamodeld --entity Item --output \(output) Shop.sqlite >/dev/full",
      in: workspace)
    #expect(outcome.exitCode == 74)
    #expect(outcome.talk == "error: cannot write to standard output: No space left on device\n")
  }

  #if os(Linux)
    @Test("the end of memory is 74 with a message, and the store stays")
    func outOfMemory() async throws {
      let workspace = try await Workspace.withItems()
      let store = try workspace.bytes("Shop.sqlite")
      // With less, the system cannot even load the program, and says so by 127.
      var kibibytes = 96 << 10
      var outcome: Tool.Outcome
      repeat {
        kibibytes += 16 << 10
        try #require(kibibytes < 4 << 20)
        outcome = try await Tool.run(["run", "items.yaml"], in: workspace.folder, memoryLimitKibibytes: kibibytes)
      } while outcome.exitCode == 127
      #expect(outcome.exitCode == 74, "\(outcome)")
      #expect(outcome.talk.contains("error: out of memory"))
      #expect(try workspace.bytes("Shop.sqlite") == store)
    }
  #endif

  @Test(
    "a store whose own model is damaged is 65",
    arguments: ["export Shop.sqlite --entity Item", "dump Shop.sqlite out", "generate Shop.sqlite out"])
  func damagedCachedModel(words: String) async throws {
    let workspace = try await Workspace.withItems()
    try workspace.execute("Shop.sqlite", "DELETE FROM Z_MODELCACHE; INSERT INTO Z_MODELCACHE VALUES (x'4bffff')")
    let outcome = try await Tool.run(words.split(separator: " ").map(String.init), in: workspace.folder)
    #expect(outcome.exitCode == 65, "\(outcome.talk)")
  }
}
