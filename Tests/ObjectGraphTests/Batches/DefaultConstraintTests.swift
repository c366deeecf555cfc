import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import StoreInterface
import TestStores
import TestSupport
import Testing

/// Rows of batches that have less than their objects: defaults that are unique, and values that are written already.
@Suite("Batches and defaults")
struct DefaultConstraintTests {
  /// Articles that are unique by shop and number, and by their label, of which the shop and the mark have defaults.
  private struct World: TestGraph {
    private let folder: TemporaryFolder
    let store: any PersistentStore
    let container: PersistentContainer

    init(_ kind: StoreKind) throws {
      var article = EntityDefinition("Article")
      var shop = AttributeDefinition("shop", .string)
      shop.defaultValue = .string("main")
      var mark = AttributeDefinition("mark", .boolean)
      mark.defaultValue = .boolean(false)
      var stock = AttributeDefinition("stock", .integer32)
      stock.maximumValue = .integer(10)
      article.attributes = [
        shop, .init("number", .integer64), .init("label", .string), mark, stock, .init("origin", .uuid),
        .init("source", .uuid),
      ]
      article.uniquenessConstraints = [["shop", "number"], ["label"], ["mark"]]
      let model = try ManagedObjectModel(entities: [article])
      folder = try TemporaryFolder()
      store = try kind.makeStore(model, in: folder)
      container = try PersistentContainer(name: "articles", model: model, store: store)
    }

    /// - Returns: how many were new.
    func insert(_ objects: [[String: Any]], _ policy: MergePolicy = .error) throws -> Int {
      try work(policy) { try $0.execute(BatchInsertRequest(entityName: "Article", objects: objects)).insertedCount }
    }

    func rows() throws -> [String] {
      try work { context in
        try context.fetch(FetchRequest<ManagedObject>(entityName: "Article")).map { object in
          ["shop", "number", "label"].map { name in
            switch object[name] {
            case .string(let text)?: text
            case .integer(let number)?: "\(number)"
            default: "nil"
            }
          }.joined(separator: " ")
        }.sorted()
      }
    }
  }

  private static let none = NSNull()

  @Test(
    "a new row conflicts by the defaults of what it lacks, and the merge policy decides", arguments: StoreKind.allCases)
  func defaults(kind: StoreKind) throws {
    let first: [[String: Any]] = [["shop": "main", "number": 1, "label": "a", "mark": Self.none]]
    let again: [[String: Any]] = [["number": 1, "label": "b", "mark": Self.none]]
    for (policy, expected) in [
      (MergePolicy.mergeByPropertyObjectTrump, "main 1 b"), (.overwrite, "main 1 b"),
      (.mergeByPropertyStoreTrump, "main 1 a"),
    ] {
      let world = try World(kind)
      #expect(try world.insert(first, policy) == 1)
      #expect(try world.insert(again, policy) == 0, "\(policy.kind)")
      #expect(try world.rows() == [expected], "\(policy.kind)")
    }
    let world = try World(kind)
    #expect(try world.insert(first) == 1)
    #expect(throws: StoreError.self) { try world.insert(again) }
    #expect(try world.rows() == ["main 1 a"])
    // Null is no default.
    #expect(try world.insert([["shop": Self.none, "number": 1, "mark": Self.none]]) == 1)
    #expect(try world.rows() == ["main 1 a", "nil 1 nil"])
  }

  @Test(
    "a row that names an object by its own values lacks the rest, whatever its defaults would be",
    arguments: StoreKind.allCases)
  func named(kind: StoreKind) throws {
    let world = try World(kind)
    // The first has the only mark that is not set.
    let first: [[String: Any]] = [["number": 1, "label": "a"], ["number": 2, "label": "b", "mark": true]]
    #expect(try world.insert(first) == 2)
    #expect(try world.insert([["label": "b", "number": 3]], .mergeByPropertyObjectTrump) == 0)
    #expect(try world.rows() == ["main 1 a", "main 3 b"])
    // All of a constraint may be defaults, also where rows of one batch have them.
    #expect(try world.insert([["number": 7], ["number": 8]], .mergeByPropertyObjectTrump) == 0)
    #expect(try world.rows() == ["main 3 b", "main 8 a"])
  }

  @Test(
    "an update leaves an object alone that has its new values, even where a rule would not let them be written",
    arguments: StoreKind.allCases)
  func unchanged(kind: StoreKind) throws {
    let world = try World(kind)
    let entity = try world.container.managedObjectModel.required("Article")
    // As an app with an older model may have left it.
    let key = try world.store.reservePrimaryKeys(1, for: entity)
    var request = SaveRequest()
    request.inserted.append(
      Snapshot(
        objectID: world.store.id(of: entity, key),
        version: 1, attributes: entity.attributes.map { $0.name == "stock" ? .integer(99) : .null },
        toOne: entity.relationships.map { _ in nil }))
    try world.store.save(request)
    func update(_ values: [String: FetchExpression]) throws -> Int? {
      try world.work { context in
        let update = BatchUpdateRequest(entityName: "Article")
        update.propertiesToUpdate = values
        return try context.execute(update).count
      }
    }
    for same in ["stock", "noindex:(stock)", "TERNARY(shop MATCHES 'x', 0, stock)"] {
      #expect(try update(["stock": FetchExpression(format: same)]) == 0, "\(same)")
    }
    let error = #expect(throws: ValidationError.self) {
      try update(["stock": FetchExpression(format: "stock"), "label": FetchExpression(format: "'x'")])
    }
    #expect(error?.problems.map(\.property) == ["stock"])
    #expect(try world.rows() == ["nil nil nil"])
  }

  @Test("a UUID is set beside a number that SQL makes a real of", arguments: StoreKind.allCases)
  func identifiers(kind: StoreKind) throws {
    let world = try World(kind)
    let origin = UUID()
    #expect(try world.insert([["number": 1, "stock": 2, "origin": origin]]) == 1)
    let count = try world.work { context in
      let update = BatchUpdateRequest(entityName: "Article")
      update.propertiesToUpdate = [
        "source": FetchExpression(format: "origin"), "stock": FetchExpression(format: "stock ** 2"),
      ]
      return try context.execute(update).count
    }
    #expect(count == 1)
    let article = try world.work { context in
      let found = try #require(try context.fetch(FetchRequest<ManagedObject>(entityName: "Article")).first)
      return [found["source"], found["stock"]]
    }
    #expect(article == [.uuid(origin), .integer(4)])
  }
}
