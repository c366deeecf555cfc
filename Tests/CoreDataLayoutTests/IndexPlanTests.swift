import CoreDataLayout
import Foundation
import ObjectModel
import Predicates
import StoreInterface
import TestRows
import TestStores
import TestSupport
import Testing

/// Fetch indexes of a model are used by the requests that they are meant for, and only where they are there.
@Suite("Plans over fetch indexes")
struct IndexPlanTests {
  private let folder: TemporaryFolder
  private let indexed: SQLiteStore
  private let bare: SQLiteStore

  init() throws {
    folder = try TemporaryFolder()
    indexed = try Self.store(folder.path("Indexed.sqlite"), isIndexed: true)
    bare = try Self.store(folder.path("Bare.sqlite"), isIndexed: false)
  }

  private static func store(_ path: String, isIndexed: Bool) throws -> SQLiteStore {
    var post = EntityDefinition("Post")
    post.attributes = [
      .init("latitude", .double), .init("longitude", .double), .init("kind", .integer32), .init("rank", .integer64),
      .init("title", .string), .init("note", .string),
    ]
    if isIndexed {
      post.fetchIndexes = [
        .init(
          "byLocation",
          elements: [.init(.property("latitude"), kind: .rTree), .init(.property("longitude"), kind: .rTree)]),
        .init("byPlace", elements: [.init(.property("latitude")), .init(.property("longitude"))]),
        .init("byKindAndRank", elements: [.init(.property("kind")), .init(.property("rank"), isAscending: false)]),
        .init("byTitleAndRank", elements: [.init(.property("title")), .init(.property("rank"))]),
      ]
    }
    let model = try ManagedObjectModel(entities: [post])
    let store = try SQLiteStore.create(path: path, model: model)
    let columns: [RowBatch.Column] = [
      .init(.attribute("latitude"), .real), .init(.attribute("longitude"), .real), .init(.attribute("kind"), .integer),
      .init(.attribute("rank"), .integer), .init(.attribute("title"), .bytes),
    ]
    var generator = SeededGenerator(seed: 20)
    let rows: [[Cell]] = (0..<3_000).map { index in
      [
        .real(Double.random(in: 40...50, using: &generator)), .real(Double.random(in: 0...10, using: &generator)),
        .integer(Int64(index % 50)), .integer(Int64.random(in: 0...500, using: &generator)),
        .text("t\(Int.random(in: 0...900, using: &generator))"),
      ]
    }
    try store.insert(makeBatch(try model.required("Post"), columns, rows), keys: (1...3_000).map { Int64($0) })
    return store
  }

  private func request(
    _ store: SQLiteStore, _ format: String, sortedBy sorts: [FetchSortDescriptor] = [],
    as resultType: FetchSpecification.ResultType = .objects, properties: [String] = []
  ) throws -> FetchSpecification {
    var request = FetchSpecification(try store.model.required("Post"))
    request.predicate = try FetchPredicate(parsing: format)
    request.sortDescriptors = sorts
    request.resultType = resultType
    request.propertiesToFetch = properties.map { FetchedExpression(keyPath: [$0]) }
    return request
  }

  private static let box = "latitude BETWEEN {43, 43.5} AND longitude BETWEEN {4, 4.5}"
  private static let spatialBox =
    "indexed:by:(latitude, 'byLocation') BETWEEN {43, 43.5} AND indexed:by:(longitude, 'byLocation') BETWEEN {4, 4.5}"

  @Test("a bounding box that names the R-tree is looked for in it, and without one every row is looked at")
  func boundingBox() throws {
    let found = try indexed.explanation(of: request(indexed, Self.spatialBox))
    #expect(!found.scansTable, "\(found)")
    #expect(
      found.plan.contains { $0.contains("Z_RT_Post_byLocation") || $0.contains("VIRTUAL TABLE INDEX") }, "\(found)")
    let scanned = try bare.explanation(of: request(bare, Self.box))
    #expect(scanned.scansTable, "\(scanned)")
    // A predicate that names an index that the model does not have is a mistake, as in Core Data.
    #expect(throws: (any Error).self) { try bare.explanation(of: request(bare, Self.spatialBox)) }
    let keys = try indexed.objectIDs(request(indexed, Self.spatialBox)).map(\.primaryKey)
    #expect(!keys.isEmpty && keys.count < 100)
    #expect(try bare.objectIDs(request(bare, Self.box)).map(\.primaryKey) == keys)
  }

  @Test("a bounding box that names no index is a range of the compound one")
  func compoundBox() throws {
    let found = try indexed.explanation(of: request(indexed, Self.box))
    #expect(
      !found.scansTable && found.plan.contains { $0.contains("Z_Post_byPlace (ZLATITUDE>? AND ZLATITUDE<?") },
      "\(found)")
    #expect(try bare.explanation(of: request(bare, Self.box)).scansTable)
  }

  @Test("a compound index answers equality and order together, without sorting", arguments: [0, 20])
  func equalityAndOrder(limit: Int) throws {
    let sorts = [FetchSortDescriptor(["rank"], ascending: false)]
    var wanted = try request(indexed, "kind == 7", sortedBy: sorts)
    wanted.fetchLimit = limit
    let found = try indexed.explanation(of: wanted)
    #expect(!found.scansTable && !found.usesTemporaryTree, "\(found)")
    #expect(found.plan.contains { $0.contains("INDEX Z_Post_byKindAndRank (ZKIND=?)") }, "\(found)")
    var same = try request(bare, "kind == 7", sortedBy: sorts)
    same.fetchLimit = limit
    let scanned = try bare.explanation(of: same)
    #expect(scanned.scansTable && scanned.usesTemporaryTree, "\(scanned)")
    #expect(try indexed.objectIDs(wanted).map(\.primaryKey) == bare.objectIDs(same).map(\.primaryKey))
  }

  @Test(
    "an index that has all columns answers dictionaries and counts alone",
    arguments: [
      ("title == 't5'", ["rank"], FetchSpecification.ResultType.dictionaries, ["title", "rank"]),
      ("title == 't5'", ["rank"], .dictionaries, ["rank"]), ("title == 't5' AND rank > 3", [], .count, []),
      ("title BEGINSWITH 't5'", [], .count, []), ("kind == 3", [], .count, []),
    ])
  func covering(
    format: String, sorts: [String], resultType: FetchSpecification.ResultType, properties: [String]
  ) throws {
    let order = sorts.map { FetchSortDescriptor([$0]) }
    let found = try indexed.explanation(
      of: request(indexed, format, sortedBy: order, as: resultType, properties: properties))
    #expect(found.plan.contains { $0.contains("USING COVERING INDEX Z_Post_by") }, "\(found)")
    #expect(!found.scansTable && !found.usesTemporaryTree, "\(found)")
    let scanned = try bare.explanation(
      of: request(bare, format, sortedBy: order, as: resultType, properties: properties))
    #expect(scanned.scansTable, "\(scanned)")
    #expect(
      try indexed.count(request(indexed, format)) == bare.count(request(bare, format)))
  }

  @Test("an explanation is of the statement that the kind of result takes")
  func kinds() throws {
    let texts = try FetchSpecification.ResultType.allCases.map { kind in
      try indexed.explanation(of: request(indexed, "rank > 3", as: kind, properties: ["title"])).statement
    }
    #expect(texts[0].contains("t0.ZNOTE") && texts[1].hasPrefix("SELECT t0.Z_PK, t0.Z_ENT FROM"))
    #expect(texts[2].hasPrefix("SELECT t0.ZTITLE FROM") && texts[3].hasPrefix("SELECT count(*) FROM"), "\(texts)")
  }

  @Test("the beginning of a text is a range of an index")
  func prefix() throws {
    let found = try indexed.explanation(of: request(indexed, "title BEGINSWITH 't12'"))
    #expect(found.plan.contains { $0.contains("INDEX Z_Post_byTitleAndRank (ZTITLE>? AND ZTITLE<?)") }, "\(found)")
    #expect(try bare.explanation(of: request(bare, "title BEGINSWITH 't12'")).scansTable)
  }
}
