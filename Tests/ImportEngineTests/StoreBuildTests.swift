import CoreDataLayout
import Foundation
import ObjectModel
import TestSupport
import Testing

@testable import ImportEngine
@testable import Pipelines

@Suite("the store of a run")
struct StoreBuildTests {
  private let folder: TemporaryFolder
  private let model: ManagedObjectModel
  private let settings: StoreSettings

  init() throws {
    folder = try TemporaryFolder()
    var item = EntityDefinition("Item")
    item.attributes = [.init("name", .string)]
    model = try ManagedObjectModel(entities: [item])
    settings = StoreSettings(
      path: folder.path("Items.sqlite"), journal: .delete, seed: nil, replace: .never, uuid: nil,
      position: FilePosition(line: 1, column: 1))
    try SQLiteStore.create(path: settings.path, model: model).seal()
  }

  private func key(_ store: SQLiteStore) throws -> Int64 {
    try store.reservePrimaryKeys(1, for: try #require(model["Item"]))
  }

  @Test("pipeline files know the framework versions whose layouts are known")
  func frameworks() {
    #expect(StoreSettings.frameworks == FrameworkGeneration.oldest.version...FrameworkGeneration.newest.version)
  }

  @Test("what another process writes to the store while it is imported into is not lost", arguments: [false, true])
  func changedTarget(isChanged: Bool) throws {
    let build = try StoreBuild(settings: settings, isDryRun: false)
    defer { build.discard() }
    let store = try build.open(model: model, author: "town", uuid: "").store
    #expect(try key(store) == 1)
    if isChanged {
      let other = try SQLiteStore.open(path: settings.path, model: model)
      for expected: Int64 in 1...3 { #expect(try key(other) == expected) }
      try other.close()
    }
    try store.seal()
    if isChanged {
      let error = #expect(throws: RunError.self) { try build.put(by: FilePlacement()) }
      #expect(error?.kind == .locked && error?.code == "store.changed")
    } else {
      let placement = FilePlacement()
      try build.put(by: placement)
      placement.commit()
    }
    #expect(try key(SQLiteStore.open(path: settings.path, model: model)) == (isChanged ? 4 : 2))
  }
}
