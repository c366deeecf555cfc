import ArgumentParser
import Dumps
import ImportEngine
import Logging
import ObjectModel

/// `seedbed dump`
struct DumpCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dump", abstract: "Writes a whole store as NDJSON, with the pipeline that restores it.",
    discussion: """
      The folder gets a file per entity, the model, and restore.yaml: `seedbed run DIR/restore.yaml` builds the store \
      anew. The folder takes its place only when it is complete. References that lead nowhere and values whose files are \
      gone are kept in left-out.ndjson; with such a value the exit code is 1.
      """)

  @Argument(help: "The store.", completion: .file())
  var store: String

  @Argument(help: ArgumentHelp("The folder to write: one that is not there, or empty.", valueName: "dir"))
  var folder: String

  @OptionGroup var model: ModelOptions

  @Flag(help: "Compress the entities' files with gzip.")
  var gzip = false

  @Flag(help: "Replace a folder that holds an earlier dump.")
  var force = false

  @Flag(help: "Say nothing but errors.")
  var quiet = false

  @OptionGroup var log: LogOptions

  func validate() throws { try ResultName.check(folder, "the folder", isFolder: true) }

  func run() throws {
    let cancellation = Cancellation()
    let signals = Signals(cancelling: cancellation)
    defer { withExtendedLifetime(signals) {} }
    do {
      try model.requireModel()
      let report = try StoreDump(
        storePath: store, modelPath: model.model, modelVersion: model.modelVersion, folder: folder, compresses: gzip,
        replacesDump: force, cancellation: cancellation
      ).run()
      Self.warn(report, folder: folder)
      if !quiet {
        let count = report.entities.reduce(0) { $0 + $1.count }
        LogLine.say(
          "dumped \(count.counted("object")) of "
            + "\(report.entities.count.counted("entity", "entities")) to \(folder)", event: "dump.ended")
      }
      if report.missingValues > 0 { throw ExitCode(1) }
    } catch let exit as ExitCode {
      throw exit
    } catch {
      throw CommandFailure(error, store: store, format: log.logFormat)
    }
  }

  /// Says what the dump keeps aside.
  private static func warn(_ report: StoreDump.Report, folder: String) {
    let file = (folder.hasSuffix("/") ? folder : folder + "/") + "left-out.ndjson"
    if report.danglingReferences > 0 {
      let references = report.danglingReferences.counted("reference leads", "references lead")
      LogLine.say("\(references) nowhere and will not be restored: see \(file)", .warning, event: "dump.dangling")
    }
    for text in report.duplicateKeys {
      LogLine.say(
        "\(text), and a restore ends at the second of them: delete or change all but one", .warning,
        event: "dump.duplicate-key")
    }
    for text in report.missingValueTexts { LogLine.say("missing: " + text, event: "dump.missing-value") }
    if report.missingValues > 0 {
      let values = report.missingValues.counted("value is", "values are")
      LogLine.say(
        "\(values) null in the dump, as the file of its external data is missing: see \(file)", .error,
        event: "dump.missing-values")
    }
  }
}
