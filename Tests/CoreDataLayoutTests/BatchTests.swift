import CoreDataLayout
import ObjectModel
import Predicates
import SQLite
import StoreInterface
import TestRows
import TestStores
import TestSupport
import Testing

@Suite("row batches")
struct BatchTests {
  private let folder: TemporaryFolder
  private let model: ManagedObjectModel
  private let stop: Entity
  private let store: SQLiteStore
  private static let columns: [RowBatch.Column] = [
    .init(.attribute("identifier"), .bytes), .init(.attribute("name"), .bytes), .init(.attribute("zone"), .integer),
    .init(.attribute("latitude"), .real), .init(.toOne("parent"), .integer),
  ]

  init() throws {
    folder = try TemporaryFolder()
    model = try Models.transit()
    stop = try model.required("Stop")
    store = try SQLiteStore.create(path: folder.path("a.sqlite"), model: model)
  }

  private func upsert(
    _ rows: [[Cell]], _ onMatch: UpsertOptions.OnMatch = .update, columns: [RowBatch.Column] = columns,
    keys: [Int] = [0]
  ) throws -> ([RowOutcome], [Int64]) {
    var outcomes: [RowOutcome] = []
    var primaryKeys: [Int64] = []
    try store.upsert(
      makeBatch(stop, columns, rows), keyColumns: keys, options: UpsertOptions(onMatch: onMatch), outcomes: &outcomes,
      primaryKeys: &primaryKeys)
    return (outcomes, primaryKeys)
  }

  private func row(_ key: Int64) throws -> (version: Int64, values: [String: Value]) {
    var request = FetchSpecification(stop)
    request.predicate = .selfIsIn([
      store.id(of: stop, key)
    ])
    let snapshot = try #require(try store.snapshots(request).first)
    let names = stop.attributes.map(\.name)
    return (snapshot.version, Dictionary(zip(names, snapshot.attributes), uniquingKeysWith: { first, _ in first }))
  }

  @Test("each row of an upsert has the outcome that its key and values call for")
  func outcomes() throws {
    let first = try upsert([
      [.text("a"), .text("Alpha"), .absent, .real(1), .null],
      [.text("b"), .text("Beta"), .integer(2), .null, .integer(1)],
      [.null, .text("nameless"), .absent, .null, .null],
    ])
    #expect(first == ([.inserted, .inserted, .inserted], [1, 2, 3]))
    #expect(try row(1).values["zone"] == .integer(7))

    let second = try upsert([
      [.text("b"), .text("Beta"), .absent, .absent, .integer(1)],
      [.text("a"), .text("Alpha 2"), .absent, .absent, .absent],
      [.null, .text("nameless"), .absent, .null, .null],
      [.text("a"), .text("Alpha 2"), .absent, .absent, .absent],
    ])
    #expect(second == ([.unchanged, .updated, .inserted, .unchanged], [2, 1, 4, 1]))
    #expect(try row(1).version == 2)
    #expect(try row(1).values["latitude"] == .double(1))
    #expect(try row(2).version == 1)
  }

  @Test("explicit null clears what absent leaves alone")
  func nullClears() throws {
    _ = try upsert([[.text("a"), .text("Alpha"), .integer(3), .real(1), .null]])
    #expect(try upsert([[.text("a"), .null, .absent, .null, .absent]]).0 == [.updated])
    let values = try row(1).values
    #expect(values["name"] == .null)
    #expect(values["latitude"] == .null)
    #expect(values["zone"] == .integer(3))
  }

  @Test("keep and fail leave the row as it is; replace puts defaults where nothing is said")
  func onMatch() throws {
    _ = try upsert([[.text("a"), .text("Alpha"), .integer(3), .real(1), .null]])
    #expect(try upsert([[.text("a"), .text("X"), .absent, .absent, .null]], .keep) == ([.kept], [1]))
    #expect(try upsert([[.text("a"), .text("X"), .absent, .absent, .null]], .fail) == ([.failedMatch], [1]))
    #expect(try row(1).version == 1)
    let few: [RowBatch.Column] = [.init(.attribute("identifier"), .bytes), .init(.attribute("zone"), .integer)]
    #expect(try upsert([[.text("a"), .absent]], .replace, columns: few).0 == [.updated])
    #expect(try row(1).values["zone"] == .integer(7))
    #expect(try row(1).values["name"] == .null)
    #expect(try upsert([[.text("a"), .absent]], .replace, columns: few).0 == [.unchanged])
  }

  @Test("a row that would break another constraint is a conflict and does not stop the others")
  func conflict() throws {
    let station = try model.required("Station")
    _ = try upsert([[.text("a"), .null, .absent, .null, .null]])
    var outcomes: [RowOutcome] = []
    var keys: [Int64] = []
    // A Stop is no Station, so the key is not found; the constraint holds for the whole table.
    try store.upsert(
      makeBatch(station, [.init(.attribute("identifier"), .bytes)], [[.text("a")], [.text("s")]]), keyColumns: [0],
      outcomes: &outcomes, primaryKeys: &keys)
    #expect(outcomes == [.conflict, .inserted])
    #expect(keys == [0, 2])
  }

  @Test("an insert that breaks a constraint changes nothing and names it")
  func insertConflict() throws {
    let batch = makeBatch(stop, [.init(.attribute("identifier"), .bytes)], [[.text("a")], [.text("a")]])
    let error = #expect(throws: StoreError.self) { try store.insert(batch, keys: [1, 2]) }
    guard case .constraintConflict("Stop", ["identifier"], _) = error else {
      Issue.record("unexpected \(String(describing: error))")
      return
    }
    #expect(try store.count(FetchSpecification(stop)) == 0)
    #expect(try store.reservePrimaryKeys(1, for: stop) == 1)
  }

  @Test("an update by primary key writes only what differs")
  func update() throws {
    _ = try upsert([[.text("a"), .text("Alpha"), .integer(3), .real(1), .null]])
    let batch = makeBatch(
      stop, [.init(.attribute("name"), .bytes), .init(.attribute("zone"), .integer)],
      [[.absent, .integer(4)], [.text("Alpha"), .absent], [.text("X"), .absent]])
    var outcomes: [RowOutcome] = []
    let keys: [Int64] = [1, 1, 99]
    try unsafe keys.withUnsafeBufferPointer {
      try unsafe store.update(batch, primaryKeys: $0, outcomes: &outcomes)
    }
    #expect(outcomes == [.updated, .unchanged, .missing])
    #expect(try row(1).version == 2)
  }

  @Test("rows take their place at the end of an ordered relationship when the batch gives none")
  func orderKeys() throws {
    _ = try upsert([[.text("p"), .null, .absent, .null, .null], [.text("q"), .null, .absent, .null, .null]])
    _ = try upsert([
      [.text("c"), .null, .absent, .null, .integer(1)], [.text("a"), .null, .absent, .null, .integer(1)],
      [.text("b"), .null, .absent, .null, .integer(2)],
    ])
    _ = try upsert([
      [.text("d"), .null, .absent, .null, .integer(1)], [.text("c"), .null, .absent, .null, .integer(2)],
    ])
    let place = try model.required("Place")
    let children = try #require(place.relationship("children"))
    func members(_ key: Int64) throws -> [Int64] {
      let owner = store.id(of: stop, key)
      return try store.members(of: owner, relationship: children).compactMap(\.primaryKey)
    }
    #expect(try members(1) == [4, 6])
    #expect(try members(2) == [5, 3])
    try store.close()
    let connection = try Connection(path: folder.path("a.sqlite"))
    #expect(
      try connection.string("SELECT group_concat(Z_FOK_PARENT) FROM (SELECT * FROM ZPLACE WHERE ZPARENT = 1)")
        == "3072,4096")
    #expect(try connection.integer("SELECT count(*) FROM ZPLACE WHERE ZPARENT NOT NULL AND Z2_PARENT IS NOT 3") == 0)
    let held = try connection.integer("SELECT count(*) FROM Z_RT_Stop_byPlace")
    #expect(try connection.integer("SELECT count(*) FROM ZPLACE") == held)
  }

  @Test("the spatial index follows the rows")
  func rTree() throws {
    let columns: [RowBatch.Column] = [
      .init(.attribute("identifier"), .bytes), .init(.attribute("latitude"), .real),
      .init(.attribute("longitude"), .real),
    ]
    _ = try upsert([[.text("a"), .real(1), .real(2)], [.text("b"), .real(3), .null]], columns: columns)
    _ = try upsert([[.text("b"), .absent, .real(4)]], columns: columns)
    try store.delete(entity: stop, primaryKeys: [1])
    try store.close()
    let connection = try Connection(path: folder.path("a.sqlite"))
    #expect(
      try connection.string("SELECT group_concat(Z_PK || ':' || ZLONGITUDE_MIN) FROM Z_RT_Stop_byPlace") == "2:4.0")
  }

  @Test("memberships are added once, replaced in order, and go with their rows")
  func links() throws {
    let route = try model.required("Route")
    _ = try upsert((0..<4).map { [.text("s\($0)"), .null, .absent, .null, .null] })
    try store.insert(
      makeBatch(route, [.init(.attribute("code"), .bytes)], [[.text("x")], [.text("y")]]), keys: [1, 2])
    let stops = try #require(route.relationship("stops"))
    let routes = try #require(stop.relationship("routes"))
    #expect(try store.link(stops, pairs: [(1, 3), (1, 2), (2, 3), (1, 3)], replacing: false) == 3)
    #expect(try store.link(stops, pairs: [(1, 3)], replacing: false) == 0)
    func members(_ relationship: Relationship, _ owner: Entity, _ key: Int64) throws -> [Int64] {
      let id = store.id(of: owner, key)
      return try store.members(of: id, relationship: relationship).compactMap(\.primaryKey)
    }
    #expect(try members(stops, route, 1) == [3, 2])
    #expect(try members(routes, stop, 3) == [1, 2])
    try store.link(stops, pairs: [(1, 4), (1, 3)], replacing: true)
    #expect(try members(stops, route, 1) == [4, 3])

    let neighbours = try #require(stop.relationship("neighbours"))
    try store.link(neighbours, pairs: [(1, 2)], replacing: false)
    #expect(try members(neighbours, stop, 2) == [1])

    let note = try model.required("Note")
    try store.insert(makeBatch(note, [.init(.attribute("text"), .bytes)], [[.text("n")]]), keys: [1])
    let notes = try #require(route.relationship("notes"))
    try store.link(notes, pairs: [(1, 1)], replacing: false)
    try store.link(notes, pairs: [(2, 1)], replacing: false)
    #expect(try members(notes, route, 1) == [])
    #expect(try members(notes, route, 2) == [1])

    #expect(try store.delete(entity: stop, primaryKeys: [3, 77]) == 1)
    #expect(try members(stops, route, 1) == [4])
  }

  @Test("a scan gives keys, entities and columns in primary-key order, batch by batch")
  func scan() throws {
    _ = try upsert((0..<5).map { [.text("s\($0)"), .null, .integer(Int64($0)), .null, $0 == 0 ? .null : .integer(1)] })
    let columns: [RowBatch.Column] = [
      .init(.attribute("identifier"), .bytes), .init(.toOneEntity("parent"), .integer),
      .init(.attribute("name"), .bytes),
    ]
    let batch = RowBatch(entity: stop, columns: columns, capacity: 2)
    var keys: [Int64] = []
    var texts: [String] = []
    var parents: [Int64] = []
    unsafe try store.scan(stop, columns: columns, into: batch) { batch, primaryKeys, entities in
      keys += unsafe Array(primaryKeys)
      #expect(unsafe entities.allSatisfy { $0 == Int64(stop.index) })
      for row in 0..<batch.count {
        let slice = unsafe batch.slices(0)[row]
        let bytes = unsafe UnsafeRawBufferPointer(start: batch.arena + Int(slice.offset), count: Int(slice.length))
        texts.append(unsafe String(decoding: bytes, as: UTF8.self))
        if unsafe batch.states[1][row] == RowBatch.State.value.rawValue {
          parents.append(unsafe batch.integers(1)[row])
        }
        #expect(unsafe batch.states[2][row] == RowBatch.State.null.rawValue)
      }
    }
    #expect(keys == [1, 2, 3, 4, 5])
    #expect(texts == ["s0", "s1", "s2", "s3", "s4"])
    #expect(parents == Array(repeating: Int64(stop.index), count: 4))
  }

  @Test("counts of derived attributes are kept, with triggers and without", arguments: [false, true])
  func derivedCounts(defers: Bool) throws {
    let model = try Models.library()
    let shelf = try model.required("Shelf")
    let book = try model.required("Book")
    var options = SQLiteStore.Options()
    options.defersIndexes = defers
    let store = try SQLiteStore.create(path: folder.path("b.sqlite"), model: model, options: options)
    try store.insert(
      makeBatch(shelf, [.init(.attribute("label"), .bytes)], [[.text("x")], [.text("y")]]), keys: [1, 2])
    try store.insert(
      makeBatch(book, [.init(.toOne("shelf"), .integer)], [[.integer(1)], [.integer(1)], [.integer(2)], [.null]]),
      keys: [1, 2, 3, 4])
    try store.buildDeferredIndexes()
    try store.delete(entity: book, primaryKeys: [1])
    let counts = try store.snapshots(FetchSpecification(shelf)).map { $0.attributes[0] }
    #expect(counts == [.integer(1), .integer(1)])
  }

  @Test("duplicates that deferred unique indexes find are named")
  func deferredDuplicates() throws {
    let store = try SQLiteStore.create(path: folder.path("c.sqlite"), model: model, options: .construction)
    try store.insert(
      makeBatch(stop, [.init(.attribute("identifier"), .bytes)], [[.text("a")], [.text("a")]]), keys: [1, 2])
    let error = #expect(throws: StoreError.self) { try store.buildDeferredIndexes() }
    guard case .constraintConflict("Stop", ["identifier"], _) = error else {
      Issue.record("unexpected \(String(describing: error))")
      return
    }
  }
}
