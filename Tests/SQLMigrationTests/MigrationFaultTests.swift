import Foundation
import ObjectModel
import SQLite
import TestMigrations
import TestSupport
import Testing

@testable import CoreDataLayout
@testable import SQLMigration

@Suite("A migration that fails leaves the store as it was")
struct MigrationFaultTests {
  private struct Case {
    let folder: TemporaryFolder
    let path: String
    let older: ManagedObjectModel
    let newer: ManagedObjectModel
    let mapping: MappingModel
    let before: ObjectContents
  }

  /// Hierarchies are merged, so that every table is written anew and keys change.
  private func make() throws -> Case {
    var random = SeededGenerator(seed: 11)
    let folder = try TemporaryFolder()
    let path = folder.path("old.sqlite")
    let older = try RandomModel.make(&random)
    try GeneratedObjects.fill(path, older, countPerEntity: 150)
    var entities = older.definitions
    for index in entities.indices where entities[index].superentityName == nil {
      entities[index].superentityName = "Common"
    }
    entities.append(EntityDefinition("Common"))
    let newer = try ManagedObjectModel(entities: entities)
    return Case(
      folder: folder, path: path, older: older, newer: newer,
      mapping: try older.inferredMappingModel(to: newer, mergesHierarchies: true),
      before: try ObjectContents(path: path, model: older))
  }

  /// Runs until nothing stops it any more.
  private func fail(
    _ text: String, _ pageUse: StoreMigration.PageUse, limits: some Sequence<Int>,
    _ limit: @escaping (Connection, Int) throws -> Void
  ) throws {
    let store = try make()
    var failures = 0
    var options = StoreMigration.Options()
    options.pageUse = pageUse
    for number in limits {
      let run = MigrationRun(path: store.path, options: options) { try limit($0, number) }
      do {
        _ = try run.run(from: store.older, to: store.newer, store.mapping)
      } catch {
        failures += 1
        let after = try ObjectContents(path: store.path, model: store.older)
        let difference = after.difference(from: store.before, store.older) { $0.isOrdered }
        #expect(difference == nil, "\(text) \(number)")
        let names = try store.folder.names().filter { !$0.hasPrefix(".") }
        #expect(names == ["old.sqlite"], "\(text) \(number)")
        let report = try StoreChecker.check(path: store.path, model: store.older)
        #expect(report.isSound && report.isCompatible, "\(text) \(number): \(report.findings)")
        continue
      }
      let report = try StoreChecker.check(path: store.path, model: store.newer)
      #expect(report.isSound && report.isCompatible, "\(report.findings)")
      #expect(failures > 0, "nothing failed")
      return
    }
    Issue.record("\(text): it never came to its end")
  }

  private static let uses: [StoreMigration.PageUse] = [.never, .always]

  @Test("stopped after some work of SQLite's, at one point after the other", arguments: uses)
  func stopped(pageUse: StoreMigration.PageUse) throws {
    try fail("step", pageUse, limits: (0..<40).map { Int(1_000 * pow(1.3, Double($0))) }) { connection, number in
      try connection.limitWork(toSteps: Int64(number))
    }
  }

  @Test("a disk that is full, at one page after the other", arguments: uses)
  func fullDisk(pageUse: StoreMigration.PageUse) throws {
    try fail("page", pageUse, limits: 1..<10_000) { connection, number in
      let count = Int(try connection.integer("PRAGMA page_count") ?? 0)
      _ = try connection.integer("PRAGMA max_page_count = \(count + number - 1)")
    }
  }
}
