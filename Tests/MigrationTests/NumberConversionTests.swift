import CoreDataLayout
import Foundation
import Migration
import ObjectModel
import Testing

@Suite("Numbers of another type in mapping models")
struct NumberConversionTests {
  private static let kept: [(value: Value, type: AttributeType, result: Value)] = [
    (.boolean(false), .double, .double(0)), (.boolean(true), .double, .double(1)), (.boolean(true), .float, .double(1)),
    (.boolean(true), .decimal, .decimal(1)), (.boolean(true), .integer16, .integer(1)),
    (.integer(1), .boolean, .boolean(true)), (.integer(0), .boolean, .boolean(false)),
    (.double(1), .boolean, .boolean(true)), (.decimal(0), .boolean, .boolean(false)),
    (.integer(1 << 53), .double, .double(9_007_199_254_740_992)), (.integer(1 << 30), .float, .double(1_073_741_824)),
    (.double(-0.0), .integer16, .integer(0)), (.double(-32_768), .integer16, .integer(-32_768)),
    (.double(0.1), .decimal, .decimal(Decimal(string: "0.1") ?? 0)),
    (.integer((1 << 62) + 1), .decimal, .decimal(Decimal(string: "4611686018427387905") ?? 0)),
    // Fractions become the nearest that the type has.
    (.double(0.1), .float, .double(Double(Float(0.1)))),
    (.decimal(Decimal(string: "0.1") ?? 0), .double, .double(0.1)),
    (.decimal(Decimal(string: "0.1") ?? 0), .float, .double(Double(Float(0.1)))),
  ]

  private static let refused: [(value: Value, type: AttributeType)] = [
    (.integer(2), .boolean), (.integer(-32_768), .boolean), (.double(0.5), .boolean), (.decimal(2), .boolean),
    (.integer((1 << 53) + 1), .double), (.integer(16_777_217), .float), (.double(16_777_217), .float),
    (.double(1e300), .float), (.double(1e-300), .float), (.double(1e200), .decimal), (.double(1.5), .integer32),
    (.double(9_223_372_036_854_775_808), .integer64), (.integer(32_768), .integer16),
    (.decimal(Decimal(string: "9007199254740993") ?? 0), .double), (.string("1"), .integer16),
  ]

  /// What an attribute of a type gets of a value of an attribute of no type.
  private func result(_ value: Value, _ type: AttributeType) throws -> [Value] {
    var journal = try Journal(entries: 1) { entities in
      entities[0].attributes.append(AttributeDefinition("number", type))
    }
    journal.editEntry { $0.attributeMappings.append(PropertyMapping("number", "FUNCTION($manager, \"number\")")) }
    let manager = NumberManager(sourceModel: journal.older, destinationModel: journal.newer)
    manager.number = value
    try journal.migrate(manager)
    return try journal.notes("number")
  }

  @Test("a number takes another type as the same number", arguments: Self.kept)
  func same(value: Value, type: AttributeType, expected: Value) throws {
    #expect(try result(value, type) == [expected])
  }

  @Test("a number that would be another one is refused with the object", arguments: Self.refused)
  func other(value: Value, type: AttributeType) throws {
    let error = try #require(throws: MigrationError.self) { try result(value, type) }
    #expect(error.code == .value && error.property == "number" && error.objectID?.entity.name == "Entry", "\(error)")
    #expect(error.message.contains("cannot become a value of the type \(type.name)"), "\(error)")
  }
}

/// A manager with a function that gives a number.
private final class NumberManager: MigrationManager {
  var number = Value.null

  override var functions: [String: Function] { ["number": { [unowned self] _ in number }] }
}
