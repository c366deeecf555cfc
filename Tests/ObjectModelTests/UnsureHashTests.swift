import Foundation
import ObjectModel
import Testing

@Suite("Version hashes that rest on unconfirmed rules")
struct UnsureHashTests {
  /// Two entities with a derived attribute of a rule that is not confirmed, and one without.
  private static func model(more: String? = nil) throws -> ManagedObjectModel {
    try ManagedObjectModel(
      entities: ["Item", "Tag"].map { name in
        var entity = EntityDefinition(name)
        var derived = AttributeDefinition("upper", .string)
        derived.derivation = .init(expression: "uppercase:(name)")
        entity.attributes = [AttributeDefinition("name", .string), derived]
        if let more, name == "Item" { entity.attributes.append(AttributeDefinition(more, .string)) }
        return entity
      } + [EntityDefinition("Plain")])
  }

  private static let stored = Dictionary(
    uniqueKeysWithValues: ["Item", "Tag", "Plain"].enumerated().map { ($1, Data(repeating: UInt8($0 + 1), count: 32)) })

  @Test("they are taken from a store, other entities' are not")
  func taken() throws {
    let (plain, model) = (try Self.model(), try Self.model().takingUnconfirmedHashes(from: Self.stored))
    #expect(model["Item"]?.versionHash == Self.stored["Item"] && model["Tag"]?.versionHash == Self.stored["Tag"])
    #expect(model["Plain"]?.versionHash == plain["Plain"]?.versionHash)
    #expect(model.ruledVersionHashes == plain.entityVersionHashesByName)
  }

  @Test("one that was taken stays, so that a compiled model's hash is not replaced by a store's")
  func kept() throws {
    let compiled = try Self.model().takingUnconfirmedHashes(from: ["Item": Data(repeating: 9, count: 32)])
    let model = compiled.takingUnconfirmedHashes(from: Self.stored)
    #expect(model["Item"]?.versionHash == Data(repeating: 9, count: 32))
    #expect(model["Tag"]?.versionHash == Self.stored["Tag"])
  }

  @Test("of a store that carries a model, they are taken for entities that are the same in it")
  func carried() throws {
    let newer = try Self.model(more: "note")
    let carried = try Self.model().takingUnconfirmedHashes(from: Self.stored)
    let model = newer.takingUnconfirmedHashes(from: Self.stored, carrying: carried)
    #expect(model["Item"]?.versionHash == newer["Item"]?.versionHash)
    #expect(model["Tag"]?.versionHash == Self.stored["Tag"])
    let same = try Self.model().takingUnconfirmedHashes(from: Self.stored, carrying: carried)
    #expect(same["Item"]?.versionHash == Self.stored["Item"])
  }
}
