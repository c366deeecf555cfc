import Foundation
import TestSupport

/// A model made by chance: inheritance, every attribute type, every kind of relationship.
struct RandomModelFile {
  private var generator: SeededGenerator
  private var entities: [(name: String, parent: Int?, isAbstract: Bool, properties: [String])] = []

  /// The XML of the model.
  private(set) var xml = ""

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    let count = 2 + number(4)
    for index in 0..<count {
      entities.append(
        (
          "E\(index)", index > 0 && chance(45) ? number(index) : nil, chance(15),
          ["<attribute name=\"a\(index)\" optional=\"YES\" attributeType=\"String\"/>"]
        ))
      for attribute in 0..<(1 + number(5)) { addAttribute("a\(index)x\(attribute)", to: index) }
    }
    // One entity must have objects.
    entities[count - 1].isAbstract = false
    for index in 0..<(2 + number(6)) { addRelationship(index) }
    let body = entities.map { entity in
      let parent = entity.parent.map { " parentEntity=\"\(entities[$0].name)\"" } ?? ""
      return "<entity name=\"\(entity.name)\"\(parent)\(entity.isAbstract ? " isAbstract=\"YES\"" : "")>"
        + entity.properties.joined(separator: "\n") + "</entity>"
    }
    xml = "<model type=\"com.apple.IDECoreDataModeler.DataModel\">" + body.joined(separator: "\n") + "</model>"
  }

  private mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
  private mutating func chance(_ percent: Int) -> Bool { number(100) < percent }

  private static let types = [
    "Integer 16", "Integer 32", "Integer 64", "Decimal", "Double", "Float", "String", "Boolean", "Date", "Binary",
    "UUID", "URI", "Transformable",
  ]

  private mutating func addAttribute(_ name: String, to entity: Int) {
    let type = Self.types[number(Self.types.count)]
    var more = ""
    if type == "Binary", chance(50) { more += " allowsExternalBinaryDataStorage=\"YES\"" }
    // What the model demands is broken by the rows: a dump does not ask.
    if chance(60) { more += " optional=\"YES\"" }
    if type.hasPrefix("Integer"), chance(30) { more += " defaultValueString=\"7\" minValueString=\"5\"" }
    if type == "String", chance(30) { more += " defaultValueString=\"none\" maxValueString=\"2\"" }
    entities[entity].properties.append("<attribute name=\"\(name)\" attributeType=\"\(type)\"\(more)/>")
  }

  private mutating func addRelationship(_ index: Int) {
    let owner = number(entities.count)
    let destination = number(entities.count)
    let (name, inverse) = ("r\(index)", "i\(index)")
    func text(
      _ name: String, _ isToMany: Bool, _ isOrdered: Bool, _ destination: Int, _ inverse: String?,
      isOptional: Bool = true
    ) -> String {
      let entity = entities[destination].name
      return "<relationship name=\"\(name)\" \(isOptional ? "optional=\"YES\" " : "")"
        + (isToMany ? "toMany=\"YES\" " : "maxCount=\"1\" ") + (isOrdered ? "ordered=\"YES\" " : "")
        + "destinationEntity=\"\(entity)\""
        + (inverse.map { " inverseName=\"\($0)\" inverseEntity=\"\(entity)\"" } ?? "") + "/>"
    }
    let kind = number(10)
    switch kind {
    case 0: entities[owner].properties.append(text(name, false, false, destination, nil, isOptional: chance(50)))
    case 1: entities[owner].properties.append(text(name, true, false, destination, nil))
    case 2: entities[owner].properties.append(text(name, true, false, owner, name))
    case 3, 4:  // one-to-one
      entities[owner].properties.append(text(name, false, false, destination, inverse, isOptional: chance(50)))
      entities[destination].properties.append(text(inverse, false, false, owner, name, isOptional: chance(50)))
    case 5, 6:  // one-to-many
      entities[owner].properties.append(text(name, true, kind == 6, destination, inverse))
      entities[destination].properties.append(text(inverse, false, false, owner, name, isOptional: chance(50)))
    default:  // many-to-many, either, both or no side ordered
      entities[owner].properties.append(text(name, true, kind == 8 || kind == 9, destination, inverse))
      entities[destination].properties.append(text(inverse, true, kind == 9, owner, name))
    }
  }
}
