public import ArgumentParser
import ImportEngine
public import Logging

/// `seedbed run`
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Runs a pipeline: builds its store from its seeds, seals it, exports.",
    discussion: """
      The store is built in a folder beside the target and takes its place only when everything went well; a run that \
      fails leaves the previous store as it was, byte for byte. Only earlier results are replaced: anything else at the \
      path of a result ends the run before it begins, unless --force is given.
      """)

  /// The defaults of the options.
  private static let standard = RunInvocation(pipeline: "")

  @Argument(help: "The pipeline file.", completion: .file(extensions: ["yaml", "yml"]))
  var pipeline: String

  @Flag(help: "Do everything but put the results in place.")
  var dryRun = false

  @Flag(help: "Write the report as JSON, also of a run that fails; `seedbed schema --report` has its JSON Schema.")
  var json = false

  @Option(
    help: ArgumentHelp(
      "Write the JSON report into a file as well, also of a run that fails; an earlier report is replaced.",
      valueName: "path"), completion: .file(extensions: ["json"]))
  var report: String?

  @Flag(help: "No text report and no progress: only errors, and one line where records were rejected.")
  var quiet = false

  @Flag(help: "Show in the text report where the time of each step went, stage by stage; the JSON report always does.")
  var verbose = false

  @Option(help: ArgumentHelp("Decode workers, 1 to 64. The result is the same.", valueName: "count"))
  var jobs: Int = standard.jobs

  @Option(
    help: ArgumentHelp(
      """
      Memory for key tables, sorting and caches together, 32MB or more. What does not fit goes to temporary files; the \
      result is the same. The program itself and its workers' batches come on top.
      """,
      valueName: "size"),
    transform: ByteSize.parse
  )
  var memory = standard.memory

  @Option(
    help: ArgumentHelp(
      """
      How steps write that state no strategy: find-or-create, upsert or bulk. A step that cannot be done so is done as \
      without this option, and the report says why. The rows are the same.
      """,
      valueName: "strategy"))
  var strategy: StrategyOption?

  @Option(
    help: ArgumentHelp(
      """
      The most that is taken from standard input, a FIFO or a device, each of which is kept in a file while the run lasts \
      (default: 64GiB, or half of the free space where that is less). More fails the run.
      """,
      valueName: "size"),
    transform: ByteSize.parse
  )
  var maxInput: ByteSize?

  @Option(
    help: ArgumentHelp(
      """
      The most that one compressed source may inflate to: a size, a ratio such as 200:1 that is looked at once a \
      megabyte has come out, or both with a comma. More fails the run.
      """,
      valueName: "limit"),
    transform: InflationOption.parse
  )
  var maxInflated = standard.inflation

  @Flag(help: "Replace files at the paths of results that are no earlier results of the same kind.")
  var force = false

  @Flag(help: "Let the pipeline name files outside its project.")
  var allowOutside = false

  @Option(help: "How errors and events are written to standard error: text or json.")
  var logFormat: LogFormat = standard.logFormat

  @Option(
    help: ArgumentHelp(
      """
      What is logged to standard error: trace, debug, info (steps, exports, sealing), notice (reasons of rejects), warning, \
      error (default: error; warning with --log-format json).
      """, valueName: "level"))
  var logLevel: Logger.Level?

  func validate() throws {
    if report == "-" { throw ValidationError("--report takes a file: --json writes the report to standard output") }
    try ResultName.check(report, "the file of --report")
    guard (1...64).contains(jobs) else { throw ValidationError("--jobs takes a number from 1 to 64") }
    guard memory.bytes >= MemoryBudget.minimum else {
      throw ValidationError("--memory takes 32MB or more, with a unit, such as 256MB")
    }
  }

  func run() throws {
    var invocation = RunInvocation(pipeline: pipeline)
    invocation.isDryRun = dryRun
    invocation.isJSON = json
    invocation.isQuiet = quiet
    invocation.showsStages = verbose
    invocation.replacesForeign = force
    invocation.allowsOutside = allowOutside
    invocation.report = report
    invocation.jobs = jobs
    invocation.memory = memory
    invocation.strategy = strategy
    invocation.maximumInput = maxInput
    invocation.inflation = maxInflated
    invocation.logFormat = logFormat
    invocation.logLevel = logLevel
    try invocation.run()
  }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
