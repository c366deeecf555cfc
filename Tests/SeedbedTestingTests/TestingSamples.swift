import Foundation
import Seedbed
import SeedbedTesting
import Testing

// What stands in the article SeedbedTesting.md; a test compares them.

func hundredThousandObjects(_ model: ManagedObjectModel) throws -> Int {
  let container = try PersistentContainer.inMemory(model)
  let context = container.newBackgroundContext()
  return try context.performAndWait {
    var generator = ObjectGenerator(seed: 7)
    try generator.insert(["Author": 1_000, "Entry": 98_900, "Tag": 100], into: context)
    return context.insertedObjects.filter { $0.entity.name != "Profile" }.count
  }
}

func ratingsOfFixtures(_ model: ManagedObjectModel) throws -> [Int] {
  let context = try PersistentContainer.inMemory(model).newBackgroundContext()
  var fixtures = Fixtures(model)
  try fixtures.add(
    """
    {"_id":"noosa","title":"Noosa","rating":5,"serial":1,"date":"2026-02-03T06:30:00Z","author":"ann","tags":["surf"]}
    {"_id":"bondi","title":"Bondi","rating":2,"serial":2,"date":"2026-02-04T06:30:00Z","author":"ann"}
    """, entityName: "Entry")
  try fixtures.add(#"{"_id":"ann","name":"Ann"}"#, entityName: "Author")
  try fixtures.add(#"{"_id":"surf","name":"surf"}"#, entityName: "Tag")
  return try context.performAndWait {
    let objects = try fixtures.insert(into: context)
    return try objects["ann"]?.objects(for: "entries").compactMap { $0["rating"] } ?? []
  }
}

func testSaveOnBrokenDisk(_ model: ManagedObjectModel) throws {
  let failures = StoreFailures()
  let container = try PersistentContainer.inMemory(model, failures: failures)
  let context = container.newBackgroundContext()
  try context.performAndWait {
    EntityDescription.insertNewObject(forEntityName: "Tag", into: context)["name"] = "surf"
    failures.fail(.save)
    #expect(throws: StoreError.self) { try context.save() }
    #expect(context.hasChanges)
    failures.stop()
    try context.save()
  }
}

func testImportReachesTheScreen(_ container: PersistentContainer) async throws {
  let screen = container.newBackgroundContext(name: "screen")
  screen.performAndWait { screen.automaticallyMergesChangesFromParent = true }
  let merged = try await screen.expectMerge(of: "Tag") {
    try await container.performBackgroundTask { context in
      EntityDescription.insertNewObject(forEntityName: "Tag", into: context)["name"] = "surf"
      try context.save()
    }
  }
  #expect(merged.insertedObjectIDs.count == 1)
}

func testListAsksTwice(_ container: PersistentContainer) throws {
  let list = try container.measure(setUp: { container.newBackgroundContext() }) { context in
    try context.performAndWait {
      let request = FetchRequest<ManagedObject>(entityName: "Author")
      request.relationshipKeyPathsForPrefetching = ["entries"]
      return try context.fetch(request).map { try $0.objects(for: "entries").count }
    }
  }
  #expect(list.requests == 2, "\(list)")
}
