import Foundation
import ModelFiles
import ObjectModel
import Platform
import SQLite
import StoreInterface
import TestMigrations
import TestRows
import TestStores
import TestSupport
import Testing

@testable import CoreDataLayout
@testable import SQLMigration

/// `SEEDBED_RANDOM_MIGRATIONS` and `SEEDBED_RANDOM_SEED` as for `RandomMigrationTests`.
@Suite("Migrated by pages in a copy, a store is what statements make of it")
struct PageMigrationTests {
  /// What both ways make of copies of a store; nil where both refuse it for the same reasons.
  /// - Returns: the tables that were written as pages.
  static func twins(
    _ path: String, from older: ManagedObjectModel, to newer: ManagedObjectModel, mapping: MappingModel? = nil,
    _ text: String
  ) throws -> [String]? {
    let folder = try TemporaryFolder()
    var results: [Result<MigrationReport, any Error>] = []
    var images: [StoreImage] = []
    for use in [StoreMigration.PageUse.never, .always] {
      let copy = folder.path("\(use)/Store.sqlite")
      try FileManager.default.createDirectory(atPath: folder.path("\(use)"), withIntermediateDirectories: true)
      try FileManager.default.copyItem(atPath: path, toPath: copy)
      var options = StoreMigration.Options()
      options.derivationTimestamp = 700_000_000
      options.pageUse = use
      results.append(
        Result {
          try StoreMigration.run(storeAt: copy, from: older, to: newer, mapping: mapping, options: options)
        })
      images.append(try StoreImage(path: copy))
      let connection = try Connection(path: copy)
      #expect(try connection.string("PRAGMA integrity_check") == "ok", "\(text)")
      try connection.close()
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("\(use)"))
      #expect(names.filter { !$0.hasPrefix(".") } == ["Store.sqlite"], "\(text)")
    }
    if let difference = images[1].difference(from: images[0]) { Issue.record("\(text): \(difference)") }
    switch (results[0], results[1]) {
    case (.success(let statements), .success(let pages)):
      #expect(pages.plan.description == statements.plan.description, "\(text)")
      #expect(pages.removedDuplicates == statements.removedDuplicates, "\(text)")
      #expect(pages.removedHistoryChanges == statements.removedHistoryChanges, "\(text)")
      return pages.tablesOfPages
    case (.failure(let statements), .failure(let pages)):
      #expect("\(pages)".replacing("always", with: "never") == "\(statements)", "\(text)")
      return nil
    default:
      Issue.record("\(text): \(results)")
      return nil
    }
  }

  private static let parts = RandomSeeds.parts("SEEDBED_RANDOM_MIGRATIONS", count: 200, size: 50)

  @Test("random stores and edits: every table, row and statement of the schema", arguments: parts)
  func random(seeds: ClosedRange<UInt64>) throws {
    var byPages = 0
    for seed in seeds {
      var random = SeededGenerator(seed: seed)
      var stores = try RandomStores(&random) { entities, random in
        guard seed % 3 == 1 else { return }
        var edits = RandomModelEdits(entities, SeededGenerator(seed: random.next()))
        edits.enrich(onlyRoots: true)
        entities = edits.entities
      }
      try stores.change()
      if seed % 3 == 0 { try stores.change() }
      let older = stores.model
      var edits = RandomModelEdits(older, SeededGenerator(seed: random.next()))
      edits.edit(count: Int(seed % 5) + 1)
      if seed % 3 > 0 { edits.editOddly(count: Int(seed % 3)) }
      let path = stores.sqlite.path
      // Derived values are computed at the end.
      try stores.sqlite.seal(journal: .delete)
      guard let newer = try? ManagedObjectModel(entities: edits.entities),
        (try? older.inferredMappingModel(to: newer, mergesHierarchies: true)) != nil
      else { continue }
      if try Self.twins(path, from: older, to: newer, "seed \(seed)")?.isEmpty == false { byPages += 1 }
    }
    if seeds.count >= 50 { #expect(byPages * 4 > seeds.count, "\(byPages)") }
  }

  @Test(
    "real models, each version to the next",
    .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"))
  func fixtures() throws {
    var byPages = 0
    for path in FixtureMigrationTests.models {
      let names = try ModelReader.versions(path: path).names.sorted {
        $0.compare($1, options: .numeric) == .orderedAscending
      }
      for (from, to) in zip(names, names.dropFirst()).suffix(12) {
        let older = try ModelReader.read(path: path, version: from)
        let newer = try ModelReader.read(path: path, version: to)
        if older.entityVersionHashesByName == newer.entityVersionHashesByName { continue }
        guard let mapping = try? older.inferredMappingModel(to: newer, mergesHierarchies: true) else { continue }
        let folder = try TemporaryFolder()
        let store = folder.path("old.sqlite")
        try GeneratedObjects.fill(store, older)
        let text = "\((path as NSString).lastPathComponent): \(from) to \(to)"
        if try Self.twins(store, from: older, to: newer, mapping: mapping, text)?.isEmpty == false { byPages += 1 }
      }
    }
    #expect(byPages >= 5, "\(byPages)")
  }

  /// Places with derived attributes, a spatial index, a partial index, files of long values and a history that keeps
  /// values of deleted objects.
  private static func places(_ isNew: Bool) throws -> ManagedObjectModel {
    var region = EntityDefinition("Region")
    var count = AttributeDefinition("placeCount", .integer64)
    count.derivation = .init(expression: isNew ? "places.@count" : "count:(places)")
    region.attributes = [count, .init("name", .string)]
    if !isNew { region.attributes.append(.init("spare", .string)) }
    region.relationships = [.init("places", toMany: "Place", inverse: "region", ordered: true)]
    var place = EntityDefinition("Place")
    var folded = AttributeDefinition("folded", .string)
    folded.derivation = .init(expression: isNew ? "lowercase:(name)" : "uppercase:(name)")
    var code = AttributeDefinition("code", .string)
    code.preservesValueInHistoryOnDeletion = true
    var image = AttributeDefinition("image", .binary)
    image.allowsExternalBinaryDataStorage = true
    var rank = AttributeDefinition("rank", .integer32)
    rank.preservesValueInHistoryOnDeletion = isNew
    place.attributes = [
      code, folded, image, .init("latitude", .double), .init("longitude", .double), .init("name", .string), rank,
    ]
    place.relationships = [.init("region", toOne: "Region", inverse: "places")]
    place.uniquenessConstraints = [["code"]]
    place.fetchIndexes = [
      .init(
        "space", elements: [.init(.property("latitude"), kind: .rTree), .init(.property("longitude"), kind: .rTree)]),
      .init("byRank", elements: [.init(.property("rank"))]),
    ]
    if isNew {
      // Two hierarchies become one, so that keys are raised.
      region.superentityName = "Base"
      place.superentityName = "Base"
      return try ManagedObjectModel(entities: [EntityDefinition("Base"), region, place])
    }
    return try ManagedObjectModel(entities: [region, place])
  }

  @Test("derived values, spatial indexes, files of long values, and the history where keys are raised")
  func everything() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("Places.sqlite")
    let older = try Self.places(false)
    var options = SQLiteStore.Options()
    options.tracksHistory = true
    let store = try SQLiteStore.create(path: path, model: older, options: options)
    let (region, place) = (try older.required("Region"), try older.required("Place"))
    func id(_ entity: Entity, _ key: Int64) -> ObjectID {
      store.id(of: entity, key)
    }
    _ = try store.reservePrimaryKeys(5, for: region)
    _ = try store.reservePrimaryKeys(300, for: place)
    func snapshot(_ id: ObjectID, _ values: [String: Value], _ toOne: [ObjectID?]) -> Snapshot {
      Snapshot(
        objectID: id, version: 1, attributes: id.entity.attributes.map { values[$0.name] ?? .null }, toOne: toOne)
    }
    var request = SaveRequest()
    request.inserted = (1...5).map { (key: Int64) -> Snapshot in
      snapshot(id(region, key), ["name": .string("r\(key)")], [nil])
    }
    request.inserted += (1...300).map { (key: Int64) -> Snapshot in
      let values: [String: Value] = [
        "code": .string("c\(key)"), "name": .string("Name \(key)"), "latitude": .double(Double(key % 90)),
        "longitude": key % 7 == 0 ? .null : .double(Double(key) / 4), "rank": .integer(key % 10),
      ]
      return snapshot(id(place, key), values, [key % 6 == 0 ? nil : id(region, key % 5 + 1)])
    }
    try store.save(request)
    var deletion = SaveRequest()
    deletion.deleted = [3, 40, 299].map { (id(place, $0), 1) }
    try store.save(deletion)
    try store.close()
    let tables = try Self.twins(path, from: older, to: Self.places(true), "places")
    #expect(tables == ["ZBASE"])
    let report = try StoreMigration.run(storeAt: path, from: older, to: Self.places(true))
    #expect(report.plan.renumbered.count == 1)
    let connection = try Connection(path: path)
    #expect(try connection.integer("SELECT count(*) FROM ACHANGE WHERE ZTOMBSTONE0 IS NOT NULL") == 3)
    #expect(
      try connection.integer(
        "SELECT count(*) FROM ACHANGE AS c JOIN ZBASE AS b ON b.Z_PK = c.ZENTITYPK AND b.Z_ENT = c.ZENTITY "
          + "WHERE ZCHANGETYPE = 0") == 302)
    try connection.close()
    let check = try StoreChecker.check(path: path, model: Self.places(true))
    #expect(check.isSound && check.isCompatible, "\(check.findings)")
  }
}
