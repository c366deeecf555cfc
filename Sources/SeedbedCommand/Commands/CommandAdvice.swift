import ArgumentParser
import Foundation
import ImportEngine
import Logging
import ObjectModel
import Pipelines

/// Advice for a command line that the parser refuses.
enum CommandAdvice {
  /// Refuses a first word that is no command, with the one that is near.
  /// - Throws: `CommandFailure` with code 64.
  static func requireCommand(_ arguments: [String], of configuration: CommandConfiguration) throws {
    let names = configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
    // The subject of help is a command, too.
    let words = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
    guard let word = words.first, !word.hasPrefix("-"), !names.contains(word) else { return }
    let suffix = (word as NSString).pathExtension
    let hint: String
    if suffix == "yaml" || suffix == "yml" {
      hint = "did you mean seedbed run \(word)?"
    } else if let nearest = Suggestion.nearest(to: word, among: names) {
      hint = "did you mean \(nearest)?"
    } else {
      hint = "the commands are \(names.joined(separator: ", "))"
    }
    throw CommandFailure(usage: "there is no command \(word)", hint: hint)
  }

  /// Options that other tools have and `run` leaves to the pipeline file.
  private static let settings = [
    "--model": "model: in the pipeline", "--output": "store: { path: ... } in the pipeline",
    "--store": "store: { path: ... } in the pipeline", "--input": "from: in the pipeline",
    "--entity": "entity: in the pipeline", "--format": "format: of a source in the pipeline",
  ]

  /// The hint in a message that `advised` made.
  static func hint(in text: String) -> String? {
    text.split(separator: "\n").first { $0.hasPrefix("  hint: ") }.map { String($0.dropFirst(8)) }
  }

  /// The parser's message, with what to do where that is known.
  static func advised(_ text: String, arguments: [String]) -> String {
    guard let hint = hint(for: text, Array(arguments.dropFirst())) else { return text }
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    lines.insert("  hint: \(hint)", at: 1)
    return lines.joined(separator: "\n")
  }

  private static func hint(for text: String, _ arguments: [String]) -> String? {
    switch arguments.first {
    case "run":
      return settings.first { text.hasPrefix("Error: Unknown option '\($0.key)'") }.map { "\($0.key) is \($0.value)" }
    case "query":
      guard text.contains("nexpected argument"), arguments.count > 4, arguments[3].lowercased() == "where" else {
        return nil
      }
      let query = arguments[2...].prefix { !$0.hasPrefix("--") }.joined(separator: " ")
      return "a query is one argument: put it in quotes, as in \"\(query)\""
    case "export":
      guard text.hasPrefix("Error: Missing expected argument '--entity"), arguments.count > 2,
        !arguments[2].hasPrefix("-")
      else { return nil }
      return "write --entity \(arguments[2])"
    default: return nil
    }
  }

  /// Reports the parser's message about a wrong command line as errors of commands are reported.
  static func report(_ text: String) {
    let prefix = "Error: "
    let text = text.hasPrefix(prefix) ? "error: " + text.dropFirst(prefix.count) : text
    guard case .json = LogFormat.ofCommandLine else { return Terminal.say(text) }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let message = lines.first.map { $0.hasPrefix("error: ") ? String($0.dropFirst(7)) : $0 } ?? ""
    var members: [(String, JSONValue)] = [
      ("event", .string("error")), ("code", .string("usage")), ("message", .string(message)),
    ]
    if let hint = hint(in: text) { members.append(("hint", .string(hint))) }
    Terminal.say(LogLine.json(.error, members))
  }
}
