import Foundation
import MemoryStore
import ObjectModel
import Predicates
import StoreInterface
import TestStores
import TestSupport
import Testing

@Suite("Every type of store gives the same answers")
struct EqualAnswersTests {
  @Test("random saves, with the store opened anew in between", arguments: StoreKind.onDisk, [1, 2, 3, 4, 5, 6, 7, 8])
  func randomSaves(kind: StoreKind, seed: Int) throws {
    let folder = try TemporaryFolder()
    let model = try Museum.model()
    let oracle = InMemoryStore(model: model)
    var store = try kind.open(in: folder, model)
    var museum = RandomMuseum(seed: UInt64(seed))
    for round in 0..<14 {
      let change = museum.next()
      try change.apply(to: oracle)
      try change.apply(to: store)
      let difference = try Portrait.lines(store).difference(from: Portrait.lines(oracle))
      #expect(difference.isEmpty, "round \(round): \(difference)")
      if round % 3 == 2 {
        let identifier = store.identifier
        store = try kind.open(in: folder, model)
        #expect(store.identifier == identifier)
        #expect(try Portrait.lines(store) == Portrait.lines(oracle), "round \(round), opened anew")
      }
    }
  }

  @Test("fetches with predicates, orders and limits", arguments: StoreKind.onDisk)
  func fetches(kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let model = try Museum.model()
    let oracle = InMemoryStore(model: model)
    let store = try kind.open(in: folder, model)
    var museum = RandomMuseum(seed: 7)
    for _ in 0..<12 {
      let change = museum.next()
      try change.apply(to: oracle)
      try change.apply(to: store)
    }
    let artist = try Portrait.ids(of: oracle).first { $0.value.entity.name == "Artist" }?.key ?? ""
    for (index, make) in Self.requests.enumerated() {
      let expected = try oracle.snapshots(try make(oracle, artist)).map { Portrait.code($0) }
      let request = try make(store, artist)
      #expect(try store.snapshots(request).map { Portrait.code($0) } == expected, "request \(index)")
      #expect(try store.count(request) == expected.count)
      #expect(try store.objectIDs(request).count == expected.count)
      if StoreKind.files.contains(kind) {
        let rows = try oracle.dictionaries(try make(oracle, artist)).map { $0["code"] }
        #expect(try store.dictionaries(request).map { $0["code"] } == rows)
      }
    }
  }

  private static let requests: [@Sendable (any PersistentStore, String) throws -> FetchSpecification] = [
    { store, _ in FetchSpecification(try store.model.required("Work")) },
    { store, _ in try sorted(store, "Work") { $0.includesSubentities = false } },
    { store, _ in try sorted(store, "Painting") { $0.predicate = .comparison(["technique"], .equal, .string("oil")) } },
    { store, _ in try sorted(store, "Work") { $0.predicate = .comparison(["title"], .beginsWith, .string("caf")) } },
    { store, _ in try sorted(store, "Work") { $0.predicate = .not(.comparison(["small"], .less, .integer(0))) } },
    { store, _ in try sorted(store, "Work") { $0.predicate = .isIn(["title"], [.null, .string(""), .string(" ")]) } },
    { store, artist in
      try sorted(store, "Work") { $0.predicate = .comparison(["artist", "code"], .equal, .string(artist)) }
    },
    { store, artist in
      let id = try Portrait.ids(of: store)[artist]
      return try sorted(store, "Work") { $0.predicate = .refersTo(["artist"], id) }
    },
    { store, _ in
      try sorted(store, "Work") {
        $0.sortDescriptors.insert(FetchSortDescriptor(["artist", "code"], ascending: false), at: 0)
        $0.fetchOffset = 2
        $0.fetchLimit = 5
      }
    },
  ]

  private static func sorted(
    _ store: any PersistentStore, _ entity: String, _ change: (inout FetchSpecification) throws -> Void
  ) throws -> FetchSpecification {
    var request = FetchSpecification(try store.model.required(entity))
    request.sortDescriptors = [FetchSortDescriptor(["code"])]
    try change(&request)
    return request
  }

  @Test("a save that breaks a constraint or knows old values changes nothing", arguments: StoreKind.allCases)
  func refusals(kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let model = try Museum.model()
    let store = try kind.open(in: folder, model)
    var museum = RandomMuseum(seed: 3)
    for _ in 0..<4 { try museum.next().apply(to: store) }
    let before = try Portrait.lines(store)
    let files = try folder.contents()
    let tag = try model.required("Tag")
    let first = try #require(try store.snapshots(FetchSpecification(tag)).first)

    let key = try store.reservePrimaryKeys(1, for: tag)
    var copy = first
    copy.objectID = store.id(of: tag, key)
    var insertion = SaveRequest()
    insertion.inserted = [copy]
    let twice = insertion
    #expect {
      try store.save(twice)
    } throws: { if case StoreError.constraintConflict(entity: "Tag", _, _) = $0 { true } else { false } }

    var stale = SaveRequest()
    stale.deleted = [(objectID: first.objectID, version: first.version + 1)]
    let deletion = stale
    #expect {
      try store.save(deletion)
    } throws: { if case StoreError.optimisticLockingFailure = $0 { true } else { false } }
    #expect(try Portrait.lines(store) == before)
    if StoreKind.files.contains(kind) { #expect(try folder.contents() == files) }

    // Unique values may change hands within one save.
    var exchange = SaveRequest()
    exchange.deleted = [(objectID: first.objectID, version: first.version)]
    copy.toOne = copy.toOne.map { _ in nil }
    exchange.inserted = [copy]
    try store.save(exchange)
    #expect(try store.count(FetchSpecification(tag)) == before.count { $0.hasPrefix("Tag") })
  }

  @Test("a relationship without a delete rule still leads to what was deleted", arguments: [StoreKind.binary, .xml])
  func dangling(kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let model = try Museum.model()
    let store = try kind.open(in: folder, model)
    var museum = RandomMuseum(seed: 5)
    for _ in 0..<6 { try museum.next().apply(to: store) }
    let artist = try model.required("Artist")
    let place = try #require(artist.relationships.firstIndex { $0.name == "favourite" })
    let favourite = try #require(try store.snapshots(FetchSpecification(artist)).compactMap { $0.toOne[place] }.first)
    let work = try #require(try Portrait.snapshots(store).first { $0.objectID == favourite })
    var request = SaveRequest()
    request.deleted = [(objectID: favourite, version: work.version)]
    try store.save(request)
    let lines = try Portrait.lines(store)
    #expect(lines.contains { $0.contains("favourite->gone") })
    #expect(try Portrait.lines(try kind.open(in: folder, model)) == lines)
  }

  @Test("keys of deleted objects are not given out again", arguments: StoreKind.onDisk.filter { !$0.isFolder })
  func keys(kind: StoreKind) throws {
    // The ids of a record folder hold only as long as it is open.
    let folder = try TemporaryFolder()
    let model = try Museum.model()
    let tag = try model.required("Tag")
    var store = try kind.open(in: folder, model)
    var seen = Set<Int64>()
    for round in 0..<4 {
      let key = try store.reservePrimaryKeys(1, for: tag)
      #expect(seen.insert(key).inserted)
      let id = store.id(of: tag, key)
      var request = SaveRequest()
      request.inserted = [Snapshot(objectID: id, version: 1, attributes: [.string("\(round)")], toOne: [nil])]
      try store.save(request)
      request.inserted = []
      request.deleted = [(objectID: id, version: 1)]
      try store.save(request)
      store = try kind.open(in: folder, model)
    }
  }
}

extension TemporaryFolder {
  /// Every file below the folder with its bytes.
  func contents() throws -> [String: Data] {
    var found: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: url.path) {
      if let data = FileManager.default.contents(atPath: file(name).path) { found[name] = data }
    }
    return found
  }
}
