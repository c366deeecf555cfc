import Seedbed
import TestSupport
import Testing

@Suite("The example in README.md")
struct ReadmeEngineTests {
  @Test("the lines in README.md are the ones that are compiled here")
  func sameLines() throws {
    let samples = try DocumentSamples.swift(in: "README.md")
    #expect(samples.contains(try DocumentSamples.source("ReadmeEngine.swift")))
  }

  @Test("README.md is short enough to be read to the end")
  func length() throws {
    let document = try String(contentsOf: FixtureFolder.packageRoot.appending(path: "README.md"), encoding: .utf8)
    #expect(document.split(separator: "\n", omittingEmptySubsequences: false).count <= 131)
  }

  @Test("it reads a store")
  func works() throws {
    let folder = try TemporaryFolder()
    let modelURL = FixtureFolder.packageRoot.appending(path: "seeds/transit/Transit.xcdatamodeld")
    let storeURL = folder.url.appending(path: "Transit.sqlite")
    let container = try PersistentContainer(name: "Transit", modelURL: modelURL)
    container.persistentStoreDescriptions = [.init(type: .sqlite, url: storeURL)]
    try container.loadPersistentStores()
    let stop = try #require(container.managedObjectModel["Stop"])
    let context = container.newBackgroundContext()
    try context.performAndWait {
      func add(_ name: String, _ parent: ManagedObject?) -> ManagedObject {
        let object = context.insert(stop)
        object["identifier"] = .string(name.lowercased())
        object["name"] = .string(name)
        object["latitude"] = .double(-16.9)
        object["longitude"] = .double(145.7)
        object.setObject(parent, for: "parent")
        return object
      }
      let pier = add("Pier", nil)
      _ = add("Stop B", pier)
      _ = add("Stop A", pier)
      _ = add("Elsewhere", nil)
      try context.save()
    }
    #expect(try stopNames(of: "pier", in: storeURL, modelURL: modelURL) == ["Stop A", "Stop B"])
  }
}
