import Diagnostics
import ObjectModel
import Synchronization
import Testing

@testable import Migration

@Suite("The log of migrations by mapping models")
struct MigrationLogTests {
  @Test(
    "a part is told with what it did and how long it took, and only where migrations are debugged", arguments: [0, 1])
  func levels(level: Int) throws {
    let lines = Mutex<[String]>([])
    var settings = DebugSettings()
    settings.migrationLevel = level
    let log = MigrationLog(settings) { line in lines.withLock { $0.append(line) } }
    var done = 0
    log.following(EntityMapping("NoteToNote", .custom, from: "Note", to: "Note"), "objects") {
      done += 1
      return "3 read, 2 made"
    }
    log.following(nil, "validation") { "of 2 objects" }
    #expect(done == 1)
    let said = lines.withLock { $0 }
    if level == 0 { return #expect(said.isEmpty) }
    #expect(said.count == 2)
    #expect(
      said[0].wholeMatch(of: /mapping NoteToNote \(Note to Note\): objects 3 read, 2 made, [0-9.]+ s/) != nil, "\(said)"
    )
    #expect(said[1].wholeMatch(of: /validation of 2 objects, [0-9.]+ s/) != nil, "\(said)")
  }

  @Test("what a part fails with comes through, and is not told as done")
  func failure() {
    struct Broken: Error {}
    let lines = Mutex<[String]>([])
    var settings = DebugSettings()
    settings.migrationLevel = 1
    let log = MigrationLog(settings) { line in lines.withLock { $0.append(line) } }
    #expect(throws: Broken.self) { try log.following(nil, "validation") { throw Broken() } }
    #expect(lines.withLock { $0.isEmpty })
  }
}
