import Foundation
import ObjectModel
import StoreInterface
import TestRows
import TestStores
import TestSupport

/// A model with every kind of column and index, and random batches for it.
struct RandomCollection {
  let model: ManagedObjectModel
  private var random: SeededGenerator

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    model = try ManagedObjectModel(entities: Self.entities())
  }

  private static func entities() -> [EntityDefinition] {
    var item = EntityDefinition("Item")
    item.attributes = [
      .init("small", .integer16), .init("medium", .integer32), .init("large", .integer64), .init("exact", .decimal),
      .init("real", .double), .init("single", .float), .init("text", .string), .init("flag", .boolean),
      .init("day", .date), .init("bytes", .binary), .init("uuid", .uuid), .init("link", .uri),
      .init("object", .transformable), .init("code", .string),
    ]
    var image = AttributeDefinition("image", .binary)
    image.allowsExternalBinaryDataStorage = true
    var size = AttributeDefinition("size", .composite)
    size.composite = .init(name: "Size", elements: [.init("height", .double), .init("unit", .string)])
    item.attributes += [image, size]
    item.attributes += [
      preset("namedPreset", .string, .string("nobody ✓")), preset("realPreset", .double, .double(1e18)),
      preset("floatPreset", .float, .double(Double(Float(0.1)))),
      preset("exactPreset", .decimal, .decimal(Decimal(string: "10.10") ?? 0)),
      preset("dayPreset", .date, .date(Date(timeIntervalSinceReferenceDate: -3))),
      preset("flagPreset", .boolean, .boolean(true)), preset("largePreset", .integer64, .integer(.min)),
    ]
    item.relationships = [.init("owner", toOne: "Owner", inverse: "items"), .init("next", toOne: "Item")]
    item.uniquenessConstraints = [["code"], ["text", "uuid"]]
    item.fetchIndexes = [
      index("byLarge", ["large"]), index("bySmallDown", ["small"], ascending: false),
      index("byReal", ["real", "exact", "day"]), index("byTextDown", ["text", "bytes"], ascending: false),
      index("byUUID", ["uuid", "flag"]),
      .init(
        "byEntity",
        elements: [
          .init(.expression("entity", type: nil)), .init(.expression("self", type: nil), isAscending: false),
          .init(.property("single")),
        ]),
      .init("partly", elements: [.init(.property("medium"))], partialIndexPredicate: "medium > 5"),
      .init("place", elements: [.init(.property("real"), kind: .rTree)]),
    ]
    var special = EntityDefinition("Special")
    special.superentityName = "Item"
    special.attributes = [.init("extra", .string), preset("extraPreset", .integer16, .integer(-9))]
    var owner = EntityDefinition("Owner")
    owner.attributes = [.init("name", .string), derived("itemCount", "count:(items)")]
    owner.relationships = [
      .init("items", toMany: "Item", inverse: "owner", ordered: true), .init("tags", toMany: "Tag", inverse: "owners"),
    ]
    var group = EntityDefinition("Group")
    group.superentityName = "Owner"
    var tag = EntityDefinition("Tag")
    tag.attributes = [.init("name", .string)]
    tag.relationships = [.init("owners", toMany: "Owner", inverse: "tags", ordered: true)]
    return [item, special, owner, group, tag]
  }

  private static func preset(_ name: String, _ type: AttributeType, _ value: Value) -> AttributeDefinition {
    var attribute = AttributeDefinition(name, type)
    attribute.defaultValue = value
    return attribute
  }

  private static func derived(_ name: String, _ expression: String) -> AttributeDefinition {
    var attribute = AttributeDefinition(name, .integer64)
    attribute.derivation = .init(expression: expression)
    return attribute
  }

  private static func index(_ name: String, _ properties: [String], ascending: Bool = true) -> FetchIndexDefinition {
    .init(name, elements: properties.map { .init(.property($0), isAscending: ascending) })
  }

  // MARK: - Batches

  /// Rows of one entity with their keys, or members of a to-many relationship.
  enum Change {
    case rows(RowBatch, keys: [Int64])
    case links(Relationship, [(owner: Int64, destination: Int64)])
  }

  /// Batches in the order in which they are to be written.
  /// - Parameter rowsPerBatch: the greatest number.
  mutating func changes(batches: Int, rowsPerBatch: Int) throws -> [Change] {
    var changes: [Change] = []
    var last: [String: Int64] = [:]
    var numbers: [Int64: Int64] = [:]
    func keys(_ root: String, _ count: Int) -> [Int64] {
      let first = last[root, default: 0] + 1
      last[root] = first + Int64(count) - 1
      return (0..<count).map { first + Int64($0) }
    }
    for name in ["Owner", "Group", "Tag"] {
      let entity = try model.required(name)
      let new = keys(name == "Tag" ? "Tag" : "Owner", 5)
      for key in new where name != "Tag" { numbers[key] = Int64(entity.index) }
      changes.append(
        .rows(makeBatch(entity, [.init(.attribute("name"), .bytes)], new.map { _ in [text()] }), keys: new))
    }
    for _ in 0..<batches {
      let name = chance(50) ? "Item" : "Special"
      let entity = try model.required(name)
      let new = keys("Item", Int.random(in: 1...rowsPerBatch, using: &random))
      let columns = Self.columns + (name == "Special" ? [RowBatch.Column(.attribute("extra"), .bytes)] : [])
      let rows = new.map { key in row(key, numbers, isSpecial: name == "Special") }
      changes.append(.rows(makeBatch(entity, columns, rows), keys: new))
    }
    var pairs: [(owner: Int64, destination: Int64)] = []
    for owner in numbers.keys.sorted() {
      for tag in 1...5 as ClosedRange<Int64> where chance(40) { pairs.append((owner, tag)) }
    }
    if let tags = try model.required("Owner").relationship("tags") { changes.append(.links(tags, pairs)) }
    return changes
  }

  private static let attributes: [(String, RowBatch.Storage)] = [
    ("small", .integer), ("medium", .integer), ("large", .integer), ("exact", .bytes), ("real", .real),
    ("single", .real), ("text", .bytes), ("flag", .integer), ("day", .real), ("bytes", .bytes), ("uuid", .bytes),
    ("link", .bytes), ("object", .bytes), ("code", .bytes), ("image", .bytes), ("size.height", .real),
    ("namedPreset", .bytes), ("realPreset", .real), ("floatPreset", .real), ("exactPreset", .bytes),
    ("dayPreset", .real), ("flagPreset", .integer),
  ]

  private static let columns: [RowBatch.Column] =
    attributes.map { RowBatch.Column(.attribute($0.0), $0.1) } + [
      RowBatch.Column(.toOne("owner"), .integer), RowBatch.Column(.toOneEntity("owner"), .integer),
      RowBatch.Column(.toOneOrder("owner"), .integer), RowBatch.Column(.toOne("next"), .integer),
      RowBatch.Column(.toOneEntity("next"), .integer),
    ]

  private mutating func row(_ key: Int64, _ owners: [Int64: Int64], isSpecial: Bool) -> [Cell] {
    let owner = owners.keys.sorted().randomElement(using: &random)
    var cells = [
      sparse(.integer(integer(Int64(Int16.min)...Int64(Int16.max)))),
      sparse(.integer(integer(Int64(Int32.min)...Int64(Int32.max)))), sparse(.integer(integer(.min ... .max))),
      sparse(decimal()), sparse(.real(real())), sparse(.real(Double(Float(real())))), sparse(text()),
      sparse(.integer(chance(50) ? 1 : 0)), sparse(.real(real())), sparse(.bytes(bytes())),
      sparse(.bytes((0..<16).map { _ in UInt8.random(in: 0...255, using: &random) })),
      sparse(.text("https://example.org/\(key)")), sparse(.bytes(bytes())),
      // Unique, and in no order.
      chance(90) ? .text("\(key &* 7_919 % 100_003)-\(key)") : .null, sparse(.bytes(image())), sparse(.real(real())),
      sparse(text()), sparse(.real(real())), sparse(.real(Double(Float(real())))), sparse(decimal()),
      sparse(.real(real())), sparse(.integer(0)),
    ]
    if let owner, let number = owners[owner], chance(80) {
      cells += [.integer(owner), .integer(number), .integer(key * 1024)]
    } else {
      cells += [.null, .null, .null]
    }
    // To itself, the only row of which is known what it is.
    let index = model[isSpecial ? "Special" : "Item"]?.index ?? 0
    cells += chance(30) ? [.integer(key), .integer(Int64(index))] : [.null, .null]
    if isSpecial { cells.append(sparse(text())) }
    return cells
  }

  // MARK: - Values

  private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  private mutating func sparse(_ cell: Cell) -> Cell { chance(75) ? cell : chance(50) ? .null : .absent }

  private mutating func integer(_ range: ClosedRange<Int64>) -> Int64 {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return range.lowerBound + Int64(Int.random(in: 0..<2, using: &random))
    case 1: return range.upperBound - Int64(Int.random(in: 0..<2, using: &random))
    case 2:
      // Beside every limit of the forms of an integer.
      let limit = Int64(1) << [7, 15, 23, 31, 47, 53, 62].shuffled(using: &random)[0]
      let near = (chance(50) ? limit : -limit) + Int64.random(in: -2...2, using: &random)
      return min(max(near, range.lowerBound), range.upperBound)
    default: return Int64.random(in: -300...300, using: &random)
    }
  }

  private mutating func real() -> Double {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: return Double(integer(.min ... .max))
    case 1: return Double(bitPattern: UInt64.random(in: 0...0x7FEF_FFFF_FFFF_FFFF, using: &random))
    case 2:
      return [0, -0.0, 0.1, -0.5, 1e300, .leastNonzeroMagnitude, .infinity, -.infinity].shuffled(using: &random)[0]
    case 3: return Double(Int64.random(in: -1000...1000, using: &random))
    default: return Double.random(in: -1e6...1e6, using: &random)
    }
  }

  private mutating func digits(_ count: Int) -> String {
    String((0..<count).map { _ in Character(String(Int.random(in: 0...9, using: &random))) })
  }

  private mutating func length(_ limits: [Int]) -> Int {
    Int.random(in: 1...limits.shuffled(using: &random)[0], using: &random)
  }

  private mutating func decimal() -> Cell {
    var text = chance(30) ? "-" : ""
    text += digits(length([3, 20, 39]))
    if chance(60) { text += "." + digits(length([2, 16, 40])) }
    if chance(10) { text += "e" + String(Int.random(in: -30...30, using: &random)) }
    return .text(text)
  }

  private mutating func text() -> Cell {
    let alphabet = Array("abcXYZ äß€😀0\u{0}\u{301}")
    // Now and then beyond a page of an index or a table, where rows spill.
    let lengths = [0, 1, 8, 40, 480, 1_100, 5_000, 20_000]
    let length = chance(90) ? lengths[Int.random(in: 0..<4, using: &random)] : lengths.shuffled(using: &random)[0]
    return .text(String((0..<length).map { _ in alphabet.shuffled(using: &random)[0] }))
  }

  private mutating func bytes() -> [UInt8] {
    let count = chance(90) ? Int.random(in: 0..<60, using: &random) : Int.random(in: 0..<9_000, using: &random)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  private mutating func image() -> [UInt8] {
    if chance(95) { return bytes() }
    return [UInt8](repeating: UInt8.random(in: 0...255, using: &random), count: 120_000)
  }
}
