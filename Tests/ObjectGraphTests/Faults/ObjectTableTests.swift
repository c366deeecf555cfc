import ObjectModel
import TestSupport
import Testing

@testable import ObjectGraph

@Suite("The table of a context's objects")
struct ObjectTableTests {
  @Test("finds what a dictionary finds, and unused objects are gone", arguments: UInt64(1)...10)
  func twin(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let school = try School(.inMemory)
    let context = school.container.newBackgroundContext(name: "twin")
    context.performAndWait {
      let table = ObjectTable()
      var twin: [ObjectID: ManagedObject] = [:]
      let entities = [school.pupil, school.course, school.club]
      var temporaryIDs = TemporaryIDs()
      let entityContexts = entities.map { EntityContext(context.coordinator.runtime($0), context) }
      /// An object that no other table knows.
      func new(_ id: ObjectID) -> ManagedObject {
        let entityContext = entityContexts[entities.firstIndex(of: id.entity) ?? 0]
        return ManagedObject(ManagedObject.Registration(entityContext: entityContext, objectID: id, isInserted: false))
      }
      for round in 0..<6_000 {
        let id = Self.id(entities, &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0...1:
          let object = new(id)
          table.insert(object)
          twin[id] = object
        case 2...3:
          let found = table.find(id)
          #expect(found === twin[id])
          if found == nil {
            let object = new(id)
            table.insertNew(object, object.objectID, isStrong: true)
            // One that is not kept is as good as gone.
            if Bool.random(using: &random) { twin[id] = object }
          }
        case 4:
          table.remove(id)
          twin[id] = nil
          let old = twin.keys.min { ($0.high ^ $0.low) < ($1.high ^ $1.low) }
          if let old, let object = twin[old], round % 3 == 0 {
            table.move(object, to: id)
            twin[old] = nil
            twin[id] = object
          }
        case 5:
          // The object goes without the table being told.
          twin[id] = nil
        case 6 where round % 3 == 0:
          // New objects, which a save gives permanent ids.
          var saved: [ManagedObject] = []
          for _ in 0..<Int.random(in: 1...20, using: &random) {
            let object = new(temporaryIDs.next(in: entityContexts[0].temporaryIDs))
            table.insertHolding(object, object.objectID)
            // One that is not kept was taken back.
            if Int.random(in: 0..<40, using: &random) > 0 { saved.append(object) }
          }
          if Int.random(in: 0..<4, using: &random) == 0, let object = saved.randomElement(using: &random) {
            #expect(table.find(object.objectID) === object)
          }
          let space = ObjectID(entity: entities[0], reference: .permanent(store: "A", primaryKey: 1)).space
          var keys = Set((0..<60).map { _ in Int64.random(in: 1...900, using: &random) }).sorted()
          if Int.random(in: 0..<4, using: &random) == 0 { keys.shuffle(using: &random) }
          let ids = keys.prefix(saved.count).map { ObjectID(space: space, primaryKey: $0) }
          table.move(saved, to: ids)
          for (object, id) in zip(saved, ids) {
            #expect(object.objectID == id)
            twin[id] = object
          }
        case 6 where round % 3 == 1:
          // The rows of a fetch.
          let space = ObjectID(entity: entities[0], reference: .permanent(store: "A", primaryKey: 1)).space
          var key = Int64.random(in: 1...600, using: &random)
          for _ in 0..<20 {
            let id = ObjectID(space: space, primaryKey: key)
            let found = table.find(id)
            #expect(found === twin[id])
            if found == nil {
              let object = new(id)
              table.insertNew(object, id, isStrong: true)
              if Bool.random(using: &random) { twin[id] = object }
            }
            key += Int64.random(in: 0...9, using: &random)
          }
        case 6:
          if Bool.random(using: &random) { table.releaseUnused() } else { table.releaseUnusedOfMany() }
          table.reserve(Int.random(in: 0..<2_000, using: &random))
        default: #expect(table.find(id) === twin[id])
        }
        if round % 1_000 == 999 {
          // Two plain numbers, since the sets are too long to read.
          let (found, known) = (Set(table.all), Set(twin.values))
          #expect(found.subtracting(known).count == 0 && known.subtracting(found).count == 0)
        }
      }
      for (id, object) in twin { #expect(table.find(id) === object) }
      table.removeAll()
      #expect(table.all.isEmpty)
    }
  }

  /// Few keys, so that ids of several entities and stores have the same one.
  private static func id(_ entities: [Entity], _ random: inout SeededGenerator) -> ObjectID {
    let key = Int64.random(in: 1...900, using: &random)
    let store = Bool.random(using: &random) ? "A" : "B"
    let entity = entities[Int.random(in: 0..<entities.count, using: &random)]
    return ObjectID(entity: entity, reference: .permanent(store: store, primaryKey: key))
  }
}
