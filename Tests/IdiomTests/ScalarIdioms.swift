import Foundation
import Seedbed
import Testing

/// A class with scalar properties, as it says what nothing is.
final class Dish: ManagedObject {
  var nils: [String] = []

  override func setNilValueForKey(_ key: String) {
    nils.append(key)
    switch key {
    case "portions": setValue(1, forKey: key)
    case "isHot": self["isHot"] = false
    default: super.setNilValueForKey(key)
    }
  }
}

@Suite("Idioms: nothing in scalar properties")
struct ScalarIdioms {
  private func serve(_ body: (ManagedObjectContext) throws -> Void) throws {
    var dish = EntityDefinition("Dish")
    var portions = AttributeDefinition("portions", .integer16)
    portions.usesScalarValueType = true
    var weight = AttributeDefinition("weight", .double)
    weight.usesScalarValueType = true
    var isHot = AttributeDefinition("isHot", .boolean)
    isHot.isOptional = false
    var name = AttributeDefinition("name", .string)
    name.isOptional = false
    dish.attributes = [portions, weight, isHot, name, AttributeDefinition("rating", .integer32)]
    var plain = dish
    plain.name = "Plain"
    let container = PersistentContainer(
      name: "Dishes", managedObjectModel: try ManagedObjectModel(entities: [dish, plain]),
      persistentStoreDescriptions: [PersistentStoreDescription(type: .inMemory)])
    try container.loadPersistentStores()
    let context = container.newBackgroundContext()
    try context.performAndWait { try body(context) }
  }

  @Test("nil: setNilValueForKey says what it is in a scalar property, and only there")
  func override() throws {
    try serve { context in
      let dish = Dish(context: context)
      dish.setValuesForKeys(["portions": 4, "weight": 2.5, "isHot": true, "name": "Soup", "rating": 5])
      #expect(dish.nils.isEmpty)
      dish.setValuesForKeys([
        "portions": NSNull(), "weight": NSNull(), "isHot": NSNull(), "name": NSNull(), "rating": NSNull(),
      ])
      #expect(dish.nils == ["isHot", "portions", "weight"])
      #expect(dish.value(forKey: "portions") as? Int == 1)
      #expect(dish.value(forKey: "isHot") as? Bool == false)
      #expect(dish.value(forKey: "weight") == nil && dish.value(forKey: "rating") == nil)
      dish.setValue(nil, forKeyPath: "portions")
      dish.setPrimitiveValue(nil, forKey: "portions")
      #expect(dish.nils.count == 4 && dish.primitiveValue(forKey: "portions") == nil)
    }
  }

  @Test("nil: without an override it is null")
  func plain() throws {
    try serve { context in
      let plain = EntityDescription.insertNewObject(forEntityName: "Plain", into: context)
      plain.setValue(3, forKey: "portions")
      plain.setValue(nil, forKey: "portions")
      #expect(plain.value(forKey: "portions") == nil)
    }
  }
}
