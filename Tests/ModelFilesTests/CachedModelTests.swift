import Foundation
import ModelFiles
import ObjectModel
import SQLite
import TestSupport
import Testing

@Suite("Models cached in stores", .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"))
struct CachedModelTests {
  /// The store that a framework without caches made.
  private static let uncached = "stores/surf-journal/SurfJournalModel.sqlite"
  /// The stores with a cache.
  static let cached: [String] = FixtureFolder.expected.storePaths.filter { $0 != uncached }
  /// Those of them with a source of their model.
  private static let sourced: [String] = cached.filter { source(of: $0) != nil }

  /// The path of the model that a store was made from, where it is among the fixtures.
  static func source(of store: String) -> String? {
    FixtureFolder.expected.stores[store]?.models.first.map { FixtureFolder.path($0) }
  }

  /// The value of `Z_MODELCACHE.Z_CONTENT`, read from a copy of the store with its sidecars; nil without a cache.
  static func content(of store: String) throws -> [UInt8]? {
    let folder = try TemporaryFolder()
    let connection = try Connection(path: FixtureFolder.copyStore(store, to: folder.url).path)
    let tables = try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'Z_MODELCACHE'")
    guard tables == 1 else { return nil }
    let statement = try Statement(connection, "SELECT Z_CONTENT FROM Z_MODELCACHE")
    return try statement.step() ? statement.blob(at: 0) : nil
  }

  @Test("every store has a cache but that of a framework without")
  func stores() throws {
    #expect(try Self.read(Self.uncached) == nil)
    #expect(Self.cached.count == 9 && Self.sourced.count == 7)
  }

  static func read(_ store: String) throws -> ModelFile? {
    guard let content = try content(of: store) else { return nil }
    return try CachedModelReader.read(deflated: content, origin: store)
  }

  @Test("a cached model has the hashes, digest and checksum of the store's metadata", arguments: cached)
  func metadata(store: String) throws {
    let file = try #require(try Self.read(store))
    let expected = try #require(FixtureFolder.expected.stores[store])
    #expect(file.model.entityVersionHashesByName.mapValues(\.hexadecimal) == expected.hashes)
    if let digest = expected.digest { #expect(file.model.versionHashesDigest == digest) }
    if let checksum = expected.checksum { #expect(file.model.versionChecksum == checksum) }
  }

  @Test("a cached model equals the source that the store was made from", arguments: sourced)
  func source(store: String) throws {
    let file = try #require(try Self.read(store))
    let source = try ModelReader.read(path: try #require(Self.source(of: store)))
    #expect(file.warnings.isEmpty, "\(file.warnings)")
    if store.hasSuffix("2.0.0_empty.sqlite") {
      // The framework of 2018 cached an index of one attribute under the attribute's name only.
      let indexes = source.differences(to: file.model).compactMap { difference in
        if case .fetchIndex(let name) = difference.subject { "\(name) \(difference.change)" } else { nil }
      }
      #expect(Set(indexes) == ["byIdentifierIndex removed", "byCommitHashIndex removed", "byFqdnIndex removed"])
      #expect(indexes.count == 7)
    } else {
      #expect(source.firstDifference(toCompiled: file.model) == nil)
    }
    #expect(file.model.versionIdentifier == source.versionIdentifier)
  }

  @Test("a cached model equals every source and every compiled model with its hashes")
  func twins() throws {
    var others = try FixtureFolder.expected.modelPaths.map { ($0, try ModelReader.read(path: FixtureFolder.path($0))) }
    others += try CompiledVersion.all.map { ($0.testDescription, try $0.compiled().model) }
    var pairs: [String] = []
    for store in Self.cached {
      let cached = try #require(try Self.read(store)).model
      for (name, other) in others where other.entityVersionHashesByName == cached.entityVersionHashesByName {
        pairs.append("\(store) \(name)")
        #expect(other.versionHashesDigest == cached.versionHashesDigest)
        #expect(
          other.versionChecksum == cached.versionChecksum
            && other.entityNamesByConfiguration == cached.entityNamesByConfiguration)
        // How that store's cache differs is told above.
        if store.hasSuffix("2.0.0_empty.sqlite") { continue }
        #expect(other.firstDifference(toCompiled: cached) == nil, "\(store) \(name)")
      }
    }
    // Seven stores have a source with their hashes beside them, and four of these a compiled model too.
    #expect(pairs.count == 11, "\(pairs)")
  }

  @Test("a model without a source tells limits, derivations and fetched properties, and what it left out")
  func onlyInCache() throws {
    let file = try #require(try Self.read("stores/coredataplus/SampleModel2_V1.sqlite"))
    let book = try #require(file.model["Book"])
    #expect(file.model["GraphicNovel"]?.superentity == book)
    #expect(book.attribute("pagesCount")?.derivation?.expression == "count:(pages)")
    #expect(book.attribute("title")?.minimumValue == .integer(3))
    #expect(book.attribute("title")?.maximumValue == .integer(50))
    #expect(book.attribute("cover")?.attributeValueClassName == "Cover")
    let feedbacks = try #require(file.model["Author"]?.definition.fetchedProperties)
    #expect(
      feedbacks.map(\.fetchRequest.predicate) == [
        "authorAlias == $FETCH_SOURCE.alias",
        "authorAlias == $FETCH_SOURCE.alias AND comment CONTAINS[c] $FETCHED_PROPERTY.userInfo.search",
      ])
    #expect(feedbacks.map(\.userInfo) == [[:], ["search": "great"]])
    #expect(file.model.configurations == ["SampleConfigurationV1"])
    #expect(
      Set(file.warnings.map(\.message)) == [
        "Author.feedbacks: the sort descriptors of the fetch request feedbacks were left out",
        "Book.cover: the default value is an object of the class CoreDataPlus_Tests.Cover and was left out",
        "Book.title: a validation that is neither a limit nor a regular expression was left out: "
          + "SELF CONTAINS \"title\"",
      ])
  }
}
