import Foundation

/// How much is logged of the work below contexts: Core Data's own switches, as arguments of the program
/// (`-com.apple.CoreData.SQLDebug 1`) or as variables of its environment, there also by names that a shell can export
/// (`SEEDBED_SQL_DEBUG=1`). Arguments win.
public struct DebugSettings: Sendable, Hashable {
  /// Of SQL: 0 nothing, 1 every statement with its time and its rows' number, 2 with the bound values in it, 3 the rows
  /// as well, 4 the plan as well. `com.apple.CoreData.SQLDebug`, `SEEDBED_SQL_DEBUG`.
  public var sqlLevel = 0
  /// Whether no value of the store gets into the log, at any level. `com.apple.CoreData.SQLDebug.private`,
  /// `SEEDBED_SQL_DEBUG_PRIVATE`.
  public var hidesValues = false
  /// Of migrations: 0 nothing, 1 what is done step by step. `com.apple.CoreData.MigrationDebug`,
  /// `SEEDBED_MIGRATION_DEBUG`.
  public var migrationLevel = 0
  /// 1: a context or object that is used outside of its queue stops the program, and so does a connection that two
  /// threads use at once; that the file of an open store was replaced or deleted is logged. 0: none of it. Nil where
  /// nothing is stated: only contexts and objects, and only in debug builds. `com.apple.CoreData.ConcurrencyDebug`,
  /// `SEEDBED_CONCURRENCY_DEBUG`.
  public var concurrencyLevel: Int?
  /// Switches whose values are missing or no whole numbers, each as it was written.
  public private(set) var mistakes: [String] = []

  /// The settings that the program was started with.
  public static let process = DebugSettings(
    arguments: CommandLine.arguments, environment: ProcessInfo.processInfo.environment)

  /// Settings with which nothing is logged.
  public init() {}

  /// The settings in arguments and an environment.
  public init(arguments: [String], environment: [String: String]) {
    for name in Self.names {
      if let text = environment[name.variable] ?? environment[name.key] {
        set(name.key, text, "\(name.variable)=\(text)")
      }
    }
    for (index, argument) in arguments.enumerated() {
      guard let key = Self.key(of: argument) else { continue }
      let text = index + 1 < arguments.count ? arguments[index + 1] : ""
      set(key, text, text.isEmpty ? "\(argument) \"\"" : "\(argument) \(text)")
    }
  }

  /// Arguments without these switches and their values.
  public static func removingSwitches(from arguments: [String]) -> [String] {
    var rest: [String] = []
    var isValue = false
    for argument in arguments {
      if isValue {
        isValue = false
      } else if key(of: argument) != nil {
        isValue = true
      } else {
        rest.append(argument)
      }
    }
    return rest
  }

  private static let prefix = "com.apple.CoreData."
  private static let names: [(key: String, variable: String)] = [
    (prefix + "SQLDebug", "SEEDBED_SQL_DEBUG"), (prefix + "SQLDebug.private", "SEEDBED_SQL_DEBUG_PRIVATE"),
    (prefix + "MigrationDebug", "SEEDBED_MIGRATION_DEBUG"),
    (prefix + "ConcurrencyDebug", "SEEDBED_CONCURRENCY_DEBUG"),
  ]

  private static func key(of argument: String) -> String? {
    names.first { argument == "-" + $0.key }?.key
  }

  private mutating func set(_ key: String, _ text: String, _ source: String) {
    guard let level = Int(text), level >= 0 else { return mistakes.append(source) }
    switch key {
    case Self.prefix + "SQLDebug": sqlLevel = level
    case Self.prefix + "SQLDebug.private": hidesValues = level > 0
    case Self.prefix + "MigrationDebug": migrationLevel = level
    default: concurrencyLevel = level
    }
  }
}
