import Foundation
import ModelFiles
import ObjectModel
import StoreInterface
import TestMigrations
import TestRows
import TestStores
import TestSupport
import Testing

@testable import CoreDataLayout
@testable import SQLMigration

@Suite(
  "Migration through the versions of real models",
  .enabled(if: FixtureFolder.isAvailable, "\(FixtureFolder.absenceReason)"))
struct FixtureMigrationTests {
  /// Models of several versions, below the folder of fixtures.
  static let models: [String] = {
    let root = FixtureFolder.url.appendingPathComponent("models")
    guard let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil) else { return [] }
    var paths: [String] = []
    for case let file as URL in files where file.pathExtension == "xcdatamodeld" {
      if let versions = try? ModelReader.versions(path: file.path), versions.names.count > 1 { paths.append(file.path) }
    }
    return paths.sorted()
  }()

  /// The versions of each model, the oldest first.
  private static func versions() throws -> [(name: String, versions: [(name: String, model: ManagedObjectModel)])] {
    try models.map { path in
      let names = try ModelReader.versions(path: path).names.sorted {
        $0.compare($1, options: .numeric) == .orderedAscending
      }
      let versions = try names.map { (name: $0, model: try ModelReader.read(path: path, version: $0)) }
      return ((path as NSString).lastPathComponent, versions)
    }
  }

  /// Pairs of versions for which nothing can be inferred: texts become dates.
  private static let refused: Set<String> = [
    "XCServerCoreData.xcdatamodeld: XCServerCoreData1.2.0 to XCServerCoreData2.0.0",
    "XCServerCoreData.xcdatamodeld: XCServerCoreData to XCServerCoreData2.0.3",
  ]

  @Test("each version to the next, and the first to the last, wherever a mapping can be inferred")
  func versions() throws {
    var migrated = 0
    var (refused, unmigrated): (Set<String>, Set<String>) = ([], [])
    for (name, versions) in try Self.versions() {
      var pairs = Array(zip(versions, versions.dropFirst()))
      if versions.count > 2 { pairs.append((versions[0], versions[versions.count - 1])) }
      for (from, to) in pairs {
        let text = "\(name): \(from.name) to \(to.name)"
        if let mapping = try? from.model.inferredMappingModel(to: to.model, mergesHierarchies: true) {
          #expect(from.model.entityVersionHashesByName != to.model.entityVersionHashesByName, "\(text)")
          if try migrate(from.model, to.model, mapping, text) { migrated += 1 } else { unmigrated.insert(text) }
        } else {
          #expect(!from.model.lightweightMigration(to: to.model).obstacles.isEmpty)
          refused.insert(text)
        }
      }
    }
    #expect(refused == Self.refused)
    #expect(unmigrated == [])
    #expect(migrated == 19)
  }

  @Test("one store through all versions, one after the other, as far as mappings can be inferred")
  func chains() throws {
    var longest: [String: Int] = [:]
    for (name, versions) in try Self.versions() {
      let folder = try TemporaryFolder()
      var steps = 0
      var store = ""
      for (index, version) in versions.enumerated() {
        let text = "\(name): to \(version.name)"
        if index > 0, try isMigrated(store, from: versions[index - 1].model, to: version.model, text) {
          steps += 1
        } else {
          // Where nothing can be inferred another store begins.
          store = folder.path("\(index).sqlite")
          try GeneratedObjects.fill(store, version.model)
          steps = 0
        }
        longest[name] = max(longest[name] ?? 0, steps)
      }
    }
    #expect(
      longest == [
        "BookmarksModel.xcdatamodeld": 5, "Model.xcdatamodeld": 1, "SampleModel.xcdatamodeld": 2,
        "UnCloudNotesDataModel.xcdatamodeld": 3, "XCServerCoreData.xcdatamodeld": 3,
      ])
  }

  /// Migrates a store in place.
  /// - Returns: whether that could be inferred and the data allowed it.
  private func isMigrated(
    _ path: String, from older: ManagedObjectModel, to newer: ManagedObjectModel, _ text: String
  ) throws -> Bool {
    guard let mapping = try? older.inferredMappingModel(to: newer, mergesHierarchies: true) else { return false }
    do {
      _ = try run(path, from: older, to: newer, mapping, text)
      return true
    } catch is StoreMigrationError {
      return false
    }
  }

  /// Migrates a store in place, and compares what is in it with what was.
  private func run(
    _ path: String, from older: ManagedObjectModel, to newer: ManagedObjectModel, _ mapping: MappingModel,
    _ text: String
  ) throws -> MigrationReport {
    let before = try StoreChecker.check(path: path, model: older)
    let report = try StoreMigration.run(storeAt: path, from: older, to: newer, mapping: mapping)
    let after = try StoreChecker.check(path: path, model: newer)
    #expect(after.isCompatible && after.findings.count <= before.findings.count, "\(text): \(after.findings)")
    let lost = report.plan.entities.filter { $0.destination == nil }.compactMap(\.source)
    let kept = before.rowCounts.filter { !lost.contains($0.key) }.values.reduce(0, +)
    #expect(after.rowCounts.values.reduce(0, +) == kept, "\(text)")
    return report
  }

  /// - Returns: false where the data did not allow it.
  private func migrate(
    _ older: ManagedObjectModel, _ newer: ManagedObjectModel, _ mapping: MappingModel, _ text: String
  ) throws -> Bool {
    let folder = try TemporaryFolder()
    let path = folder.path("old.sqlite")
    let count = try GeneratedObjects.fill(path, older)
    #expect(count > 0)
    let report: MigrationReport
    do {
      report = try run(path, from: older, to: newer, mapping, text)
    } catch let error as StoreMigrationError {
      // New mandatory relationships: nothing can be in them.
      guard case .conditions(_, let conditions) = error else { throw error }
      #expect(conditions.allSatisfy { $0.kind == .missingValue }, "\(text): \(error)")
      return false
    }
    let fresh = folder.path("fresh.sqlite")
    try SQLiteStore.create(path: fresh, model: newer).close()
    let appended = Dictionary(
      report.plan.tables.map { ($0.name, $0.appendedColumns) }, uniquingKeysWith: { first, _ in first })
    let difference = try SchemaText(path: path).difference(from: SchemaText(path: fresh), appended: appended)
    #expect(difference == nil, "\(text)")
    return true
  }
}

/// Objects of any model: some of each entity, with values in every attribute and links in every relationship.
enum GeneratedObjects {
  /// Makes a store and fills it.
  /// - Returns: how many objects it has.
  @discardableResult
  static func fill(_ path: String, _ model: ManagedObjectModel, countPerEntity: Int = 6) throws -> Int {
    let store = try SQLiteStore.create(path: path, model: model)
    var ids: [ObjectID] = []
    for entity in model.entities where !entity.isAbstract {
      let first = try store.reservePrimaryKeys(countPerEntity, for: entity)
      ids += (0..<Int64(countPerEntity)).map { offset in
        store.id(of: entity, first + offset)
      }
    }
    var request = SaveRequest()
    for (number, id) in ids.enumerated() {
      let toOne = id.entity.relationships.map { relationship -> ObjectID? in
        guard !relationship.isToMany, relationship.inverse?.isToMany != false else { return nil }
        let targets = ids.filter { $0.entity.isKind(of: relationship.destination) }
        return targets.isEmpty ? nil : targets[number % targets.count]
      }
      request.inserted.append(
        Snapshot(
          objectID: id, version: 1, attributes: id.entity.attributes.map { value($0, number) }, toOne: toOne))
      for relationship in id.entity.relationships where relationship.isToMany {
        guard let inverse = relationship.inverse, inverse.isToMany, !relationship.isOwnInverse,
          relationship.name < inverse.name
        else { continue }
        let targets = ids.filter { $0.entity.isKind(of: relationship.destination) }.prefix(2)
        request.toMany.append(
          .init(owner: id, relationshipName: relationship.name, members: Array(targets)))
      }
    }
    try store.save(request)
    try store.close()
    return ids.count
  }

  /// Different for each object, so that no constraint is broken.
  private static func value(_ attribute: AttributeDefinition, _ number: Int) -> Value {
    if attribute.isTransient || attribute.derivation != nil { return .null }
    switch attribute.type {
    case .integer16, .integer32, .integer64: return .integer(Int64(number))
    case .double, .float: return .double(Double(number) / 4)
    case .decimal: return .decimal(Decimal(number) / 4)
    case .boolean: return .boolean(number % 2 == 0)
    case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(number) * 1_000))
    case .binary, .transformable: return .data(Data("bplist00\(number)".utf8))
    case .uuid: return .uuid(RandomStores.uuid(number))
    case .uri: return URL(string: "https://example.org/\(number)").map { .uri($0) } ?? .null
    case .string: return .string("text \(number)")
    default: return .null
    }
  }
}
