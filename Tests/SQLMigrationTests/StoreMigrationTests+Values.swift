import Foundation
import ObjectModel
import SQLite
import StoreInterface
import TestQueries
import TestSupport
import Testing

@testable import CoreDataLayout
@testable import SQLMigration

// Values that move to other places, and those that have none.
extension StoreMigrationTests {
  @Test("values go into files and come back, and files that nothing names are removed")
  func externalStorage() throws {
    let folder = try TemporaryFolder()
    let path = try Self.store(in: folder, "UPDATE ZBOX SET ZPHOTO = zeroblob(200000) WHERE Z_PK = 2")
    let outside = try Self.model { $0["Box"]?.attributes[1].allowsExternalBinaryDataStorage = true }
    _ = try StoreMigration.run(storeAt: path, from: Self.model(), to: outside)
    #expect(try folder.externalFiles(of: "Boxes").count == 1)
    #expect(
      try Connection.rows(
        at: path, "SELECT hex(substr(ZPHOTO, 1, 3)), length(ZPHOTO) FROM ZBOX WHERE ZPHOTO IS NOT NULL"
      ).first
        == "010102|3")
    try Self.requireSound(path, outside)
    // The other way, under a condition that fails first: the file stays.
    let refused = try Self.model { $0["Box"]?.uniquenessConstraints = [["code"]] }
    #expect(throws: StoreMigrationError.self) { try StoreMigration.run(storeAt: path, from: outside, to: refused) }
    #expect(try folder.externalFiles(of: "Boxes").count == 1)
    _ = try StoreMigration.run(storeAt: path, from: outside, to: Self.model())
    #expect(!FileManager.default.fileExists(atPath: folder.path(".Boxes_SUPPORT/_EXTERNAL_DATA")))
    #expect(
      try Connection.rows(at: path, "SELECT Z_PK, length(ZPHOTO) FROM ZBOX WHERE ZPHOTO IS NOT NULL") == [
        "1|2", "2|200000",
      ])
    try Self.requireSound(path, Self.model())
  }

  @Test("a mapping that computes values is refused")
  func computedValues() throws {
    let folder = try TemporaryFolder()
    let path = try Self.store(in: folder)
    let newer = try Self.model { $0["Tag"] = nil }
    var mapping = try Self.model().inferredMappingModel(to: newer)
    mapping.entityMappings[0].attributeMappings[0].valueExpression = "$source.code.length"
    let error = #expect(throws: StoreError.self) {
      try StoreMigration.run(storeAt: path, from: Self.model(), to: newer, mapping: mapping)
    }
    guard case .unsupported? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    try Self.requireSound(path, Self.model())
  }

  @Test("what led to an entity without objects leads nowhere when that gets sub-entities", arguments: uses)
  func abstractDestination(pageUse: StoreMigration.PageUse) throws {
    func change(_ isNew: Bool) -> Change {
      return {
        var kind = EntityDefinition("Kind")
        kind.isAbstract = true
        kind.relationships = [.init("tags", toMany: "Tag", inverse: "kind")]
        $0["Kind"] = kind
        $0["Tag"]?.relationships = [.init("kind", toOne: "Kind", inverse: "tags")]
        if isNew {
          $0["Sort"] = EntityDefinition("Sort")
          $0["Sort"]?.superentityName = "Kind"
        }
      }
    }
    let folder = try TemporaryFolder()
    let path = folder.path("Boxes.sqlite")
    let (older, newer) = (try Self.model(change(false)), try Self.model(change(true)))
    try GeneratedObjects.fill(path, older)
    _ = try StoreMigration.run(storeAt: path, from: older, to: newer, options: Self.options(pageUse))
    #expect(try Connection.rows(at: path, "SELECT count(*), count(ZKIND), count(Z2_KIND) FROM ZTAG") == ["6|0|0"])
    try Self.requireSound(path, newer)
  }
}
