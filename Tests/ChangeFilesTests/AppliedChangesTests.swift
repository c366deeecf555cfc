import ChangeFiles
import CoreDataLayout
import Exports
import Foundation
import MemoryStore
import ObjectGraph
import ObjectModel
import StoreInterface
import TestStores
import TestSupport
import Testing

/// What was done to one store, done to another one.
@Suite("Applied changes")
struct AppliedChangesTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The museum with an attribute that its objects count. Links without an inverse would lead to what is gone.
  private static func museum() throws -> ManagedObjectModel {
    var entities = try Museum.model().definitions
    for index in entities.indices {
      entities[index].relationships.removeAll { $0.inverseName == nil }
      guard entities[index].name == "Artist" else { continue }
      var count = AttributeDefinition("workCount", .integer64)
      count.derivation = .init(expression: "works.@count")
      entities[index].attributes.append(count)
      entities[index].attributes[0].preservesValueInHistoryOnDeletion = true
    }
    return try ManagedObjectModel(entities: entities)
  }

  /// Stores that are changed alike.
  struct Library {
    let model: ManagedObjectModel
    let store: any PersistentStore
    let container: PersistentContainer

    init(_ store: any PersistentStore) throws {
      self.store = store
      model = store.model
      container = try PersistentContainer(name: "library", model: store.model, store: store)
    }

    func save(_ work: (ManagedObjectContext) throws -> Void) throws {
      let context = container.newBackgroundContext()
      try context.performAndWait {
        context.transactionAuthor = "librarian"
        try work(context)
        try context.save()
      }
    }

    /// Every object with its values and destinations.
    func contents() throws -> [String] {
      var lines: [String] = []
      for entity in model.entities {
        var request = FetchSpecification(entity)
        request.includesSubentities = false
        for row in try store.snapshots(request) {
          var parts = ["\(entity.name)/\(row.objectID.primaryKey ?? 0)"]
          for (attribute, value) in zip(entity.attributes, row.attributes) {
            parts.append("\(attribute.name) \(value)")
          }
          for (index, relationship) in entity.relationships.enumerated() {
            let ids =
              relationship.isToMany
              ? try store.members(of: row.objectID, relationship: relationship) : [row.toOne[index]].compactMap(\.self)
            parts.append("\(relationship.name) \(ids.map { $0.primaryKey ?? 0 })")
          }
          lines.append(parts.joined(separator: "; "))
        }
      }
      return lines
    }
  }

  func library(_ name: String, model: ManagedObjectModel) throws -> Library {
    var options = SQLiteStore.Options()
    options.tracksHistory = true
    return try Library(SQLiteStore.create(path: folder.path(name), model: model, options: options))
  }

  /// Random changes, the same in every store.
  private static func change(_ library: Library, seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    try library.save { context in
      func all(_ entity: Entity) throws -> [ManagedObject] {
        try context.fetch(FetchSpecification(entity)).filter { !$0.isDeleted }
      }
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        guard let entity = library.model.entities.randomElement(using: &random) else { continue }
        let known = try all(entity)
        var object = known.randomElement(using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<3: object = context.insert(entity)
        case 3: if let gone = object { context.delete(gone) }
        default: break
        }
        guard let object, !object.isDeleted else { continue }
        for attribute in entity.attributes
        where attribute.derivation == nil && !attribute.isTransient && Bool.random(using: &random) {
          object[attribute.name] = value(of: attribute, &random)
        }
        for relationship in entity.relationships where Int.random(in: 0..<3, using: &random) == 0 {
          let others = try all(relationship.destination)
          if relationship.isToMany {
            let members = others.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
            try object.setObjects(members.shuffled(using: &random), for: relationship.name)
          } else {
            object.setObject(others.randomElement(using: &random), for: relationship.name)
          }
        }
      }
    }
  }

  private static func value(
    of attribute: AttributeDefinition, _ random: inout SeededGenerator
  ) -> Value {
    let number = Int64.random(in: -3...3, using: &random)
    if number == 0 { return .null }
    switch attribute.type {
    case .integer16, .integer32: return .integer(number)
    case .integer64: return .integer(.max + min(number, 0))
    case .boolean: return .boolean(number > 0)
    case .double: return .double(Double(number) / 3)
    case .float: return .double(Double(Float(number) / 3))
    // Stores keep decimals as doubles.
    case .decimal: return .decimal(Decimal(string: "\(number)234567.125") ?? 0)
    case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(number) / 7))
    case .binary, .transformable: return .data(Data([UInt8(bitPattern: Int8(number)), 0, 255]))
    case .uuid:
      return .uuid(UUID(uuidString: "6E9A3E9C-3A0E-4B6E-9C55-0E6A5B0D9B1\(number.magnitude)") ?? UUID())
    case .uri: return URL(string: "https://example.com/a%20b?c=\(number)").map { .uri($0) } ?? .null
    // Texts are unique where they have to be.
    default: return .string("text \"\(Int64.random(in: 0..<(.max), using: &random))\" \u{2028}\n☂ \(number)")
    }
  }

  /// The lines that one of two stores has alone.
  private static func difference(_ left: [String], _ right: [String]) -> [String] {
    left.filter { !right.contains($0) }.map { "+ " + $0 } + right.filter { !left.contains($0) }.map { "- " + $0 }
  }

  func write(_ library: Library, since number: Int64, to name: String) throws {
    let path = folder.path("source.sqlite")
    var text = ""
    _ = try StoreHistory(storePath: path, model: library.model).writeChanges(since: HistoryStart("\(number)")) {
      text += $0 + "\n"
    }
    try folder.write(text, to: name)
  }

  @Test("changes of a store, applied to a copy of what it was, make it equal", arguments: 0..<12)
  func copy(seed: Int) throws {
    let model = try Self.museum()
    let source = try library("source.sqlite", model: model)
    let memory = try Library(InMemoryStore(model: model))
    for step in 0..<6 {
      for library in [source, memory] { try Self.change(library, seed: seed * 1_000 + step) }
    }
    let store = try #require(source.store as? SQLiteStore)
    let place = try store.lastTransactionNumber()
    try store.checkpoint()
    try FileManager.default.copyItem(at: folder.file("source.sqlite"), to: folder.file("copy.sqlite"))
    for step in 6..<16 {
      for library in [source, memory] { try Self.change(library, seed: seed * 1_000 + step) }
    }
    let difference = Self.difference(try source.contents(), try memory.contents())
    #expect(difference.isEmpty, "\(difference.joined(separator: "\n"))")

    try write(source, since: place, to: "changes.ndjson")
    let application = ChangeApplication(
      changesPath: folder.path("changes.ndjson"), storePath: folder.path("copy.sqlite"), model: model)
    let dry = try application.run(isDryRun: true)
    #expect(try application.run() == dry)
    let copy = try SQLiteStore.open(path: folder.path("copy.sqlite"), model: model)
    let left = Self.difference(try Library(copy).contents(), try memory.contents())
    #expect(left.isEmpty, "\(left.joined(separator: "\n"))")
    // Keys that were given out by the file are not given out again.
    for entity in model.entities where entity.superentity == nil {
      let greatest = try copy.objectIDs(FetchSpecification(entity)).compactMap(\.primaryKey).max() ?? 0
      #expect(try copy.reservePrimaryKeys(1, for: entity) > greatest)
    }
    #expect(try copy.history(PersistentHistoryQuery(after: .transaction(place))).map(\.author) == ["librarian"])
    try copy.close()
    let report = try StoreChecker.check(path: folder.path("copy.sqlite"), model: model)
    #expect(report.problems.isEmpty, "\(report.problems)")
  }
}
