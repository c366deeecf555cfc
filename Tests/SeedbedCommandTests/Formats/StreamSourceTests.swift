import Foundation
import Platform
import Testing

/// Sources that can be read only once: standard input, FIFOs, devices.
@Suite("Streams as sources")
struct StreamSourceTests {
  private static let text = "id,name\na,Apple\nb,Banana\na,Avocado\n"
  private static let map = ["identifier: id", "name: name"]

  private func workspace(_ pipelines: ItemPipeline...) throws -> Workspace {
    let workspace = try Workspace.withModel()
    for pipeline in pipelines { try pipeline.write(to: workspace) }
    return workspace
  }

  private func makeFIFO(_ name: String, in workspace: Workspace) {
    #expect(unsafe mkfifo(workspace.path(name), 0o600) == 0)
  }

  /// Runs a script with the tool as `$0`.
  private func shell(
    _ script: String, in workspace: Workspace, _ whileRunning: ((ChildProcess) async throws -> Void)? = nil
  )
    async throws -> Tool.Outcome
  {
    try await Tool.run(
      ["-c", script, Tool.path], in: workspace.folder, executable: "/bin/bash", whileRunning: whileRunning)
  }

  private func names(_ workspace: Workspace) throws -> [String] {
    try workspace.query("Shop.sqlite", "SELECT ZIDENTIFIER, ZNAME FROM ZITEM ORDER BY Z_PK")
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var source: String
    var script: String
    var testDescription: String { script }
  }

  static let cases = [
    Case(source: "feed.csv", script: "cat data > feed.csv & exec \"$0\" run p --allow-outside"),
    Case(source: "feed.csv", script: "gzip -c data > feed.csv & exec \"$0\" run p --allow-outside"),
    Case(
      source: "feed.csv",
      script: "(head -c 9 data; tail -c +10 data) > feed.csv & exec \"$0\" run p --allow-outside"),
    Case(source: "{ path: \"-\", format: csv }", script: "cat data | \"$0\" run p --allow-outside"),
    Case(source: "{ path: \"-\", format: csv }", script: "gzip -c data | \"$0\" run p --allow-outside"),
    Case(source: "{ path: \"-\", format: csv }", script: "exec \"$0\" run p --allow-outside < data"),
    Case(source: "{ path: /dev/stdin, format: csv }", script: "cat data | \"$0\" run p"),
    Case(
      // The writer is gone before the tool begins.
      source: "{ path: /dev/stdin, format: csv }",
      script: "exec 9< <(cat data); wait $!; \"$0\" run p --allow-outside <&9"),
    Case(source: "{ path: /dev/stdin, format: csv }", script: "exec \"$0\" run p --allow-outside < data"),
    Case(source: "{ path: /dev/fd/63, format: csv }", script: "exec \"$0\" run p --allow-outside 63< <(cat data)"),
    Case(source: "{ path: \"${FEED}\", format: csv }", script: "f() { FEED=\"$1\" \"$0\" run p; }; f <(gzip -c data)"),
  ]

  @Test("are read once, also by a step that reads its source twice", arguments: cases)
  func once(stream: Case) async throws {
    for settings in [["duplicates: last"], ["strategy: find-or-create"]] {
      var pipeline = ItemPipeline(source: stream.source, settings: settings, map: Self.map)
      pipeline.rejects = "limit: 0"
      let workspace = try workspace(pipeline)
      try workspace.write("data", Self.text)
      if stream.source == "feed.csv" { makeFIFO("feed.csv", in: workspace) }
      try workspace.write("p", try workspace.text("items.yaml"))
      let outcome = try await shell(stream.script, in: workspace)
      #expect(outcome.exitCode == 0, "\(outcome.talk)")
      #expect(try Set(names(workspace)) == ["a|Avocado", "b|Banana"])
      #expect(try workspace.names().filter { $0.contains("partial") || $0.contains("lock") } == [])
    }
  }

  @Test("a pipeline itself is read from a file, because its paths are relative to it")
  func pipelineOutOfPipe() async throws {
    let workspace = try workspace(ItemPipeline(source: "items.csv", map: Self.map))
    let outcome = try await shell("f() { \"$0\" run \"$1\"; }; f <(cat items.yaml)", in: workspace)
    #expect(outcome.exitCode == 66)
    #expect(outcome.talk.contains("a pipeline is read from a file"), "\(outcome.talk)")
  }

  @Test("a stream of two steps is read once, by whatever name")
  func shared() async throws {
    for second in ["feed.csv", "link.csv"] {
      var pipeline = ItemPipeline(source: "feed.csv", map: Self.map)
      pipeline.more = """
          - from: \(second)
            entity: Tag
            match: name
            map: { name: name }
        """
      let workspace = try workspace(pipeline)
      try workspace.write("data", Self.text)
      makeFIFO("feed.csv", in: workspace)
      try FileManager.default.createSymbolicLink(atPath: workspace.path("link.csv"), withDestinationPath: "feed.csv")
      let outcome = try await shell("cat data > feed.csv & exec \"$0\" run items.yaml", in: workspace)
      #expect(outcome.exitCode == 0, "\(outcome.talk)")
      #expect(
        try workspace.query("Shop.sqlite", "SELECT ZNAME FROM ZTAG ORDER BY ZNAME") == ["Apple", "Avocado", "Banana"])
    }
  }

  @Test("several FIFOs are read side by side, in whatever order they are written to")
  func sideBySide() async throws {
    var pipeline = ItemPipeline(source: "feed.csv", map: Self.map)
    pipeline.more = """
        - from: other.csv
          entity: Tag
          match: name
          map: { name: name }
      """
    let workspace = try workspace(pipeline)
    // More than a pipe holds, so that a process that writes to both must be read from both.
    let text = "id,name\n" + (0..<20_000).map { "key\($0),name \($0)\n" }.joined()
    try workspace.write("data", text)
    for name in ["feed.csv", "other.csv"] { makeFIFO(name, in: workspace) }
    for script in ["cat data | tee other.csv > feed.csv &", "cat data | tee feed.csv > other.csv &"] {
      let outcome = try await shell(script + " exec \"$0\" run items.yaml", in: workspace)
      #expect(outcome.exitCode == 0, "\(outcome.talk)")
      #expect(
        try workspace.query("Shop.sqlite", "SELECT count(*) FROM ZITEM, (SELECT count(*) FROM ZTAG)") == ["20000"])
    }
    // What is wrong with one ends the waiting for the other.
    let outcome = try await shell(
      "printf 'id,name\\na,b\\n' > feed.csv & exec \"$0\" run --max-input 5B items.yaml", in: workspace)
    #expect(outcome.exitCode == 65)
    #expect(outcome.talk.contains("feed.csv: holds more than 5 bytes"), "\(outcome.talk)")
  }

  @Test("standard input that is closed is an error, not whatever is opened next")
  func closed() async throws {
    let workspace = try workspace(ItemPipeline(source: "{ path: \"-\", format: csv }", map: Self.map))
    let before = try workspace.names()
    let outcome = try await shell("exec \"$0\" run items.yaml <&-", in: workspace)
    #expect(outcome.exitCode == 74)
    #expect(outcome.talk.hasPrefix("error: -: cannot be read"), "\(outcome.talk)")
    #expect(try workspace.names() == before)
  }

  @Test("messages name the stream, not where it was kept")
  func messages() async throws {
    let workspace = try workspace(ItemPipeline(source: "feed.csv", map: Self.map))
    makeFIFO("feed.csv", in: workspace)
    let outcome = try await shell("printf 'id,name\\na,\"A\\n' > feed.csv & exec \"$0\" run items.yaml", in: workspace)
    #expect(outcome.exitCode == 65)
    #expect(outcome.talk.hasPrefix("error: feed.csv:2:3: "), "\(outcome.talk)")
  }

  @Test(
    "a signal ends a run that waits for a writer, or for more, and nothing is left behind",
    arguments: [SIGINT, SIGTERM])
  func signals(signal: Int32) async throws {
    let waits: [(source: String, script: String)] = [
      ("feed.csv", "exec \"$0\" run items.yaml"),
      ("feed.csv", "exec 7<> feed.csv; printf 'id,name\\na,' >&7; exec \"$0\" run items.yaml"),
      ("{ path: \"-\", format: csv }", "exec 7<> feed.csv; exec \"$0\" run items.yaml < feed.csv"),
    ]
    for wait in waits {
      let workspace = try workspace(ItemPipeline(source: wait.source, map: Self.map))
      makeFIFO("feed.csv", in: workspace)
      try workspace.write("Shop.sqlite", "")
      try FileManager.default.removeItem(at: workspace.url("Shop.sqlite"))
      let before = try workspace.names()
      let outcome = try await shell(wait.script, in: workspace) { process in
        let isThere = try await process.wait {
          workspace.exists("Shop.sqlite.partial/standard-input")
            || wait.script.hasPrefix("exec \"$0\"") && workspace.exists("Shop.sqlite.partial")
        }
        let isWaiting = try await process.waitUntilIdle()
        #expect(isThere && isWaiting)
        // Twice, as `timeout` does it.
        kill(process.identifier, signal)
        kill(process.identifier, SIGTERM)
      }
      #expect(outcome.exitCode == 130, "\(outcome.talk)")
      #expect(outcome.talk.contains("interrupted"))
      #expect(try workspace.names() == before)
    }
  }

  @Test("what has no end is refused", arguments: ["csv", "ndjson", "json"])
  func endless(format: String) async throws {
    let pipeline = ItemPipeline(source: "{ path: \"-\", format: \(format) }", map: Self.map)
    let workspace = try workspace(pipeline)
    let before = try workspace.names()
    // With line ends it is bounded by size, without by the length of a record.
    let cases = [
      ("yes id,name | \"$0\" run --max-input 3MB items.yaml", "holds more than 3 MB", "--max-input"),
      ("\"$0\" run items.yaml < /dev/zero", "a record is longer than 67108864 bytes", "format"),
    ]
    for (script, says, hint) in cases {
      let outcome = try await shell(script, in: workspace)
      #expect(outcome.exitCode == 65)
      #expect(outcome.talk.hasPrefix("error: -:"), "\(outcome.talk)")
      #expect(outcome.talk.contains(says), "\(outcome.talk)")
      #expect(outcome.talk.contains(hint))
      #expect(try workspace.names() == before)
    }
    #expect(
      try await shell("yes '' | head -c 3000000 | \"$0\" run --max-input 3MB items.yaml", in: workspace).talk.contains(
        "--max-input") == false)
  }

  @Test("lint and a dry run leave a FIFO alone, and say so")
  func untouched() async throws {
    let workspace = try workspace(ItemPipeline(source: "feed.csv", map: Self.map))
    makeFIFO("feed.csv", in: workspace)
    let script = """
      printf 'id,name\\na,Apple\\n' > feed.csv & "$0" lint items.yaml && "$0" run --dry-run items.yaml
      cat feed.csv
      """
    let outcome = try await shell(script, in: workspace)
    #expect(outcome.talk.contains("no problems"))
    #expect(
      outcome.text.contains("feed.csv: not read: a dry run does not read from a FIFO"), "\(outcome.text)\(outcome.talk)"
    )
    #expect(outcome.text.hasSuffix("id,name\na,Apple\n"))
    // Without another end neither waits.
    #expect(try await workspace.run("lint", "items.yaml").exitCode == 0)
    #expect(try await workspace.run("run", "--dry-run", "items.yaml").exitCode == 0)
  }

  @Test(
    "what inflates to more than it may is refused, and text that repeats itself is not",
    arguments: [
      ("--max-inflated=1MB", 65, "more than 1000000 bytes"),
      ("--max-inflated=100:1", 65, "more than 100 times its size"),
      ("--max-inflated=1GB,20:1", 65, "more than 20 times"), ("--max-inflated=3MB,1033:1", 0, ""), ("--quiet", 0, ""),
    ])
  func inflation(argument: String, exitCode: Int32, says: String) async throws {
    let workspace = try workspace(
      ItemPipeline(source: "items.csv.gz", match: "", map: ["identifier: id", "name: name"], rejects: "limit: 0"))
    try workspace.gzip("items.csv.gz", "id,name\n" + String(repeating: "aaaaaaaa,bbbbbbbbbbb\n", count: 140_000))
    try workspace.write(
      "items.yaml",
      try workspace.text("items.yaml").replacingOccurrences(of: "entity: Item", with: "entity: Tag")
        .replacingOccurrences(of: "identifier: id", with: "name: id").replacingOccurrences(
          of: "      name: name\n", with: ""
        )
        .replacingOccurrences(of: "    map:", with: "    match: name\n    map:"))
    let outcome = try await workspace.run("run", argument, "items.yaml")
    #expect(outcome.exitCode == exitCode, "\(outcome.talk)")
    #expect(says.isEmpty || outcome.talk.contains(says))
    #expect(exitCode == 0 || outcome.talk.contains("--max-inflated"))
  }

  @Test(
    "limits that are none are refused",
    arguments: ["--max-input=x", "--max-inflated=0:1", "--max-inflated=1GB,2GB", "--max-inflated="])
  func wrongLimits(argument: String) async throws {
    let workspace = try workspace(ItemPipeline())
    #expect(try await workspace.run("run", argument, "items.yaml").exitCode == 64)
  }
}
