import Diagnostics
import Testing

/// Switches of arguments and environments.
@Suite("debug settings")
struct DebugSettingsTests {
  @Test(
    "levels come from arguments and environments, and arguments win",
    arguments: [
      ([], [:], 0), (["-com.apple.CoreData.SQLDebug", "3"], [:], 3), ([], ["com.apple.CoreData.SQLDebug": "2"], 2),
      ([], ["SEEDBED_SQL_DEBUG": "4"], 4), (["-com.apple.CoreData.SQLDebug", "1"], ["SEEDBED_SQL_DEBUG": "4"], 1),
      (["--com.apple.CoreData.SQLDebug", "1"], [:], 0),
    ] as [([String], [String: String], Int)])
  func levels(arguments: [String], environment: [String: String], level: Int) {
    let settings = DebugSettings(arguments: arguments, environment: environment)
    #expect(settings.sqlLevel == level)
    #expect(settings.mistakes.isEmpty)
  }

  @Test("every switch has its setting")
  func switches() {
    let settings = DebugSettings(
      arguments: [
        "tool", "-com.apple.CoreData.MigrationDebug", "1", "-com.apple.CoreData.ConcurrencyDebug", "1",
        "-com.apple.CoreData.SQLDebug.private", "1",
      ], environment: [:])
    #expect(settings.migrationLevel == 1)
    #expect(settings.concurrencyLevel == 1)
    #expect(settings.hidesValues)
    #expect(settings.sqlLevel == 0)
  }

  @Test("what is no level is a mistake", arguments: ["yes", "-1", "1.5", ""])
  func mistakes(text: String) {
    let settings = DebugSettings(arguments: [], environment: ["SEEDBED_SQL_DEBUG": text])
    #expect(settings.sqlLevel == 0)
    #expect(settings.mistakes == ["SEEDBED_SQL_DEBUG=\(text)"])
    let name = "-com.apple.CoreData.SQLDebug"
    for arguments in [[name]] + (text.isEmpty ? [[name, ""]] : []) {
      #expect(DebugSettings(arguments: arguments, environment: [:]).mistakes == ["\(name) \"\""])
    }
  }

  @Test("the switches and their values are taken out of a command line")
  func removed() {
    let line = ["query", "-com.apple.CoreData.SQLDebug", "1", "Shop.sqlite", "-com.apple.CoreData.MigrationDebug", "1"]
    #expect(DebugSettings.removingSwitches(from: line) == ["query", "Shop.sqlite"])
  }
}
