import Foundation
import TestSupport
import Testing

/// The built `seedbed`, run as a user runs it.
enum Tool {
  /// What a process left behind.
  struct Outcome: Sendable {
    var exitCode: Int32
    var output: [UInt8]
    /// Standard error.
    var talk: String
    /// Standard output as text.
    var text: String { String(decoding: output, as: UTF8.self) }

    /// Standard output as a JSON object.
    func object(sourceLocation: SourceLocation = #_sourceLocation) throws -> [String: Any] {
      try #require(
        try JSONSerialization.jsonObject(with: Data(output)) as? [String: Any], sourceLocation: sourceLocation)
    }
  }

  /// The executable that the package manager built together with this test bundle.
  static let path: String = {
    var folders = [URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent(), Bundle.main.bundleURL]
    folders += Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
    folders.append(packageRoot.appendingPathComponent(".build/debug"))
    let candidates = folders.map { $0.appendingPathComponent("seedbed").path }
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0) } ?? "seedbed was not built"
  }()

  static let packageRoot = FixtureFolder.packageRoot

  /// `SEEDBED_TEST_STRATEGY` makes every run of the tests take one strategy, where the test states none and the step
  /// can be done so (`scripts/check-strategies`).
  static let forcedStrategy = ProcessInfo.processInfo.environment["SEEDBED_TEST_STRATEGY"]

  /// Whether the tool itself picks the strategy of steps that state none, so that a test can say which.
  static let picksStrategies = forcedStrategy == nil

  private static func withStrategy(_ arguments: [String]) -> [String] {
    guard let forcedStrategy, arguments.first == "run", !arguments.contains("--strategy") else { return arguments }
    return arguments + ["--strategy", forcedStrategy]
  }

  /// What the tool is run with as a user to whom files may be refused; nil where that cannot be done.
  static let unprivilegedCommand = UnprivilegedUser.command(running: path)

  /// Whether the tool is run as such a user.
  @TaskLocal private static var isUnprivileged = false

  /// Has the tool run as a user to whom files may be refused, and gives it a folder.
  static func withoutPrivileges<Result>(
    in folder: URL, _ body: () async throws -> Result
  ) async throws -> Result {
    try UnprivilegedUser.own(folder)
    return try await $isUnprivileged.withValue(true, operation: body)
  }

  /// Runs the tool to its end. Output goes through files, so that no pipe can fill up.
  /// - Parameters:
  ///   - input: what it reads from standard input; nothing by default.
  ///   - memoryLimitKibibytes: the most address space that it may take, on systems that can limit it.
  ///   - executable: what is run instead of the tool, such as a shell that runs it.
  ///   - whileRunning: called once it runs.
  static func run(
    _ arguments: [String], in folder: URL, environment: [String: String] = [:], input: [UInt8]? = nil,
    memoryLimitKibibytes: Int? = nil, executable: String = path,
    whileRunning: ((ChildProcess) async throws -> Void)? = nil
  ) async throws -> Outcome {
    let files = try TemporaryFolder()
    var (executable, arguments) = (executable, withStrategy(arguments))
    if isUnprivileged, let command = unprivilegedCommand, let first = command.first {
      (executable, arguments) = (first, command.dropFirst() + [executable] + arguments)
    }
    let names = ["input", "output", "talk"].map { files.file($0) }
    for name in names { try Data().write(to: name) }
    if let input { try Data(input).write(to: names[0]) }

    let process = try ChildProcess(
      path: memoryLimitKibibytes == nil ? executable : "/bin/sh",
      arguments: memoryLimitKibibytes.map {
        ["-c", "ulimit -v \($0) 2>/dev/null; exec \"$0\" \"$@\"", executable] + arguments
      } ?? arguments,
      environment: ProcessInfo.processInfo.environment.merging(environment) { $1 }, folder: folder.path,
      files: names.map(\.path))
    // Nothing waits for its end meanwhile, so that its process id stays its own.
    try await whileRunning?(process)
    let exitCode = await process.exitCode()
    return Outcome(
      exitCode: exitCode, output: Array(try Data(contentsOf: names[1])),
      talk: String(decoding: try Data(contentsOf: names[2]), as: UTF8.self))
  }
}
