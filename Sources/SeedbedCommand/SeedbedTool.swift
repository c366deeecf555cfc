import ArgumentParser
import Diagnostics
import Foundation

/// The command-line tool.
@main
struct SeedbedTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "seedbed",
    abstract: "Builds Core Data stores from compressed CSV and JSON seeds, and copies, checks and exports them.",
    discussion: """
      EXIT CODES
        0    done
        1    done, with rejected records inside the limit
        64   usage: the command line is wrong
        65   bad data beyond the limit, or a store that is not fit
        66   an input is missing, unreadable or a folder
        70   internal error
        73   an output cannot be created, or something else is in its place
        74   input/output error: disk full, truncated gzip, too many open files, out of memory
        75   another run or process uses the store, or changed it or a source meanwhile; try later
        78   the pipeline or the model is wrong
        130  interrupted; a second signal (half a second later or more) stops at once

      Data goes to standard output, talk to standard error. "-" is standard input as a source, and standard output as an export.
      """,
    version: "0.1.0",
    subcommands: [
      RunCommand.self, InitCommand.self, LintCommand.self, ExplainCommand.self, CopyCommand.self, ExportCommand.self,
      QueryCommand.self,
      DiffCommand.self,
      DeleteCommand.self, UpdateCommand.self, DumpCommand.self, CheckCommand.self, MigrateCommand.self,
      HistoryCommand.self, ApplyCommand.self, InspectCommand.self, GenerateCommand.self, SchemaCommand.self,
    ])

  /// The subcommand that the first argument names, parsed without the tree of all commands, which would take a fifth of
  /// a small run's processor time. Nothing where it cannot be parsed so: then the root parses, for its messages and its
  /// help.
  private static func parsedAlone(_ arguments: [String]) -> (any ParsableCommand)? {
    guard let name = arguments.first,
      let command = configuration.subcommands.first(where: { $0.configuration.commandName == name })
    else { return nil }
    return try? command.parse(Array(arguments.dropFirst()))
  }

  /// Swift mends arguments that are no UTF-8, and a mended name is that of another file.
  private static func requireUTF8() throws {
    // Safety: the system gives as many C strings as it says.
    for index in 1..<max(Int(CommandLine.argc), 1) {
      guard let argument = unsafe CommandLine.unsafeArgv[index], unsafe String(validatingCString: argument) == nil
      else { continue }
      let text = unsafe String(cString: argument)
      throw ValidationError("\(text.debugDescription) is no UTF-8: files of such names cannot be read or written")
    }
  }

  static func main() {
    let begin = Date()
    StandardStreams.fillGaps()
    Signals.ignoreFailedWrites()
    OutOfMemory.watch()
    OpenFileLimit.prepare()
    ThreadShortage.watch()
    do {
      try requireUTF8()
      let arguments = DebugSettings.removingSwitches(from: Array(CommandLine.arguments.dropFirst()))
      if let mistake = DebugSettings.process.mistakes.first {
        throw ValidationError("\(mistake) is no level: whole numbers are, from 0")
      }
      if arguments.first == "run", let invocation = RunInvocation(plain: arguments.dropFirst()) {
        return try invocation.run()
      }
      try CommandAdvice.requireCommand(arguments, of: configuration)
      var command = try parsedAlone(arguments) ?? parseAsRoot(arguments)
      try command.run()
    } catch let failure as CommandFailure {
      if failure.code == "usage" { report(failure.message, hint: failure.hint, begin: begin) }
      failure.report()
      exit(withError: failure.exitCode)
    } catch {
      // The parser's message quotes arguments, so control characters are made visible as in all output.
      let code = exitCode(for: error)
      let text = CommandAdvice.advised(fullMessage(for: error), arguments: CommandLine.arguments)
      if code == .validationFailure {
        report(
          message(for: error),
          hint: CommandAdvice.hint(in: text)
            ?? "seedbed help \(CommandLine.arguments.dropFirst().first == "migrate" ? "migrate" : "run") lists the options",
          begin: begin)
      }
      if !text.isEmpty { if code.isSuccess { Terminal.print(text) } else { CommandAdvice.report(text) } }
      Self.exit(withError: code)
    }
  }

  /// Writes the report of a run, or the answer of a migration, that could not begin, where one is asked for.
  private static func report(_ message: String, hint: String?, begin: Date) {
    let names = configuration.subcommands.compactMap { $0.configuration.commandName }
    let arguments = Array(CommandLine.arguments.dropFirst())
    if let answer = MigrateResult.answer(toWrong: arguments, message, hint: hint) { return Terminal.print(answer) }
    UsageReport(arguments: arguments, commands: names)?
      .write(message, hint: hint, exitCode: ExitCode.validationFailure.rawValue, begin: begin)
  }
}
