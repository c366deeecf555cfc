import ArgumentParser
import Foundation
import ImportEngine
import Logging
import Pipelines
import Reports

/// A failure that ends a command: the message for standard error, and the exit code.
struct CommandFailure: Error {
  var exitCode: ExitCode
  var code: String
  var message: String
  var hint: String?
  var position: RunError.Position?
  var format: LogFormat

  /// - Parameter path: of the store that the command works on.
  init(_ error: any Error, store path: String, format: LogFormat) {
    let failure = RunError(any: error, store: path)
    exitCode = ExitCode(failure.kind.exitCode)
    code = failure.code
    message = failure.message
    hint = failure.hint
    position = failure.position
    self.format = format
    if let mistake = error as? ValidationError {
      exitCode = .validationFailure
      code = "usage"
      message = mistake.message
    }
  }

  /// - Parameter message: what is wrong with the command line.
  init(usage message: String, hint: String) {
    exitCode = .validationFailure
    code = "usage"
    self.message = message
    self.hint = hint
    format = .ofCommandLine
  }

  /// The exit code as the system takes it.
  var status: Int32 { exitCode.rawValue }

  /// Reports the failure and ends the process.
  func end() -> Never {
    report()
    exit(status)
  }

  func report() {
    // The reader of the output went away.
    if code == "file.closed-pipe" { Terminal.endByBrokenPipe() }
    switch format {
    case .text:
      Terminal.say("error: \(message)" + (hint.map { "\n  hint: \($0)" } ?? ""))
    case .json:
      var members: [(String, JSONValue)] = [
        ("event", .string("error")), ("code", .string(code)), ("message", .string(message)),
      ]
      if let hint { members.append(("hint", .string(hint))) }
      if position != nil { members.append(("position", ErrorJSON.position(position))) }
      Terminal.say(LogLine.json(.error, members))
    }
  }
}

/// How talk on standard error is written.
enum LogFormat: String, ExpressibleByArgument, CaseIterable {
  case text, json

  /// The log format of the command line, for failures that happen before there is a command.
  static var ofCommandLine: LogFormat {
    let words = CommandLine.arguments
    return zip(words, words.dropFirst()).contains { $0 == "--log-format" && $1 == "json" }
      || words.contains("--log-format=json") ? .json : .text
  }
}
