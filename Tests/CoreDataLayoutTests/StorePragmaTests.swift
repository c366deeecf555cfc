import SQLite
import TestSupport
import Testing

@testable import CoreDataLayout

@Suite("Pragmas of a store")
struct StorePragmaTests {
  @Test(
    "a rollback journal brings durable commits, as far as nothing else is asked for",
    arguments: [
      (["journal_mode": "delete"], 2, 1, 1), (["journal_mode": "delete", "fullfsync": "off"], 2, 0, 1),
      (["Journal_Mode": "DELETE", "checkpoint_fullfsync": "0"], 2, 1, 0),
      (["journal_mode": "delete", "synchronous": "NORMAL"], 1, 0, 0), (["journal_mode": "wal"], 2, 0, 0),
    ] as [([String: String], Int64, Int64, Int64)])
  func durability(pragmas: [String: String], synchronous: Int64, fullfsync: Int64, checkpoint: Int64) throws {
    let folder = try TemporaryFolder()
    let connection = try Connection(path: folder.path("Store.sqlite"), options: .init(createsFile: true))
    try StorePragmas.apply(pragmas, to: connection, isReadOnly: false)
    #expect(try connection.integer("PRAGMA synchronous") == synchronous)
    #expect(try connection.integer("PRAGMA fullfsync") == fullfsync)
    #expect(try connection.integer("PRAGMA checkpoint_fullfsync") == checkpoint)
    try connection.close()
  }
}
