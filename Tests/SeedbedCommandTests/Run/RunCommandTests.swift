import Foundation
import Platform
import Testing

/// `seedbed run` as a program among others: flags, streams, exit codes, signals.
@Suite("The run command")
struct RunCommandTests {
  private static let map = ["identifier: id", "name: name"]

  private func workspace(_ change: (inout ItemPipeline) -> Void = { _ in }) throws -> Workspace {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", "id,name\na,A\nb,B\n")
    var pipeline = ItemPipeline(map: Self.map)
    change(&pipeline)
    try pipeline.write(to: workspace)
    return workspace
  }

  @Test("a dry run does all the work and leaves nothing behind", arguments: [0, 1])
  func dryRun(rejects: Int) async throws {
    let workspace = try Workspace.withModel()
    try workspace.write("items.csv", "id,name\na,A\nb,B\n" + (rejects > 0 ? "c,\n" : ""))
    let earlier = "file,line,column,byteOffset,entity,property,code,value,message,hint,of an earlier run\n"
    try workspace.write("rejects.csv", earlier)
    var pipeline = ItemPipeline(map: Self.map, rejects: "file: rejects.csv, limit: 1")
    pipeline.more = "export: [{ entity: Item, to: exports/items.csv.gz }, { entity: Item, to: \"-\", format: csv }]"
    try pipeline.write(to: workspace)
    try workspace.write(
      "items.yaml", workspace.text("items.yaml").replacingOccurrences(of: "path: Shop", with: "path: build/Shop"))
    let before = try workspace.names()
    let report = try await workspace.report("items.yaml", "--dry-run")
    #expect(report.result == "dry-run")
    #expect(report.exitCode == Int32(rejects))
    #expect(report.total == Report.Counts(read: 2 + rejects, inserted: 2, rejected: rejects))
    #expect(report.exports.map(\.rows) == [2])
    #expect(try workspace.names() == before)
    #expect(try workspace.text("rejects.csv") == earlier)
  }

  @Test("the report says where the time went, stage by stage")
  func stages() async throws {
    let workspace = try workspace { $0.more = "export: [{ entity: Item, to: items-out.csv }]" }
    let report = try await workspace.report("items.yaml")
    let stages = try #require(report.steps.first?.stages)
    #expect(stages.map(\.stage) == ["read", "decode", "write", "index"])
    #expect(stages[0].bytes > 0)
    #expect(stages[1].rows == stages[2].rows)
    #expect(stages[2].rows >= 2)
    #expect(report.stages.map(\.stage) == ["index", "seal", "export"])
    #expect(report.stages.last?.rows == 2)
    for stage in stages + report.stages {
      #expect(stage.workers > 0)
      #expect(stage.busySeconds >= 0 && stage.inputWaitSeconds >= 0 && stage.outputWaitSeconds >= 0)
    }
    #expect(try await !workspace.run("run", "items.yaml").text.contains("waiting for input"))
    let text = try await workspace.run("run", "items.yaml", "--verbose").text
    for word in ["waiting for input", "decode", "seal", "export"] { #expect(text.contains(word)) }
  }

  @Test("a dry run leaves an existing store as it was")
  func dryRunOverStore() async throws {
    let workspace = try workspace()
    #expect(try await workspace.run("run", "items.yaml").exitCode == 0)
    let store = try workspace.bytes("Shop.sqlite")
    try workspace.write("items.csv", "id,name\nc,C\n")
    let outcome = try await workspace.run("run", "--dry-run", "items.yaml")
    #expect(outcome.exitCode == 0)
    #expect(outcome.text.contains("Shop.sqlite was left alone"))
    #expect(try workspace.bytes("Shop.sqlite") == store)
    #expect(try workspace.names().count == 4)
  }

  @Test("the report for people names steps, counts, strategy, and how to look at the store")
  func report() async throws {
    let workspace = try workspace { $0.more = "export: [{ entity: Item, to: items.out.csv }]" }
    let outcome = try await workspace.run("run", "items.yaml")
    #expect(outcome.exitCode == 0)
    #expect(outcome.talk.isEmpty)
    #expect(!outcome.text.contains("\u{1B}"), "no colours outside a terminal")
    for part in [
      "Built Shop.sqlite", "inserted", "strategy \(Tool.forcedStrategy ?? "bulk")", "exported 2 Item to items.out.csv",
      "seedbed inspect Shop.sqlite",
    ] {
      #expect(outcome.text.contains(part), "\(part)")
    }
  }

  @Test("the JSON report adds up and names what was made")
  func json() async throws {
    let workspace = try workspace { $0.more = "export: [{ entity: Item, to: items.out.csv }]" }
    let report = try await workspace.report("items.yaml")
    #expect(report.result == "built")
    #expect(report.store.path.hasSuffix("Shop.sqlite"))
    #expect(report.store.bytes == (try workspace.bytes("Shop.sqlite").count))
    #expect(try workspace.query("Shop.sqlite", "SELECT Z_UUID FROM Z_METADATA") == [report.store.uuid])
    #expect(report.steps.count == 1)
    #expect(report.steps.first?.strategy == Tool.forcedStrategy ?? "bulk")
    #expect(report.steps.first?.counts == report.total)
    #expect(report.total.sum == report.total.read)
    #expect(report.exports.map(\.entity) == ["Item"])
    #expect(report.peakMemoryBytes > 0)
    #expect(report.rejects.isEmpty && report.rejectFiles.isEmpty)
  }

  @Test(
    "an option asks for a strategy where the pipeline states none",
    arguments: ["find-or-create", "upsert", "bulk"])
  func strategy(word: String) async throws {
    let workspace = try workspace {
      $0.more = """
          - { from: items.csv, entity: Item, match: [identifier], strategy: find-or-create, map: { identifier: id, name: name } }
          - { from: items.csv, entity: Item, match: [identifier], map: { identifier: id, name: name } }
          - { from: tags.csv, entity: Tag, map: { name: name } }
        """
    }
    try workspace.write("tags.csv", "name\nx\n")
    let automatic = try await Tool.run(["run", "items.yaml", "--json"], in: workspace.folder)
    let identifier = try JSONDecoder().decode(Report.self, from: Data(automatic.output)).store.uuid
    let report = try await workspace.report("items.yaml", "--strategy", word)
    #expect(report.total.inserted == 3 && report.total.unchanged == 4)
    // Where it cannot be, the report says why.
    #expect(
      report.steps.map(\.strategy) == [
        word, "find-or-create", word == "bulk" ? "upsert" : word, "find-or-create",
      ])
    #expect(report.steps[0].reason.hasPrefix("as asked for"))
    #expect(report.steps[1].reason == "as stated")
    if word == "bulk" {
      #expect(
        report.steps[2].reason == "match is a uniqueness constraint; not bulk as asked for: Item already has rows")
    }
    if word != "find-or-create" { #expect(report.steps[3].reason.hasPrefix("not \(word) as asked for: ")) }
    // It is the same store to `replace: when-changed`, which says nothing of how it was written.
    #expect(report.store.uuid == identifier)
  }

  @Test("quiet says nothing but errors")
  func quiet() async throws {
    let workspace = try workspace { $0.rejects = "file: rejects.csv, limit: 1" }
    var outcome = try await workspace.run("run", "--quiet", "items.yaml")
    #expect(outcome.exitCode == 0 && outcome.text.isEmpty && outcome.talk.isEmpty)
    try workspace.write("items.csv", "id,name\na,\nb,\n")
    outcome = try await workspace.run("run", "--quiet", "items.yaml")
    #expect(outcome.exitCode == 65 && outcome.text.isEmpty && outcome.talk.hasPrefix("error: "))
  }

  @Test("help lists the exit codes")
  func help() async throws {
    let outcome = try await Workspace().run("--help")
    #expect(outcome.exitCode == 0)
    for code in ["0 ", "1 ", "64", "65", "66", "70", "73", "74", "75", "78", "130"] {
      #expect(outcome.text.contains("\n  \(code)  "), "\(code)")
    }
    for command in ["run", "lint", "copy", "export", "check", "inspect"] {
      #expect(outcome.text.contains("  \(command) "))
    }
  }

  @Test(
    "a wrong command line is a usage error",
    arguments: [
      ["run"], ["run", "items.yaml", "--frobnicate"], ["frobnicate"], ["run", "items.yaml", "--jobs", "0"],
      ["run", "items.yaml", "--jobs", "many"], ["run", "items.yaml", "--memory", "31MB"],
      ["run", "items.yaml", "--strategy", "restore"], ["run", "items.yaml", "--memory", "much"],
      ["run", "items.yaml", "--memory", "99999999999GB"], ["run", "items.yaml", "--log-format", "xml"],
      ["copy", "one"],
    ])
  func usage(arguments: [String]) async throws {
    let workspace = try workspace()
    let outcome = try await Tool.run(arguments, in: workspace.folder)
    #expect(outcome.exitCode == 64)
    #expect(outcome.text.isEmpty)
    #expect(!outcome.talk.isEmpty)
    #expect(!workspace.exists("Shop.sqlite"))
  }

  @Test("a store that another run is building is locked")
  func locked() async throws {
    let workspace = try workspace()
    let lock = unsafe open(workspace.path("Shop.sqlite.lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
    let outcome = try await workspace.run("run", "items.yaml")
    #expect(outcome.exitCode == 75)
    #expect(outcome.talk.contains("another run"))
    #expect(!workspace.exists("Shop.sqlite"))
    close(lock)
    // What a run that was killed leaves behind keeps no run out.
    try workspace.write("Shop.sqlite.lock", "1\n")
    try workspace.write("Shop.sqlite.partial/.seedbed", "Seedbed makes a result here.")
    try workspace.write("Shop.sqlite.partial/Shop.sqlite", "half a store")
    #expect(try await workspace.run("run", "items.yaml").exitCode == 0)
    #expect(try workspace.names() == ["Shop.sqlite", "Shop.xcdatamodeld", "items.csv", "items.yaml"])
  }

  @Test("a store or export that cannot be created", arguments: ["store", "export", "rejects"])
  func unwritable(target: String) async throws {
    // Not even the superuser can make a folder below a file.
    let workspace = try workspace {
      switch target {
      case "export": $0.more = "export: [{ entity: Item, to: items.csv/out.csv }]"
      case "rejects": $0.rejects = "file: items.csv/rejects.csv, limit: 5"
      default: break
      }
    }
    if target == "store" {
      try workspace.write(
        "items.yaml", workspace.text("items.yaml").replacingOccurrences(of: "Shop.sqlite", with: "items.csv/S.sqlite"))
    }
    if target == "rejects" { try workspace.write("items.csv", "id,name\na,\n") }
    let before = try workspace.names()
    let outcome = try await workspace.run("run", "items.yaml")
    #expect(outcome.exitCode == 73)
    #expect(outcome.talk.contains("items.csv"))
    #expect(try workspace.names() == before)
  }

  @Test("an interrupted run leaves the previous store", arguments: [SIGINT, SIGTERM])
  func interrupted(signal: Int32) async throws {
    let workspace = try workspace { $0.settings = ["strategy: upsert"] }
    // The folder is made after the signal handlers are in place.
    let (outcome, store) = try await stop(workspace, signal, whenThereIs: "Shop.sqlite.partial")
    #expect(outcome.exitCode == 130)
    #expect(outcome.text.isEmpty)
    #expect(outcome.talk.contains("interrupted"))
    #expect(try workspace.bytes("Shop.sqlite") == store)
    #expect(try workspace.names() == ["Shop.sqlite", "Shop.xcdatamodeld", "items.csv", "items.yaml"])
  }

  @Test("a killed run leaves the previous store, and the next one starts over")
  func killed() async throws {
    let workspace = try workspace { $0.settings = ["strategy: upsert"] }
    let (_, store) = try await stop(workspace, SIGKILL, whenThereIs: "Shop.sqlite.partial/Shop.sqlite")
    #expect(try workspace.bytes("Shop.sqlite") == store)
    try workspace.write("items.csv", "id,name\nc,C\n")
    #expect(try await workspace.report("items.yaml").total.inserted == 1)
    #expect(try workspace.names() == ["Shop.sqlite", "Shop.xcdatamodeld", "items.csv", "items.yaml"])
  }

  /// Sends a signal to a run that is under way. On a loaded machine a run may be over before it is seen: then it is
  /// made again with more records.
  /// - Returns: what the run left behind, and the bytes of the store before it.
  private func stop(
    _ workspace: Workspace, _ signal: Int32, whenThereIs name: String
  ) async throws -> (Tool.Outcome, [UInt8]) {
    #expect(try await workspace.run("run", "--quiet", "items.yaml").exitCode == 0)
    for attempt in 0..<6 {
      let store = try workspace.bytes("Shop.sqlite")
      var text = "id,name\n"
      for number in 0..<(100_000 << attempt) { text += "i\(number),N\n" }
      try workspace.write("items.csv", text)
      var wasSent = false
      let outcome = try await workspace.run("run", "items.yaml") { process in
        // At once: after a turn of the pool the new store might be there, and the process not ended yet.
        wasSent = try await process.wait { workspace.exists(name) && kill(process.identifier, signal) == 0 }
      }
      if wasSent && outcome.exitCode != 0 { return (outcome, store) }
    }
    throw ChildProcess.Failure(message: "every run was over before the signal")
  }

  @Test("standard input is a source and standard output an export, and the report steps aside")
  func standardStreams() async throws {
    let workspace = try workspace {
      $0.source = "{ path: \"-\", format: csv }"
      $0.more = "export: [{ entity: Item, to: \"-\", format: csv, columns: [identifier, name], order: [-name] }]"
    }
    var outcome = try await workspace.run("run", "items.yaml", input: Array("id,name\nx,X\ny,Y\n".utf8))
    #expect(outcome.exitCode == 0)
    #expect(outcome.text == "identifier,name\ny,Y\nx,X\n")
    #expect(outcome.talk.contains("Built Shop.sqlite"))
    // Compressed input is recognised.
    try workspace.gzip("input.gz", "id,name\nz,Z\n")
    outcome = try await workspace.run("run", "--quiet", "items.yaml", input: workspace.bytes("input.gz"))
    #expect(outcome.text == "identifier,name\nz,Z\n")
    outcome = try await workspace.run("run", "items.yaml", input: Array("id,name\nx,\n".utf8))
    #expect(outcome.exitCode == 65)
    #expect(outcome.talk.contains("-:2:3: "))
  }

  @Test("a file with a pattern reads all files in order of their names, plain and compressed")
  func patterns() async throws {
    let workspace = try workspace { $0.source = "{ path: \"part-*.csv*\", format: csv }" }
    try workspace.write("part-2.csv", "name,id\nC,c\n")
    try workspace.gzip("part-1.csv.gz", "id,name\na,A\nb,B\n")
    let report = try await workspace.report("items.yaml")
    #expect(report.total.inserted == 3)
    #expect(try workspace.query("Shop.sqlite", "SELECT ZIDENTIFIER FROM ZITEM ORDER BY Z_PK") == ["a", "b", "c"])
  }

  @Test("mistakes in a pipeline are told together, with their places")
  func badPipeline() async throws {
    let workspace = try workspace { $0.settings = ["stratgy: upsert", "on-match: skip"] }
    let outcome = try await workspace.run("run", "items.yaml")
    #expect(outcome.exitCode == 78)
    #expect(outcome.talk.contains("items.yaml:7:5: "))
    #expect(outcome.talk.contains("items.yaml:8:15: "))
    #expect(outcome.talk.contains("did you mean \"strategy\""))
  }

  @Test("an entity that the model does not have is told with its place, from the working folder on")
  func unknownEntity() async throws {
    let workspace = try workspace()
    let good = try workspace.text("items.yaml")
    try workspace.write("items.yaml", good.replacingOccurrences(of: "entity: Item", with: "entity: Iten"))
    let position = try #require(
      good.components(separatedBy: "\n").firstIndex { $0.contains("entity: Item") })
    let outcome = try await workspace.run("run", "items.yaml")
    #expect(outcome.exitCode == 78)
    #expect(outcome.talk.hasPrefix("error: items.yaml:\(position + 1):"))
    #expect(outcome.talk.contains("did you mean \"Item\"?"))
    let lint = try await workspace.run("lint", "items.yaml")
    #expect(lint.text.hasPrefix("items.yaml:\(position + 1):"))
  }

  @Test("mistakes that only the model and the columns show are told together, as lint does, before anything is written")
  func mistakes() async throws {
    let workspace = try workspace {
      $0.map = ["identifier: id", "nam: name", "parent: { match: identifer, from: id }"]
      $0.more = """
          - { from: tags.csv, entity: Tag, map: { name: name } }
          - { from: items.csv, entity: Tog, map: { name: name } }
        export: [{ entity: Item, to: items.out.csv, columns: [identifer] }]
        """
    }
    try workspace.write("tags.csv", "name\nx\n")
    let lint = try await workspace.run("lint", "items.yaml")
    let outcome = try await workspace.run("run", "items.yaml")
    #expect(outcome.exitCode == 78)
    func places(_ text: String) -> Int {
      text.components(separatedBy: "\n").count { $0.contains("items.yaml:") && !$0.contains("warning:") }
    }
    #expect(places(outcome.talk) >= 4 && places(outcome.talk) == places(lint.text), "\(outcome.talk)\n\(lint.text)")
    for part in ["nam", "Tog", "identifer"] { #expect(outcome.talk.contains("\"\(part)\""), "\(outcome.talk)") }
    #expect(!workspace.exists("Shop.sqlite"))
  }
}
