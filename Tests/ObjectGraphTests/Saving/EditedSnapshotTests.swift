import CoreDataLayout
import Foundation
import ObjectModel
import Predicates
import StoreInterface
import TestStores
import TestSupport
import Testing

@testable import ObjectGraph

/// An object that was changed keeps the row that it was read as, with its new values beside it. It answers and saves as
/// one whose row was taken apart before, by what asks for all of its values.
@Suite("Edits beside rows")
struct EditedSnapshotTests {
  private static let attributes = ["count", "day", "flag", "mood", "name", "note", "ratio"]

  private static func model() throws -> ManagedObjectModel {
    var item = EntityDefinition("Item")
    var mood = AttributeDefinition("mood", .string)
    mood.isTransient = true
    var name = AttributeDefinition("name", .string)
    name.minimumValue = .integer(2)
    item.attributes = [
      .init("count", .integer32), .init("day", .date), .init("flag", .boolean), mood, name, .init("note", .string),
      .init("ratio", .float),
    ]
    item.relationships = [
      .init("next", toOne: "Item", inverse: "previous"), .init("previous", toOne: "Item", inverse: "next"),
    ]
    return try ManagedObjectModel(entities: [item])
  }

  private static func value(_ key: String, _ random: inout SeededGenerator) -> Value {
    func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
    if number(6) == 0 { return .null }
    switch key {
    case "count": return .integer(Int64(number(3)))
    case "day": return .date(Date(timeIntervalSinceReferenceDate: Double(number(3))))
    case "flag": return .boolean(number(2) == 0)
    case "ratio": return .double([0, -0.0, 0.1, 2.5][number(4)])
    // One is too short for the model.
    default:
      return .string(
        ["e\u{301}e", "\u{e9}e", "a text too long to lie in a value", number(9) == 0 ? "x" : "xy"][number(4)])
    }
  }

  /// One of two stores with the same rows, and a context over it.
  private final class World {
    let container: PersistentContainer
    let context: ManagedObjectContext
    let other: ManagedObjectContext
    /// Whether rows are taken apart before anything is done.
    let takesApart: Bool

    init(_ path: String, takesApart: Bool, isUndoable: Bool) throws {
      let model = try EditedSnapshotTests.model()
      let store = try SQLiteStore.create(path: path, model: model)
      container = try PersistentContainer(name: "items", model: model, store: store)
      context = container.newBackgroundContext()
      other = container.newBackgroundContext()
      self.takesApart = takesApart
      try other.performAndWait {
        var random = SeededGenerator(seed: 7)
        for number in 0..<40 {
          let item = other.insert(try model.required("Item"))
          for key in EditedSnapshotTests.attributes where key != "name" {
            item[key] = EditedSnapshotTests.value(key, &random)
          }
          item["name"] = .string("name \(number)")
        }
        try other.save()
        other.reset()
      }
      context.performAndWait {
        context.mergePolicy = .mergeByPropertyObjectTrump
        if isUndoable { context.undoManager = ContextUndoManager() }
      }
    }

    func items(in context: ManagedObjectContext) throws -> [ManagedObject] {
      let request = FetchRequest<ManagedObject>(entityName: "Item")
      request.includesPendingChanges = false
      return try context.fetch(request).sorted { ($0.objectID.primaryKey ?? 0) < ($1.objectID.primaryKey ?? 0) }
    }

    /// Asks for all values, where rows are to be taken apart.
    func takeApart(_ item: ManagedObject) {
      if !takesApart || item.isDeleted { return }
      _ = item.attributeValue("count")
      _ = item.values
    }

    /// How many objects have edits beside their rows: unsaved ones, and saved ones.
    func editCounts(_ items: [ManagedObject]) -> (unsaved: Int, saved: Int) {
      let edited = items.filter { $0.unsavedEdits != nil }.count
      return (edited, items.filter { $0.isUntouched && $0.snapshotRow == nil }.count)
    }

    /// What an object says of itself.
    func description(_ item: ManagedObject) -> String {
      takeApart(item)
      let values = EditedSnapshotTests.attributes.map { "\(item.attributeValue($0))" }
      let changes: [[String: PropertyValue]] = [
        item.changedPropertyValues(), item.committedPropertyValues(), item.changedPropertyValuesForCurrentEvent(),
      ]
      let texts = changes.map { change in
        change.sorted { $0.key < $1.key }.map { "\($0): \($1)" }.joined(separator: ", ")
      }
      return
        ([String(describing: item.objectID.primaryKey), "\(item.isUpdated) \(item.hasPersistentChangedValues)"]
        + values + texts).joined(separator: "; ")
    }

    /// Does something random.
    /// - Returns: what came of it.
    func step(_ random: inout SeededGenerator, _ items: inout [ManagedObject]) -> String {
      func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
      let (kind, first) = (number(44), number(items.count))
      let item = items[first]
      takeApart(item)
      do {
        switch kind {
        case 0..<22:
          // Neighbours get the same attribute, so that they are written together.
          let key = EditedSnapshotTests.attributes[number(7)]
          let last = min(first + (number(3) == 0 ? number(30) : 0), items.count - 1)
          for index in first...last {
            takeApart(items[index])
            items[index][key] = EditedSnapshotTests.value(key, &random)
          }
        case 22..<24: return "\(item.attributeValue(EditedSnapshotTests.attributes[number(7)]))"
        case 24..<27: return description(item)
        case 27: item.setObject(number(3) == 0 ? nil : items[number(items.count)], for: "next")
        case 28: context.refresh(item, mergeChanges: number(2) == 0)
        case 29: context.rollback()
        case 30: context.undo()
        case 31: context.redo()
        case 32: context.processPendingChanges()
        case 33:
          context.delete(item)
          context.undo()
        case 34: try write(number(items.count), &random)
        case 35, 40...43:
          context.reset()
          items = try self.items(in: context)
        case 36:
          return try context.fetch(request(number(3))).map { "\($0.objectID.primaryKey ?? 0)" }.joined(separator: " ")
        default: try context.save()
        }
        return "done"
      } catch let error as ValidationError {
        context.rollback()
        return "\(error.problems.map(\.code))"
      } catch {
        context.rollback()
        return "\(type(of: error))"
      }
    }

    private func request(_ count: Int) -> FetchRequest<ManagedObject> {
      let request = FetchRequest<ManagedObject>(entityName: "Item")
      request.predicate = .comparison(["count"], .equal, .integer(Int64(count)))
      return request
    }

    /// Another context writes a row, so that the next save of this one may be in conflict.
    private func write(_ index: Int, _ random: inout SeededGenerator) throws {
      let key = EditedSnapshotTests.attributes[Int.random(in: 0..<3, using: &random)]
      let value = EditedSnapshotTests.value(key, &random)
      try other.performAndWait {
        let item = try items(in: other)[index]
        item[key] = value
        try other.save()
        other.reset()
      }
    }

    func rows() throws -> [Snapshot] {
      try container.persistentStoreCoordinator.store.snapshots(
        FetchSpecification(try container.managedObjectModel.required("Item")))
    }
  }

  @Test("an object with edits is what one is whose row was taken apart", arguments: UInt64(1)...20)
  func agreement(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let worlds = [
      try World(folder.path("beside.sqlite"), takesApart: false, isUndoable: seed % 3 == 0),
      try World(folder.path("apart.sqlite"), takesApart: true, isUndoable: seed % 3 == 0),
    ]
    var items = try worlds.map { world in try world.context.performAndWait { try world.items(in: world.context) } }
    var generators = [SeededGenerator(seed: seed), SeededGenerator(seed: seed)]
    var (unsaved, saved) = (0, 0)
    for step in 0..<300 {
      var outcomes: [String] = []
      for (index, world) in worlds.enumerated() {
        outcomes.append(world.context.performAndWait { world.step(&generators[index], &items[index]) })
      }
      try #require(outcomes[0] == outcomes[1], "step \(step)")
      if step % 50 == 49 {
        let texts = zip(worlds, items).map { world, items in
          world.context.performAndWait { items.map { world.description($0) } }
        }
        try #require(texts[0] == texts[1], "step \(step)")
      }
      let counts = zip(worlds, items).map { world, items in world.context.performAndWait { world.editCounts(items) } }
      unsaved += counts[0].unsaved
      saved += counts[0].saved
      let rows = try worlds.map { try $0.rows() }
      let haveSameValues = zip(rows[0], rows[1]).allSatisfy { one, other in
        zip(one.attributes, other.attributes).allSatisfy { $0.isIdentical(to: $1) }
          && one.toOne.map { $0?.primaryKey } == other.toOne.map { $0?.primaryKey }
      }
      try #require(rows[0].count == rows[1].count && haveSameValues, "step \(step)")
      try #require(rows[0].map(\.version) == rows[1].map(\.version), "step \(step)")
    }
    // An undo manager asks for all values at the end of each event.
    if seed % 3 > 0 { #expect(unsaved > 20 && saved > 5, "\(unsaved) \(saved)") }
  }

  @Test("what is not edited is validated too, also of many attributes", arguments: [3, 64, 65, 80])
  func validation(attributeCount: Int) throws {
    var item = EntityDefinition("Item")
    item.attributes = (0..<attributeCount).map { AttributeDefinition("n\(1_000 + $0)", .integer64) }
    item.attributes[0].isOptional = false
    let model = try ManagedObjectModel(entities: [item])
    let folder = try TemporaryFolder()
    let store = try SQLiteStore.create(path: folder.path("items.sqlite"), model: model)
    let container = try PersistentContainer(name: "items", model: model, store: store)
    let context = container.newBackgroundContext()
    try context.performAndWait {
      _ = context.insert(try model.required("Item"))
      context.validatesBeforeSaving = false
      try context.save()
      context.validatesBeforeSaving = true
      context.reset()
      let item = try #require(try context.fetch(FetchRequest<ManagedObject>(entityName: "Item")).first)
      item.setValue(.integer(7), at: attributeCount - 1)
      #expect(throws: ValidationError.self) { try context.save() }
    }
  }
}
