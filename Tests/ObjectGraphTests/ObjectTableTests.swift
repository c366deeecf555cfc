import ObjectModel
import Testing

@testable import ObjectGraph

@Suite("The table of a context's objects")
struct ObjectTableTests {
  @Test("finds what a dictionary finds, and objects that nobody uses are gone", arguments: UInt64(1)...10)
  func twin(seed: UInt64) throws {
    var random = SplitMix(state: seed)
    let school = try School(.inMemory)
    let context = school.container.newBackgroundContext(name: "twin")
    context.performAndWait {
      let table = ObjectTable()
      var twin: [ObjectID: ManagedObject] = [:]
      let entities = [school.pupil, school.course, school.club]
      for round in 0..<6_000 {
        let id = Self.id(entities, &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0...1:
          let object = context.object(with: id)
          table.insert(object)
          twin[id] = object
        case 2...3:
          if table.find(id) == nil {
            let object = context.object(with: id)
            table.insertNew(object, isHeld: true)
            // One that nobody takes is as good as gone.
            if Bool.random(using: &random) { twin[id] = object }
          }
        case 4:
          table.remove(id)
          twin[id] = nil
          // Objects of the context itself would take part in this with two ids.
          if let old = twin.keys.min(by: { $0.number < $1.number }), let object = twin[old], round % 3 == 0 {
            context.unregister(old)
            table.move(object, to: id)
            twin[old] = nil
            twin[id] = object
          }
        case 5:
          // The object goes without the table being told.
          twin[id] = nil
        case 6:
          if Bool.random(using: &random) { table.settle() }
          table.reserve(Int.random(in: 0..<2_000, using: &random))
        default: #expect(table.find(id) === twin[id])
        }
        if round % 1_000 == 999 { #expect(Set(table.all) == Set(twin.values)) }
      }
      for (id, object) in twin { #expect(table.find(id) === object) }
      table.removeAll()
      #expect(table.all.isEmpty)
    }
  }

  /// Few keys, so that ids of several entities and stores have the same one.
  private static func id(_ entities: [Entity], _ random: inout SplitMix) -> ObjectID {
    let key = Int64.random(in: 1...900, using: &random)
    let store = Bool.random(using: &random) ? "A" : "B"
    let entity = entities[Int.random(in: 0..<entities.count, using: &random)]
    return ObjectID(entity: entity, reference: .permanent(store: store, primaryKey: key))
  }
}
