import CoreDataLayout
import Foundation
import Migration
import ObjectGraph
import ObjectModel
import Platform
import TestSupport
import Testing

/// What is left when a migration is killed or the disk is full: both are tried in a process of their own.
@Suite("Migrations that do not come to their end")
struct MigrationFaultTests {
  private func entries(of journal: Journal) throws -> [Value] {
    try Stores.open(journal.source, journal.older) { try $0.all("Entry").map { $0["title"] ?? .null } }
  }

  @Test(
    "a migration that is killed leaves the store whole, and the next one cleans up",
    arguments: ["create", "relate", "end"])
  func killed(stage: String) async throws {
    var journal = try Journal()
    journal.editEntry { $0.entityMigrationPolicyClassName = "KillingPolicy" }
    let before = try Data(contentsOf: journal.source)
    let place = journal.folder.path
    await #expect(processExitsWith: .signal(SIGKILL)) { [place = place as String, stage = stage as String] in
      var journal = try Journal(at: place)
      journal.editEntry { $0.entityMigrationPolicyClassName = "KillingPolicy" }
      let manager = journal.manager(["KillingPolicy": KillingPolicy.self])
      manager.userInfo["stage"] = stage
      try journal.migrate(manager)
    }
    #expect(try Data(contentsOf: journal.source) == before)
    #expect(try entries(of: journal).count == 5)
    #expect(FileManager.default.fileExists(atPath: WorkFolder.path(for: journal.result.path)))
    #expect(!FileManager.default.fileExists(atPath: journal.result.path))
    try journal.migrate(journal.manager(["KillingPolicy": KillingPolicy.self]))
    #expect(try journal.notes("heading").count == 5)
    #expect(!FileManager.default.fileExists(atPath: WorkFolder.path(for: journal.result.path)))
  }

  @Test("a disk that is full ends the migration, wherever it is met", arguments: [4, 40, 100, 160])
  func fullDisk(kilobytes: Int) async throws {
    let journal = try Journal(entries: 400)
    let before = try Data(contentsOf: journal.source)
    let place = journal.folder.path
    await #expect(processExitsWith: .success) { [place = place as String, kilobytes = kilobytes as Int] in
      let journal = try Journal(at: place)
      // Files that grow beyond the limit are refused, as on a full disk.
      _ = signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: rlim_t(kilobytes << 10), rlim_max: rlim_t(kilobytes << 10))
      precondition(setFileSizeLimit(&limit))
      do {
        try journal.migrate()
      } catch is MigrationError {
        exit(EXIT_SUCCESS)
      }
      exit(EXIT_FAILURE)
    }
    #expect(try Data(contentsOf: journal.source) == before)
    #expect(!FileManager.default.fileExists(atPath: journal.result.path))
    #expect(try journal.folder.names().allSatisfy { $0.hasPrefix("journal.sqlite") })
    try journal.migrate()
    #expect(try journal.notes("heading").count == 400)
  }
}

private final class KillingPolicy: EntityMigrationPolicy {
  private func die(at stage: String, _ manager: MigrationManager) {
    if manager.userInfo["stage"] as? String == stage { _ = kill(getpid(), SIGKILL) }
  }

  override func createDestinationInstances(
    forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
    if source["title"] == "day 3" { die(at: "create", manager) }
  }

  override func endRelationshipCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
    die(at: "relate", manager)
  }

  override func end(_ mapping: EntityMapping, manager: MigrationManager) throws { die(at: "end", manager) }
}

/// The system's headers name the kinds of limits by different types.
private func setFileSizeLimit(_ limit: inout rlimit) -> Bool {
  #if canImport(Glibc)
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0
  #else
    unsafe setrlimit(RLIMIT_FSIZE, &limit) == 0
  #endif
}
