import Foundation
import ObjectGraph
import ObjectModel
import StoreInterface
import TestSupport
import Testing

/// The history of an SQLite store beside that of one in memory, which finds out by comparing the rows before and after.
@Suite("Random history")
struct RandomHistoryTests {
  /// A random save, the same in every store: objects by their primary keys.
  private func save(_ library: HistoryLibrary, _ random: inout SeededGenerator) throws {
    try library.work("context", author: ["a", "b", nil][Int.random(in: 0..<3, using: &random)]) { context in
      func all(_ entity: Entity) throws -> [ManagedObject] { try context.fetch(FetchSpecification(entity)) }
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let entity = [library.book, library.author, library.tag, library.chapter].randomElement(using: &random)
        guard let entity else { continue }
        let known = try all(entity).filter { !$0.isDeleted }
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: try change(context.insert(entity), all, &random)
        case 4..<9: if let object = known.randomElement(using: &random) { try change(object, all, &random) }
        default: if let object = known.randomElement(using: &random) { context.delete(object) }
        }
      }
      try context.save()
    }
  }

  private func change(
    _ object: ManagedObject, _ all: (Entity) throws -> [ManagedObject],
    _ random: inout SeededGenerator
  ) throws {
    for attribute in object.entity.attributes where Bool.random(using: &random) {
      let number = Int.random(in: 0..<3, using: &random)
      switch attribute.type {
      case .string: object[attribute.name] = number == 0 ? .null : .string("\(attribute.name) \(number)")
      case .double: object[attribute.name] = .double(Double(number))
      case .date: object[attribute.name] = .date(Date(timeIntervalSinceReferenceDate: Double(number)))
      default: object[attribute.name] = .integer(Int64(number))
      }
    }
    for relationship in object.entity.relationships where Int.random(in: 0..<3, using: &random) == 0 {
      let others = try all(relationship.destination).filter { !$0.isDeleted }
      if relationship.isToMany {
        let members = others.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
        try object.setObjects(members, for: relationship.name)
      } else {
        let other = Bool.random(using: &random) ? others.randomElement(using: &random) : nil
        object.setObject(other, for: relationship.name)
      }
    }
  }

  @Test("both stores tell the same of random saves", arguments: 0..<12)
  func random(seed: Int) throws {
    let (memory, disk) = (try HistoryLibrary(.inMemory), try HistoryLibrary(.sqlite))
    for step in 0..<25 {
      for library in [memory, disk] {
        var random = SeededGenerator(seed: UInt64(seed * 1_000 + step))
        try save(library, &random)
      }
      #expect(try disk.told() == memory.told(), "seed \(seed), save \(step)")
      if try disk.told() != memory.told() { return }
    }
    #expect(try disk.store.lastTransactionNumber() > 10)
  }

  @Test("the rows of the tables say which objects there are", arguments: 0..<3)
  func replay(seed: Int) throws {
    let library = try HistoryLibrary()
    var random = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<60 { try save(library, &random) }
    var there: Set<ObjectID> = []
    for change in try library.history(.fetchHistory(after: Date.distantPast)).transactions.flatMap({ $0.changes ?? [] })
    {
      switch change.changeType {
      case .insert: #expect(there.insert(change.changedObjectID).inserted)
      case .update: #expect(there.contains(change.changedObjectID))
      case .delete: #expect(there.remove(change.changedObjectID) != nil)
      }
    }
    let found = try library.work { context in
      try [library.book, library.author, library.tag, library.chapter].flatMap {
        try context.fetch(FetchSpecification($0)).map(\.objectID)
      }
    }
    #expect(Set(found) == there)
  }
}
