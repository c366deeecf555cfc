import CoreDataLayout
import Foundation
import Migration
import ObjectModel
import StoreInterface
import TestSupport
import Testing

@Suite("The version of a store whose hashes rest on unconfirmed rules")
struct UnsureVersionTests {
  private static func model(_ more: String...) throws -> ManagedObjectModel {
    var entity = EntityDescription("Item")
    var derived = AttributeDescription("upper", .string)
    derived.derivation = .init(expression: "uppercase:(name)")
    entity.attributes = [AttributeDescription("name", .string), derived]
    entity.attributes += more.map { AttributeDescription($0, .string) }
    return try ManagedObjectModel(entities: [entity])
  }

  @Test("it is that of the model which the store carries, when the hash is one of Apple's", arguments: [0, 1, 2])
  func version(index: Int) throws {
    let models = try [Self.model(), Self.model("note"), Self.model("note", "place")]
    let library = ModelLibrary(
      versions: models.enumerated().map { .init(name: "Shop \($0 + 1)", model: $1) }, mappings: [])
    let folder = try TemporaryFolder()
    let stored = ["Item": Data(repeating: 7, count: 32)]
    let path = folder.path("Shop.sqlite")
    try SQLiteStore.create(path: path, model: models[index].takingUnconfirmedHashes(from: stored)).close()
    let migration = ProgressiveMigration(library: library)
    let chain = try migration.chain(forStoreAt: URL(fileURLWithPath: path), type: .sqlite, to: models[2])
    #expect(chain.steps.map(\.source.name) == (index == 2 ? [] : ["Shop \(index + 1)"]))
    if index == 2 { return }
    try migration.migrateStore(at: URL(fileURLWithPath: path), type: .sqlite, to: models[2])
    #expect(try StoreChecker.check(path: path, model: models[2]).isCompatible)
  }
}
