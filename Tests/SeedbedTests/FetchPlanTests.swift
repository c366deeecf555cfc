import Foundation
import Seedbed
import TestStores
import TestSupport
import Testing

/// The plans of a context's own requests.
@Suite("Plans of fetch requests")
struct FetchPlanTests {
  private func context(_ folder: TemporaryFolder, isIndexed: Bool) throws -> ManagedObjectContext {
    var post = EntityDefinition("Post")
    post.attributes = [
      AttributeDefinition("latitude", .double), AttributeDefinition("longitude", .double),
      AttributeDefinition("kind", .integer32), AttributeDefinition("rank", .integer32),
    ]
    if isIndexed {
      post.fetchIndexes = [
        FetchIndexDefinition(
          "byLocation",
          elements: [.init(.property("latitude"), kind: .rTree), .init(.property("longitude"), kind: .rTree)]),
        FetchIndexDefinition("byKindAndRank", elements: [.init(.property("kind")), .init(.property("rank"))]),
      ]
    }
    let container = try PersistentContainer(
      name: "Posts", managedObjectModel: ManagedObjectModel(entities: [post]))
    container.persistentStoreDescriptions = [.init(type: .sqlite, url: folder.file("\(isIndexed).sqlite"))]
    try container.loadPersistentStores()
    let context = container.newBackgroundContext()
    try context.performAndWait {
      for index in 0..<300 {
        let object = ManagedObject(
          entity: try container.persistentStoreCoordinator.model.required("Post"), insertInto: context)
        object["latitude"] = .double(40 + Double(index % 17) / 4)
        object["longitude"] = .double(Double(index % 13) / 2)
        object["kind"] = .integer(Int64(index % 9))
        object["rank"] = .integer(Int64(index % 31))
      }
      try context.save()
    }
    return context
  }

  @Test("objects, dictionaries and counts go through the indexes that they are meant for", arguments: [true, false])
  func plans(isIndexed: Bool) throws {
    let folder = try TemporaryFolder()
    let context = try context(folder, isIndexed: isIndexed)
    try context.performAndWait {
      let plain = FetchRequest<ManagedObject>(entityName: "Post")
      plain.predicate = try FetchPredicate(parsing: "latitude BETWEEN {41, 42} AND longitude BETWEEN {1, 3}")
      let scanned = try context.explanation(of: plain)
      #expect(scanned.scansTable, "\(scanned)")
      let box = FetchRequest<ManagedObject>(entityName: "Post")
      box.predicate = try FetchPredicate(
        parsing: "indexed:by:(latitude, 'byLocation') BETWEEN {41, 42} "
          + "AND indexed:by:(longitude, 'byLocation') BETWEEN {1, 3}")
      if isIndexed {
        let spatial = try context.explanation(of: box)
        #expect(!spatial.scansTable && spatial.plan.contains { $0.contains("VIRTUAL TABLE INDEX") }, "\(spatial)")
        let (found, all) = (try context.fetch(box), try context.fetch(plain))
        #expect(!found.isEmpty && found == all)
      } else {
        #expect(throws: (any Error).self) { try context.explanation(of: box) }
      }

      let sorted = FetchRequest<ManagedObject>(entityName: "Post")
      sorted.predicate = try FetchPredicate(parsing: "kind == 4")
      sorted.sortDescriptors = [FetchSortDescriptor(key: "rank")]
      let order = try context.explanation(of: sorted)
      #expect(order.usesTemporaryTree != isIndexed && order.scansTable != isIndexed, "\(order)")

      sorted.resultType = .countResultType
      let count = try context.explanation(of: sorted)
      #expect(count.plan.contains { $0.contains("COVERING INDEX Z_Post_byKindAndRank") } == isIndexed, "\(count)")
    }
  }
}
