import CoreDataLayout
import Foundation
import Migration
import ObjectGraph
import ObjectModel
import StoreInterface
import TestSupport
import Testing

@testable import NotesMigrationExample

/// The example: a store of every version that is kept beside it comes to the newest one.
@Suite("The notes of the example")
struct NotesMigrationTests {
  private static let stores = FixtureFolder.packageRoot.appending(path: "examples/NotesMigration/Stores")

  private func copy(_ version: Int, _ folder: TemporaryFolder) throws -> URL {
    let url = folder.file("Notes.sqlite")
    try FileManager.default.copyItem(at: Self.stores.appending(path: "Notes\(version).sqlite"), to: url)
    return url
  }

  private func open(
    _ url: URL, migrates: Bool = true, infers: Bool = true, told: (@Sendable (MigrationChain.Step) -> Void)? = nil
  ) throws -> PersistentContainer {
    var migration = ProgressiveMigration(
      library: try NotesModel.library(), policies: MigrationPolicies([ImageAttachmentPolicy.self]))
    migration.willBeginStep = told
    let description = PersistentStoreDescription(type: .sqlite, url: url)
    description.shouldMigrateStoreAutomatically = migrates
    description.shouldInferMappingModelAutomatically = infers
    let container = try PersistentContainer(
      name: "Notes", managedObjectModel: NotesModel.fourth(), persistentStoreDescriptions: [description])
    container.persistentStoreCoordinator.storeMigrator = migration
    try container.loadPersistentStores()
    return container
  }

  @Test("every version becomes the newest, its images with it", arguments: 1...4)
  func versions(version: Int) throws {
    let folder = try TemporaryFolder()
    let url = try copy(version, folder)
    let container = try open(url)
    let model = container.managedObjectModel
    let context = container.newBackgroundContext()
    try context.performAndWait {
      let notes = try context.all("Note")
      #expect(notes.compactMap { $0["title"] as String? } == ["Shopping", "Holiday", "Ideas"])
      let images = try notes.map { try $0.objects(for: "attachments") }
      #expect(images.map(\.count) == [0, 1, 1])
      for (number, image) in images.flatMap(\.self).enumerated() {
        #expect(image.entity.name == "ImageAttachment")
        #expect(image["width"] == 100 * (number + 1) && image["height"] == 50)
        let caption: String? = image["caption"]
        #expect(
          caption?.hasPrefix(number == 0 ? "Holiday: a long" : "Ideas: a long") == true && caption?.count ?? 0 <= 80)
      }
    }
    for store in container.persistentStoreCoordinator.persistentStores {
      try container.persistentStoreCoordinator.remove(store)
    }
    #expect(try Stores.problems(url, model) == [])
    #expect(try folder.names().allSatisfy { $0.hasPrefix("Notes.sqlite") && !$0.hasSuffix(".partial") })
  }

  @Test("the chain goes through the mapping models, since inference alone would lose the images")
  func chain() throws {
    let folder = try TemporaryFolder()
    let migration = ProgressiveMigration(library: try NotesModel.library())
    for version in 1...4 {
      let url = folder.file("\(version).sqlite")
      try SampleStore.make(version: version, at: url)
      let chain = try migration.chain(forStoreAt: url, type: .sqlite, to: NotesModel.fourth())
      #expect(chain.steps.map(\.destination.name) == (2...4).filter { $0 > version }.map { "Notes \($0)" }, "\(chain)")
      #expect(chain.steps.allSatisfy { $0.losses.isEmpty })
      #expect(chain.isLightweight == (version == 4))
    }
  }

  @Test("with migration off, the store is refused as ever and stays as it was")
  func off() throws {
    let folder = try TemporaryFolder()
    let url = try copy(2, folder)
    let before = try Data(contentsOf: url)
    let error = try #require(throws: StoreError.self) { try open(url, migrates: false) }
    guard case .incompatibleModel = error else {
      Issue.record("\(error)")
      return
    }
    // From the second version on there are mapping models for every step, from the first there is none.
    let first = try TemporaryFolder()
    let refused = try #require(throws: MigrationError.self) { try open(copy(1, first), infers: false) }
    #expect(refused.code == .missingMappingModel)
    #expect(try Data(contentsOf: url) == before)
    _ = try open(url, infers: false)
  }

  @Test("a store that is newer than every known model is refused politely")
  func newer() throws {
    let folder = try TemporaryFolder()
    let url = try copy(4, folder)
    let before = try Data(contentsOf: url)
    let older = try NotesModel.library()
    let library = ModelLibrary(versions: Array(older.versions.prefix(2)))
    let error = try #require(throws: MigrationError.self) {
      try ProgressiveMigration(library: library).migrateStore(at: url, type: .sqlite, to: library.versions[1].model)
    }
    #expect(error.code == .missingMappingModel || error.code == .missingSourceModel)
    #expect(error.hint?.contains("newer") == true, "\(error)")
    let backward = try #require(throws: MigrationError.self) {
      try ProgressiveMigration(library: older).migrateStore(at: url, type: .sqlite, to: older.versions[2].model)
    }
    #expect(backward.hint?.contains("newer") == true, "\(backward)")
    #expect(try Data(contentsOf: url) == before)
  }

  @Test("a step that fails leaves the store of the version that it was", arguments: [1, 2])
  func failure(version: Int) throws {
    let folder = try TemporaryFolder()
    let url = try copy(version, folder)
    let before = try Data(contentsOf: url)
    let migration = ProgressiveMigration(library: try NotesModel.library())
    let error = try #require(throws: MigrationError.self) {
      try migration.migrateStore(at: url, type: .sqlite, to: NotesModel.fourth())
    }
    #expect(error.code == .policy && error.message.contains("ImageAttachmentPolicy"), "\(error)")
    #expect(try Data(contentsOf: url) == before)
    #expect(try folder.names().allSatisfy { $0.hasPrefix("Notes.sqlite") && !$0.hasSuffix(".partial") })
  }
}
