import Foundation
import ObjectModel
import StoreInterface
import Testing

@Suite("Sums of problems")
struct ProblemSumTests {
  @Test("an error with many problems tells ten, each with its object, and the number", arguments: [1, 10, 11, 20_000])
  func sums(count: Int) throws {
    var item = EntityDefinition("Item")
    item.attributes = [AttributeDefinition("name", .string)]
    let model = try ManagedObjectModel(entities: [item])
    let entity = try #require(model["Item"])
    let error = ValidationError(
      (1...count).map { key in
        let reference = ObjectID.Reference.permanent(store: "S", primaryKey: Int64(key))
        return .init(
          objectID: ObjectID(entity: entity, reference: reference), entity: "Item", property: "name",
          code: .missingValue, message: "is required")
      })
    let lines = error.description.split(separator: "\n")
    #expect(lines.count == (count > 10 ? 11 : count))
    #expect(lines[0] == "Item.name: is required [missing-value] (Item/p1)")
    if count > 10 { #expect(lines[10] == "and \(count - 10) more: \(count) in all") }
    // One alone is a sentence for people.
    #expect(error.localizedDescription == (count == 1 ? "name is a required value." : error.description))
    #expect(error.problems.count == count)
    let fault = ModelError((1...count).map { .init(.invalidValue, line: $0, message: "odd") })
    #expect(fault.description.split(separator: "\n").count == lines.count)
  }

  @Test("an object that is not saved is named by its temporary id")
  func temporary() throws {
    let model = try ManagedObjectModel(entities: [EntityDefinition("Item")])
    let uuid = UUID()
    let objectID = ObjectID(entity: try #require(model["Item"]), reference: .temporary(uuid))
    let problem = ValidationError.Problem(
      objectID: objectID, entity: "Item", property: nil, code: .custom, message: "no")
    #expect(problem.description == "Item: no [custom] (Item/t\(uuid.uuidString))")
  }
}
