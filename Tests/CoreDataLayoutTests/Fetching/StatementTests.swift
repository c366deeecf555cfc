import CoreDataLayout
import Foundation
import MemoryStore
import ModelFiles
import ObjectModel
import Predicates
import StoreInterface
import TestStores
import TestSupport
import Testing

@Suite("Statements of fetches")
struct StatementTests {
  private let folder: TemporaryFolder
  private let store: SQLiteStore
  private let stop: Entity

  init() throws {
    folder = try TemporaryFolder()
    let root = FixtureFolder.packageRoot
    let model = try ModelReader.read(path: root.path + "/scripts/benchmarks/TransitQueries.xcdatamodeld")
    store = try SQLiteStore.create(path: folder.path("queries.sqlite"), model: model)
    stop = try model.required("Stop")
  }

  private func condition(_ format: String, _ arguments: (any PredicateArgument)?...) throws -> String {
    var request = FetchSpecification(stop)
    request.predicate = try FetchPredicate(parsing: format, arguments: arguments)
    let text = try store.selectStatement(for: request)
    let start = try #require(text.range(of: " FROM "))
    return String(text[start.upperBound...])
  }

  @Test("a bounding box is a range of the compound index")
  func box() throws {
    let text = try condition(
      "latitude >= %@ AND latitude <= %@ AND longitude >= %@ AND longitude <= %@", 1.0, 2.0, 3.0, 4.0)
    #expect(
      text == "ZSTOP AS t0 WHERE (t0.ZLATITUDE >= ?1) AND (t0.ZLATITUDE <= ?2) AND (t0.ZLONGITUDE >= ?3) "
        + "AND (t0.ZLONGITUDE <= ?4) ORDER BY t0.Z_PK ASC")
  }

  @Test(
    "a subquery whose count is compared with nothing stops at the first row",
    arguments: [
      ("> 0", "EXISTS"), ("!= 0", "EXISTS"), (">= 1", "EXISTS"), ("== 0", "NOT EXISTS"), ("< 1", "NOT EXISTS"),
    ])
  func existence(comparison: String, word: String) throws {
    let text = try condition(
      "SUBQUERY(stopTimes, $t, $t.departureTime >= %@ AND $t.departureTime <= %@).@count \(comparison)", 1, 2)
    #expect(
      text == "ZSTOP AS t0 WHERE \(word) (SELECT 1 FROM ZSTOPTIME AS t1 WHERE t1.ZSTOP = t0.Z_PK AND "
        + "((t1.ZDEPARTURETIME >= ?1) AND (t1.ZDEPARTURETIME <= ?2))) ORDER BY t0.Z_PK ASC")
  }

  @Test(
    "a count that must be above nothing stops at the first row, whichever way it is written",
    arguments: [
      "stopTimes.@count > 0", "0 < stopTimes.@count", "stopTimes.@count > 0.0", "stopTimes[SIZE] > 0",
      "1 <= stopTimes.@count", "SUBQUERY(stopTimes, $t, TRUEPREDICATE).@count != 0",
    ])
  func mirroredExistence(format: String) throws {
    let inner = format.hasPrefix("SUBQUERY") ? " AND 1" : ""
    #expect(
      try condition(format)
        == "ZSTOP AS t0 WHERE EXISTS (SELECT 1 FROM ZSTOPTIME AS t1 WHERE t1.ZSTOP = t0.Z_PK\(inner)) "
        + "ORDER BY t0.Z_PK ASC")
    #expect(
      try condition("SUBQUERY(parent.children, $c, \(format)).@count >= 0").contains("EXISTS (SELECT 1 FROM ZSTOPTIME"))
  }

  @Test("the name of the entity is looked up by its number")
  func entityName() throws {
    #expect(try condition("entity.name == 'Stop'") == "ZSTOP AS t0 WHERE (t0.Z_ENT = 3) ORDER BY t0.Z_PK ASC")
    #expect(try condition("entity == %@", stop) == condition("entity.name == 'Stop'"))
    #expect(try condition("entity.name IN {'Trip', nil}").contains("WHERE (t0.Z_ENT IS NULL) ORDER BY"))
    #expect(try condition("objectID == nil") == condition("SELF == nil"))
  }

  @Test("another count is counted")
  func count() throws {
    let text = try condition("SUBQUERY(stopTimes, $t, $t.departureTime >= %@).@count > 3", 1)
    #expect(text.contains("(SELECT count(t1.Z_PK) FROM ZSTOPTIME AS t1 WHERE t1.ZSTOP = t0.Z_PK AND "))
  }

  @Test("the beginning of a normalised name is a range of its index")
  func prefix() throws {
    #expect(
      try condition("normalizedName BEGINSWITH[n] %@", "alex")
        == "ZSTOP AS t0 WHERE (t0.ZNORMALIZEDNAME >= ?1 AND t0.ZNORMALIZEDNAME < ?2) ORDER BY t0.Z_PK ASC")
  }

  @Test("members that an index finds give their owners")
  func searchTerms() throws {
    let text = try condition("ANY searchTerms.text BEGINSWITH[n] %@", "alex")
    #expect(text.hasPrefix("ZSTOP AS t0 WHERE t0.Z_PK IN (SELECT t2.Z_"), "\(text)")
    #expect(text.contains(" AS t2 JOIN ZSEARCHTERM AS t1 ON t1.Z_PK = t2.Z_"))
    #expect(text.contains("WHERE (t1.ZTEXT >= ?1 AND t1.ZTEXT < ?2)) ORDER BY"), "\(text)")
  }

  @Test(
    "members are looked at for each owner where no index finds them, where few owners are left, and where they must not be there",
    arguments: [
      "ANY searchTerms.text CONTAINS 'x'", "ANY searchTerms.text BEGINSWITH[cd] 'x'",
      "identifier == 'a' AND ANY searchTerms.text BEGINSWITH 'x'", "NOT ANY searchTerms.text == 'x'",
      "zone == 'a' OR ANY searchTerms.text == 'x'", "ANY searchTerms.text == nil", "ANY stopTimes.sequence == 3",
      "ANY children.searchTerms.text == 'x'",
    ])
  func membersOfEachOwner(format: String) throws {
    let text = try condition(format)
    #expect(text.contains("EXISTS (SELECT 1 FROM") && !text.contains("Z_PK IN (SELECT"), "\(text)")
  }

  @Test("values never stand in the text, and relationships are joined once")
  func parameters() throws {
    let text = try condition("parent.name == %@ OR parent.zone == %@", "x' OR 1 = 1 --", "z")
    #expect(!text.contains("x'"))
    #expect(text.components(separatedBy: "LEFT JOIN").count == 2)
  }

  @Test("an index that is asked for is used, and one that cannot be used is no error")
  func hints() throws {
    #expect(
      try condition("indexed:by:(normalizedName, \"byNormalizedName\") == %@", "a")
        .hasPrefix("ZSTOP AS t0 INDEXED BY \"Z_Stop_byNormalizedName\" WHERE"))
    var request = FetchSpecification(stop)
    request.predicate = try FetchPredicate(parsing: "indexed:by:(name, \"byNormalizedName\") == %@", "a")
    #expect(try store.snapshots(request).isEmpty)
    request.predicate = try FetchPredicate(parsing: "indexed:by:(name, \"nowhere\") == %@", "a")
    #expect(throws: StoreError.self) { try store.snapshots(request) }
  }

  @Test("a predicate of thousands of parts is no deeper than SQLite allows")
  func manyParts() throws {
    var request = FetchSpecification(stop)
    request.predicate = .and((0..<5_000).map { .comparison(["zone"], .notEqual, .string("\($0)")) })
    #expect(try store.count(request) == 0)
  }
}

@Suite("R-trees in fetches")
struct SpatialFetchTests {
  @Test("rows with and without coordinates are found as without the tree", arguments: [false, true])
  func bounds(isBothBounded: Bool) throws {
    let folder = try TemporaryFolder()
    var place = EntityDefinition("Place")
    place.attributes = [AttributeDefinition("x", .double), AttributeDefinition("y", .double)]
    place.fetchIndexes = [
      FetchIndexDefinition("byPlace", elements: ["x", "y"].map { .init(.property($0), kind: .rTree) })
    ]
    let model = try ManagedObjectModel(entities: [place])
    let entity = try model.required("Place")
    let stores: [any PersistentStore] = [
      try SQLiteStore.create(path: folder.path("places.sqlite"), model: model), InMemoryStore(model: model),
    ]
    var found: [[Int64?]] = []
    for store in stores {
      _ = try store.reservePrimaryKeys(60, for: entity)
      var request = SaveRequest()
      for key in Int64(1)...60 {
        let id = store.id(of: entity, key)
        request.inserted.append(
          Snapshot(
            objectID: id, version: 1,
            attributes: [.double(Double(key) / 4), key % 5 == 0 ? .null : .double(-Double(key))], toOne: []))
      }
      try store.save(request)
      var fetch = FetchSpecification(entity)
      let second = isBothBounded ? "indexed:by:(y, \"byPlace\") > -40" : "x < 100"
      fetch.predicate = try FetchPredicate(
        parsing: "indexed:by:(x, \"byPlace\") BETWEEN {2, 12.25} AND \(second)")
      found.append(try store.snapshots(fetch).map(\.objectID.primaryKey))
      if let sqlite = store as? SQLiteStore {
        #expect(try sqlite.selectStatement(for: fetch).contains("Z_RT_") == isBothBounded)
      }
    }
    #expect(found[0] == found[1])
    #expect(found[0].count == (isBothBounded ? 26 : 42))
  }
}
