import CoreDataLayout
import Foundation
import ObjectModel
import Pipelines
import StoreDifferences
import StoreInterface
import TestStores
import TestSupport
import Testing

@Suite("Comparing two stores")
struct StoreComparisonTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static func model(
    _ change: (inout EntityDefinition) -> Void = { _ in }, adding more: [EntityDefinition] = []
  )
    throws -> ManagedObjectModel
  {
    var item = EntityDefinition("Item")
    item.attributes = [.init("code", .string), .init("name", .string), .init("count", .integer64)]
    item.uniquenessConstraints = [["code"]]
    item.relationships = [
      .init("parent", toOne: "Item", inverse: "children"), .init("children", toMany: "Item", inverse: "parent"),
    ]
    change(&item)
    return try ManagedObjectModel(entities: [item] + more)
  }

  private typealias Row = (code: String?, name: String, parent: Int?)

  /// Items in the order of their primary keys; parents by position.
  private func make(_ name: String, _ rows: [Row], model: ManagedObjectModel? = nil) throws -> String {
    let path = folder.path(name)
    let store = try SQLiteStore.create(path: path, model: try model ?? Self.model())
    let entity = try #require(store.model["Item"])
    let first = try store.reservePrimaryKeys(rows.count, for: entity)
    func id(_ position: Int) -> ObjectID {
      store.id(of: entity, first + Int64(position))
    }
    var request = SaveRequest()
    for (position, row) in rows.enumerated() {
      let values: [String: Value] = ["code": row.code.map { .string($0) } ?? .null, "name": .string(row.name)]
      request.inserted.append(
        Snapshot(
          objectID: id(position), version: 1, attributes: entity.attributes.map { values[$0.name] ?? .null },
          toOne: entity.relationships.map { $0.name == "parent" ? row.parent.map(id) : nil }))
    }
    try store.save(request)
    try store.seal()
    return path
  }

  private func compare(
    _ left: String, _ right: String, _ leftModel: ManagedObjectModel? = nil, _ rightModel: ManagedObjectModel? = nil,
    _ change: (inout ComparisonOptions) -> Void = { _ in }
  ) throws -> (lines: [String], summary: ComparisonSummary) {
    var options = ComparisonOptions()
    change(&options)
    let comparison = StoreComparison(
      leftPath: left, try leftModel ?? Self.model(), rightPath: right, try rightModel ?? Self.model(), options: options)
    var lines: [String] = []
    let summary = try comparison.run { difference in
      let key = difference.object.values.map { "\($0.value)" }.joined()
      lines.append("\(difference.change) \(key) \(difference.properties.map(\.name))")
    }
    return (lines, summary)
  }

  @Test("objects are known by key, and relationships by where they lead")
  func keys() throws {
    let left = try make("a", [("a", "A", nil), ("b", "B", 0), ("c", "C", 0), ("d", "D", 1)])
    // The same objects in another order, but for d, which is below c; e is new, and nothing is left of a's name.
    let right = try make("b", [("d", "D", 3), ("e", "E", nil), ("b", "B", 4), ("c", "C", 4), ("a", "", nil)])
    let (lines, summary) = try compare(left, right)
    #expect(
      lines == [
        #"updated string("a") ["name"]"#, #"updated string("d") ["parent"]"#, #"inserted string("e") []"#,
      ])
    #expect(summary.hasDifferences && summary.changeCount == 3)
    #expect(summary.entities.map(\.key) == [["code"]])
    let (back, _) = try compare(right, left)
    #expect(back.sorted().first == #"deleted string("e") []"#)
    #expect(try compare(left, right) { $0.ignoredProperties = ["name", "Item.parent"] }.lines.count == 1)
  }

  @Test("the same objects are no difference, in the same file or another")
  func same() throws {
    let left = try make("a", [("a", "A", nil), ("b", "B", 0), (nil, "C", 1)])
    try FileManager.default.copyItem(atPath: left, toPath: folder.path("copy"))
    let copied = try compare(left, folder.path("copy"))
    #expect(copied.summary.isSameFile && !copied.summary.hasDifferences && copied.lines.isEmpty)
    let again = try compare(left, try make("b", [("a", "A", nil), ("b", "B", 0), (nil, "C", 1)]))
    #expect(!again.summary.isSameFile && !again.summary.hasDifferences)
  }

  @Test("a key that the caller chooses counts, and must name one object")
  func chosen() throws {
    let left = try make("a", [("1", "a", nil), ("2", "b", nil), ("3", "c", nil)])
    let right = try make("b", [("9", "c", nil), ("2", "b", nil), ("1", "a", nil)])
    let (lines, _) = try compare(left, right) { $0.keys["Item"] = ["name"] }
    #expect(lines == [#"updated string("c") ["code"]"#])
    let twice = try make("c", [("1", "a", nil), ("2", "a", nil)])
    let error = #expect(throws: RunError.self) { try compare(left, twice) { $0.keys["Item"] = ["name"] } }
    #expect(error?.message.contains("several Item of the second store have the same name") == true)
  }

  @Test(
    "what the models do not have is refused",
    arguments: [
      ["Thing=name"], ["Item=parent"], ["Item=missing"], ["entity Thing"], ["ignore missing"], ["ignore Thing.name"],
    ])
  func refused(option: [String]) throws {
    let left = try make("a", [("1", "a", nil)])
    #expect(throws: RunError.self) {
      try compare(left, left) { options in
        for option in option {
          let words = option.split(separator: " ").map(String.init)
          if words.count == 2 {
            if words[0] == "entity" { options.entities = [words[1]] } else { options.ignoredProperties = [words[1]] }
          } else {
            let parts = option.split(separator: "=").map(String.init)
            options.keys[parts[0]] = [parts[1]]
          }
        }
      }
    }
  }

  @Test("models may differ: that is said, and what both have is compared")
  func models() throws {
    let newer = try Self.model(
      { item in
        item.attributes.append(.init("color", .string))
        item.attributes[2] = .init("count", .string)
      }, adding: [EntityDefinition("Extra")])
    let left = try make("a", [("a", "A", nil), ("b", "B", 0)])
    let right = try make("b", [("b", "B", 1), ("a", "x", nil)], model: newer)
    let (lines, summary) = try compare(left, right, nil, newer)
    #expect(lines == [#"updated string("a") ["name"]"#])
    #expect(
      summary.modelDifferences == [
        "only the second store has the entity Extra",
        "Item.count is of another type in the second store; it is not compared",
        "only the second store has the attribute Item.color",
      ])
    let quiet = try compare(left, right, nil, newer) { $0.ignoredProperties = ["color", "count", "name"] }
    #expect(quiet.lines.isEmpty && quiet.summary.modelDifferences == ["only the second store has the entity Extra"])
  }
}
