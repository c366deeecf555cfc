import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import StoreInterface
import TestStores
import TestSupport
import Testing

@Suite("Containers and contexts over every type of store")
struct ContainerTests {
  private func container(
    _ kind: StoreKind, _ folder: TemporaryFolder, _ model: ManagedObjectModel
  ) throws -> PersistentContainer {
    let container = PersistentContainer(
      name: "Museum", managedObjectModel: model, persistentStoreDescriptions: [kind.description(in: folder)])
    try container.loadPersistentStores()
    return container
  }

  @Test("objects are inserted, related, fetched, changed and deleted", arguments: StoreKind.onDisk)
  func objects(kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let model = try Museum.model()
    func entity(_ name: String) throws -> Entity { try model.required(name) }
    let first = try container(kind, folder, model).newBackgroundContext()
    try first.performAndWait {
      let artist = first.insert(try entity("Artist"))
      artist["code"] = .string("vermeer")
      let studio = first.insert(try entity("Room"))
      studio["code"] = .string("attic")
      artist.setObject(studio, for: "studio")
      for code in ["lute", "milk", "map"] {
        let painting = first.insert(try entity("Painting"))
        painting["code"] = .string(code)
        painting["technique"] = .string("oil")
        painting.setObject(artist, for: "artist")
      }
      try first.save()
    }
    let second = try container(kind, folder, model).newBackgroundContext()
    try second.performAndWait {
      let artist = try #require(try second.fetch(FetchSpecification(try entity("Artist"))).first)
      let works = try artist.objects(for: "works")
      #expect(works.map { $0["code"] } == [.string("lute"), .string("milk"), .string("map")])
      #expect(artist.object(for: "studio")?["code"] == .string("attic"))
      artist["code"] = .string("johannes vermeer")
      second.delete(works[1])
      try second.save()
    }
    let third = try container(kind, folder, model).newBackgroundContext()
    try third.performAndWait {
      var request = FetchSpecification(try entity("Work"))
      request.predicate = .comparison(["artist", "code"], .equal, .string("johannes vermeer"))
      request.sortDescriptors = [FetchSortDescriptor(["code"])]
      #expect(try third.fetch(request).map { $0["code"] } == [.string("lute"), .string("map")])
    }
  }
}
