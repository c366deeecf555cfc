import Foundation
import ImportEngine
import Logging
import Pipelines

/// A line of the log on standard error.
enum LogLine {
  /// A message of a command beside its data: a line of text, or with `--log-format json` of JSON.
  /// - Parameters:
  ///   - level: warnings and errors are named so in text, too.
  ///   - event: the name of the event, for programs.
  static func say(_ text: String, _ level: Logger.Level = .info, event: String) {
    switch LogFormat.ofCommandLine {
    case .json: Terminal.say(json(level, [("event", .string(event)), ("message", .string(text))]))
    case .text: Terminal.say(level >= .warning ? "\(level.rawValue): \(text)" : text)
    }
  }

  /// As JSON: time, level and run first, then what happened.
  static func json(_ level: Logger.Level, _ members: [(String, JSONValue)]) -> String {
    JSONValue.object(
      [
        ("time", .string(RunIdentity.time())), ("level", .string(level.rawValue)),
        ("run", .string(RunIdentity.text)),
      ] + members
    ).text(isIndented: false)
  }
}

/// Writes the swift-log messages of a run to standard error: as text, or as a JSON object a line.
struct EventLogHandler: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level
  let format: LogFormat

  /// A logger for a run.
  static func logger(_ format: LogFormat, level: Logger.Level) -> Logger {
    Logger(label: "seedbed", factory: { _ in EventLogHandler(logLevel: level, format: format) })
  }

  subscript(metadataKey key: String) -> Logger.MetadataValue? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let values = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
    switch format {
    case .json:
      var members: [(String, JSONValue)] = []
      // The event comes first, under a name that does not change.
      if let name = values.first(where: { $0.key == "event" }) { members.append((name.key, Self.json(name.value))) }
      members.append(("message", .string(event.message.description)))
      members += values.filter { $0.key != "event" }.map { ($0.key, Self.json($0.value)) }
      Terminal.say(LogLine.json(event.level, members))
    case .text:
      let details = values.filter { $0.key != "event" }.map { "\($0.key)=\($0.value)" }
      Terminal.say(
        HarmlessText.line(
          ([RunIdentity.time(), "\(event.level.rawValue):", event.message.description] + details)
            .joined(separator: " ")))
    }
  }

  /// Numbers stay numbers.
  private static func json(_ value: Logger.MetadataValue) -> JSONValue {
    switch value {
    case .string(let text): .string(text)
    case .stringConvertible(let value):
      switch value {
      case let number as Int: .integer(number)
      case let number as Double: .double(number)
      case let flag as Bool: .boolean(flag)
      default: .string("\(value)")
      }
    case .array(let values): .array(values.map { json($0) })
    case .dictionary(let members): .object(members.sorted { $0.key < $1.key }.map { ($0.key, json($0.value)) })
    }
  }
}
