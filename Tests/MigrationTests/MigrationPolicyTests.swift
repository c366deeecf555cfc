import CoreDataLayout
import Foundation
import ObjectGraph
import ObjectModel
import TestSupport
import Testing

@testable import Migration

@Suite("Migration policies")
struct MigrationPolicyTests {
  private func journal(_ policy: String = "App.TestPolicy") throws -> Journal {
    var journal = try Journal(entries: 3)
    journal.editEntry { $0.entityMigrationPolicyClassName = policy }
    return journal
  }

  @Test("the seven stages come in their order, and progress ends at one")
  func stages() throws {
    let journal = try journal()
    let manager = journal.manager(["TestPolicy": RecordingPolicy.self])
    var progress: [Double] = []
    manager.progressHandler = { progress.append($0) }
    try journal.migrate(manager)
    #expect(
      manager.userInfo["stages"] as? [String] == [
        "begin", "create day 0", "create day 1", "create day 2", "end creation", "relate day 0", "relate day 1",
        "relate day 2", "end relating", "validate", "end",
      ])
    #expect(progress == progress.sorted() && progress.last == 1 && progress.count > 3)
    #expect(manager.openSourceContext == nil && manager.migrationProgress == 1 && manager.currentEntityMapping == nil)
  }

  @Test("a policy's functions are called by expressions")
  func functions() throws {
    var journal = try journal()
    journal.set("heading", "FUNCTION($entityPolicy, \"join:with:\", $source.title, $source.author)")
    try journal.migrate(journal.manager(["App.TestPolicy": RecordingPolicy.self]))
    #expect(try journal.notes("heading") == (0..<3).map { .string("day \($0) by Ann") })
    journal.set("heading", "FUNCTION($entityPolicy, \"join:\", $source.title)")
    let error = try #require(throws: MigrationError.self) {
      try journal.migrate(journal.manager(["TestPolicy": RecordingPolicy.self]))
    }
    #expect(
      error.property == "heading" && error.message.contains("no function \"join:\"")
        && error.hint == "it has join:with:")
  }

  @Test("a policy that is not registered is named with those that are")
  func unknown() throws {
    let journal = try journal("App.OtherPolicy")
    let error = try #require(throws: MigrationError.self) {
      try journal.migrate(journal.manager(["TestPolicy": RecordingPolicy.self]))
    }
    #expect(error.code == .policy && error.mapping == "EntryToNote" && error.hint?.contains("TestPolicy") == true)
  }

  @Test(
    "Core Data's default class is no policy",
    arguments: ["NSEntityMigrationPolicy", "CoreData.NSEntityMigrationPolicy"])
  func defaultClass(name: String) throws {
    var journal = try journal(name)
    try journal.migrate(journal.manager(["Other": RecordingPolicy.self]))
    #expect(try journal.notes("heading") == (0..<3).map { .string("day \($0)") })
    journal.set("heading", "$source.minutes")
    let error = try #require(throws: MigrationError.self) { try journal.migrate() }
    #expect(error.code == .mappingModel, "\(error)")
  }

  @Test(
    "what a policy throws ends the migration, at any stage, and the store is whole", arguments: FailingPolicy.stages)
  func failure(stage: String) throws {
    let journal = try journal()
    let before = try Data(contentsOf: journal.source)
    let manager = journal.manager(["TestPolicy": FailingPolicy.self])
    manager.userInfo["stage"] = stage
    let error = try #require(throws: MigrationError.self) { try journal.migrate(manager) }
    #expect(error.underlyingError is FailingPolicy.Failure && error.mapping == "EntryToNote")
    #expect(error.entity == "Note")
    if stage == "create" || stage == "relate" { #expect(error.objectID != nil) }
    #expect(try Data(contentsOf: journal.source) == before)
    #expect(try journal.folder.names().allSatisfy { $0.hasPrefix("journal.sqlite") })
    #expect(try Stores.open(journal.source, journal.older) { try $0.all("Entry").count } == 3)
    try journal.migrate(journal.manager(["TestPolicy": RecordingPolicy.self]))
    #expect(try journal.notes("heading").count == 3)
  }

  @Test("a migration that is cancelled ends with the error that was given")
  func cancelling() throws {
    let journal = try journal()
    let manager = journal.manager(["TestPolicy": RecordingPolicy.self])
    manager.progressHandler = { _ in manager.cancelMigrationWithError(FailingPolicy.Failure()) }
    let error = try #require(throws: MigrationError.self) { try journal.migrate(manager) }
    #expect(error.code == .cancelled && error.underlyingError is FailingPolicy.Failure)
    #expect(try journal.folder.names().allSatisfy { $0.hasPrefix("journal.sqlite") })
  }

  @Test(
    "a policy that asks for instances of a mapping that is not there ends the migration", arguments: ["from", "to"])
  func unknownMapping(direction: String) throws {
    let journal = try journal()
    let before = try Data(contentsOf: journal.source)
    let manager = journal.manager(["TestPolicy": AskingPolicy.self])
    manager.userInfo["direction"] = direction
    let error = try #require(throws: MigrationError.self) { try journal.migrate(manager) }
    #expect(error.code == .mappingModel && error.message.contains("\"Nowhere\""), "\(error)")
    #expect(try Data(contentsOf: journal.source) == before)
    #expect(try journal.folder.names().allSatisfy { $0.hasPrefix("journal.sqlite") })
  }

  @Test("an object that breaks the newer rules is named with its property")
  func validation() throws {
    var journal = try Journal { entities in
      entities[0].attributes[0].isOptional = false
      entities[0].relationships[1].minimumCount = 2
      entities[0].relationships[1].isOptional = false
    }
    let tags = try #require(throws: MigrationError.self) { try journal.migrate() }
    #expect(tags.code == .validation && tags.property == "tags" && tags.objectID?.entity.name == "Entry")
    journal.set("heading", "nil")
    let heading = try #require(throws: MigrationError.self) { try journal.migrate() }
    #expect(heading.property == "heading" && heading.mapping == "EntryToNote", "\(heading)")
    #expect(try journal.folder.names().allSatisfy { $0.hasPrefix("journal.sqlite") })
  }

  @Test("leftovers of a killed migration go, and a destination that fails stays what it was")
  func leftovers() throws {
    var journal = try Journal()
    try journal.migrate()
    let done = try Data(contentsOf: journal.result)
    let folder = WorkFolder.path(for: journal.result.path)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try Data("Seedbed makes a result here. When nothing runs any more, this folder may go.\n".utf8).write(
      to: URL(filePath: folder + "/" + WorkFolder.markerName))
    try Data([1, 2, 3]).write(to: URL(filePath: folder + "/new.sqlite"))
    journal.set("writer", "$source")
    #expect(throws: MigrationError.self) { try journal.migrate() }
    #expect(try Data(contentsOf: journal.result) == done)
    #expect(!FileManager.default.fileExists(atPath: folder))
    #expect(throws: MigrationError.self) {
      try journal.manager().migrateStore(
        from: journal.source, type: .sqlite, mapping: journal.mapping, to: journal.source, type: .sqlite)
    }
    let missing = try #require(throws: MigrationError.self) {
      try journal.manager().migrateStore(
        from: journal.folder.file("none.sqlite"), type: .sqlite, mapping: journal.mapping, to: journal.result,
        type: .sqlite)
    }
    #expect(missing.code == .sourceStore)
  }
}

private class RecordingPolicy: EntityMigrationPolicy {
  override var functions: [String: Function] {
    [
      "join:with:": { operands in
        let name: String? = (operands[1] as? ManagedObject)?["name"]
        return "\(operands[0] as? String ?? "?") by \(name ?? "?")"
      }
    ]
  }

  private func note(_ stage: String, _ manager: MigrationManager) {
    manager.userInfo["stages"] = (manager.userInfo["stages"] as? [String] ?? []) + [stage]
  }

  override func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws { note("begin", manager) }
  override func createDestinationInstances(
    forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
    note("create \((source["title"] as String?) ?? "")", manager)
  }
  override func endInstanceCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
    note("end creation", manager)
  }
  override func createRelationships(
    forDestination destination: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    try super.createRelationships(forDestination: destination, in: mapping, manager: manager)
    let source = manager.sourceInstances(forEntityMappingName: mapping.name, destinationInstances: [destination])
    note("relate \((source.first?["title"] as String?) ?? "")", manager)
  }
  override func endRelationshipCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
    note("end relating", manager)
  }
  override func performCustomValidation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
    note("validate", manager)
  }
  override func end(_ mapping: EntityMapping, manager: MigrationManager) throws { note("end", manager) }
}

private final class FailingPolicy: EntityMigrationPolicy {
  struct Failure: Error {}
  static let stages = ["begin", "create", "end creation", "relate", "end relating", "validate", "end"]

  private func fail(_ stage: String, _ manager: MigrationManager) throws {
    if manager.userInfo["stage"] as? String == stage { throw Failure() }
  }

  override func begin(_ mapping: EntityMapping, with manager: MigrationManager) throws { try fail("begin", manager) }
  override func createDestinationInstances(
    forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
    if source["title"] == "day 2" { try fail("create", manager) }
  }
  override func endInstanceCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
    try fail("end creation", manager)
  }
  override func createRelationships(
    forDestination destination: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws { try fail("relate", manager) }
  override func endRelationshipCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
    try fail("end relating", manager)
  }
  override func performCustomValidation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
    try fail("validate", manager)
  }
  override func end(_ mapping: EntityMapping, manager: MigrationManager) throws { try fail("end", manager) }
}

private final class AskingPolicy: EntityMigrationPolicy {
  override func createRelationships(
    forDestination destination: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    let found =
      manager.userInfo["direction"] as? String == "from"
      ? manager.sourceInstances(forEntityMappingName: "Nowhere", destinationInstances: [destination])
      : manager.destinationInstances(forEntityMappingName: "Nowhere", sourceInstances: nil)
    #expect(found.isEmpty)
  }
}
