import Crypto
import Foundation
import TestSupport
import Testing

@testable import ObjectModel

/// The hash of composite attributes, against a slow twin that puts the bytes of the rule together as text.
@Suite("Version hashes of composite attributes")
struct CompositeHashTests {
  private static func attribute(
    _ name: String, _ type: AttributeType = .string, optional: Bool = true
  ) -> AttributeDefinition {
    var attribute = AttributeDefinition(name, type)
    attribute.isOptional = optional
    return attribute
  }

  private static func composite(_ name: String, _ elements: [AttributeDefinition]) -> AttributeDefinition {
    var attribute = AttributeDefinition(name, .composite)
    attribute.composite = .init(name: name.uppercased(), elements: elements)
    return attribute
  }

  private static func entity(_ attributes: [AttributeDefinition]) throws -> Entity {
    var place = EntityDefinition("Place")
    place.attributes = attributes
    return try #require(try ManagedObjectModel(entities: [place])["Place"])
  }

  // MARK: - The twin

  private static func hash(_ hexadecimal: String) -> String {
    let digits = Array(hexadecimal)
    let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
    return hexadecimal.count % 2 == 0 ? SHA256.hash(data: Data(bytes)).hexadecimal : "odd"
  }

  private static func twin(_ attribute: AttributeDefinition) -> String {
    if attribute.type == .composite {
      let all = leaves(attribute).sorted { Array($0.name.utf8).lexicographicallyPrecedes(Array($1.name.utf8)) }
      return hash(all.map(twin).joined())
    }
    let own = hash(
      attribute.name.utf8.hexadecimal + (attribute.isOptional ? "0100" : "0000")
        + (attribute.versionHashModifier ?? "").utf8.hexadecimal)
    let number = Int(attribute.type.rawValue)
    return hash(
      own + [UInt8(number % 256), UInt8(number / 256), 0, 0].hexadecimal
        + (attribute.allowsExternalBinaryDataStorage ? "01" : "")
        + (attribute.preservesValueInHistoryOnDeletion ? "01" : ""))
  }

  private static func leaves(_ attribute: AttributeDefinition) -> [AttributeDefinition] {
    if attribute.isTransient { return [] }
    guard let composite = attribute.composite else { return [attribute] }
    return composite.elements.flatMap(leaves)
  }

  private static func twin(entity attributes: [AttributeDefinition]) -> String {
    let sorted = attributes.sorted { Array($0.name.utf8).lexicographicallyPrecedes(Array($1.name.utf8)) }
    return hash("Place".utf8.hexadecimal + "00" + sorted.filter { !$0.isTransient }.map(twin).joined())
  }

  // MARK: - Tests

  /// The value comes from an implementation of the rule in another language.
  @Test("one model's hash is spelled out")
  func spelledOut() throws {
    let street = Self.composite("street", [Self.attribute("name"), Self.attribute("number", .integer16)])
    let home = Self.composite("home", [Self.attribute("town", optional: false), street, Self.composite("none", [])])
    let place = try Self.entity([Self.attribute("id", .uuid), home])
    #expect(place.versionHash.hexadecimal == "8f9fd217ac01d64ed0337111101d85803f35a95303d8dcf7550fc06e0827622f")
    #expect(place.unconfirmedHashReasons == [])
  }

  @Test("a composite without leaves has the hash of nothing")
  func empty() throws {
    var transient = Self.attribute("cache")
    transient.isTransient = true
    let nothing = Data(SHA256.hash(data: Data()))
    for elements in [[], [transient], [Self.composite("inner", []), Self.composite("other", [transient])]] {
      #expect(HashRules.hash(of: Self.composite("size", elements)) == nothing)
    }
  }

  @Test("random composites have the twin's hash, whatever they are called and however their elements are ordered")
  func random() throws {
    var random = SeededGenerator(seed: 15)
    for number in 0..<300 {
      let attributes = (0..<Int.random(in: 1...4, using: &random)).map { position in
        Self.randomAttribute("a\(position)", depth: 0, &random)
      }
      let place = try Self.entity(attributes)
      #expect(place.versionHash.hexadecimal == Self.twin(entity: attributes), "\(number): \(attributes)")
      #expect(try Self.entity(attributes.map { Self.shuffled($0, &random) }).versionHash == place.versionHash)
    }
  }

  @Test("leaves that are called alike are confirmed only when their hashes are equal")
  func alike() throws {
    let home = Self.composite("home", [Self.composite("x", [Self.attribute("name")]), Self.attribute("name")])
    #expect(try Self.entity([home]).unconfirmedHashReasons == [])
    let work = Self.composite(
      "work", [Self.composite("x", [Self.attribute("name", .integer16)]), Self.attribute("name")])
    #expect(
      try Self.entity([work]).unconfirmedHashReasons == ["work: the order of the composite's elements named name"])
    let two = [Self.composite("a", [Self.attribute("name", .date)]), Self.composite("b", [Self.attribute("name")])]
    #expect(try Self.entity(two).unconfirmedHashReasons == [])
  }

  private static func randomAttribute(
    _ name: String, depth: Int, _ random: inout SeededGenerator
  ) -> AttributeDefinition {
    let types: [AttributeType] = [.string, .integer16, .double, .date, .uuid, .decimal, .boolean, .binary, .uri]
    var attribute: AttributeDefinition
    if depth < 3, Int.random(in: 0..<3, using: &random) == 0 {
      // Names inside are unlike all others, in no order that has to do with their depth.
      let elements = (0..<Int.random(in: 0...4, using: &random)).map { position in
        randomAttribute("\("zbqBQ".randomElement(using: &random) ?? "z")\(position)_\(name)", depth: depth + 1, &random)
      }
      attribute = composite(name, elements)
    } else {
      attribute = self.attribute(name, types.randomElement(using: &random) ?? .string)
      attribute.versionHashModifier = Bool.random(using: &random) ? "m" : nil
      attribute.allowsExternalBinaryDataStorage = attribute.type == .binary && Bool.random(using: &random)
      attribute.preservesValueInHistoryOnDeletion = Int.random(in: 0..<5, using: &random) == 0
    }
    attribute.isOptional = Bool.random(using: &random)
    attribute.isTransient = depth > 0 && Int.random(in: 0..<6, using: &random) == 0
    return attribute
  }

  /// The same leaves: another name of the type, another flag, another order of elements.
  private static func shuffled(_ attribute: AttributeDefinition, _ random: inout SeededGenerator)
    -> AttributeDefinition
  {
    guard let composite = attribute.composite else { return attribute }
    var changed = attribute
    changed.isOptional.toggle()
    changed.versionHashModifier = "other"
    changed.composite = .init(
      name: composite.name + "2", elements: composite.elements.map { shuffled($0, &random) }.shuffled(using: &random))
    return changed
  }
}
