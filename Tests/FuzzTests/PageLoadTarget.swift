import CoreDataLayout
import Foundation
import ObjectModel
import SQLite
import StoreInterface
import TestRows

/// A random model with random rows, loaded as finished pages and through SQLite: both stores must be the same.
struct PageLoadTarget {
  private let folder: URL
  private let model: ManagedObjectModel
  private var batches: [(batch: RowBatch, keys: [Int64])] = []
  private var links: [(relationship: Relationship, pairs: [(owner: Int64, destination: Int64)])] = []
  private let workers: Int
  private let memoryBudget: Int

  private static let types: [AttributeType] = [
    .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean, .date, .binary, .uuid, .uri,
  ]

  /// - Throws: what a model of these choices lacks.
  init(_ bytes: [UInt8], in folder: URL) throws {
    self.folder = folder
    var choices = Choices(bytes)
    workers = 1 + choices.below(3)
    memoryBudget = 1 << choices.below(26)
    let entities = PageLoadTarget.entities(&choices)
    model = try ManagedObjectModel(entities: entities)
    var keys: [Int: [(key: Int64, entity: Entity)]] = [:]
    for entity in model.entities {
      let last = Int64(keys[entity.root.index, default: []].count)
      let count = Int64(choices.below(60))
      keys[entity.root.index, default: []] += (0..<count).map { (last + $0 + 1, entity) }
    }
    for entity in model.entities {
      let own = keys[entity.root.index, default: []].filter { $0.entity == entity }.map(\.key)
      if own.isEmpty { continue }
      batches.append((batch(entity, own, keys, &choices), own))
    }
    for entity in model.entities {
      for relationship in entity.relationships where relationship.isToMany && relationship.declaringEntity == entity {
        if let inverse = relationship.inverse, !inverse.isToMany { continue }
        let owners = PageLoadTarget.rows(of: entity, keys)
        let members = PageLoadTarget.rows(of: relationship.destination, keys)
        if owners.isEmpty || members.isEmpty { continue }
        let pairs = (0..<choices.below(50)).map { _ in
          (owner: owners[choices.below(owners.count)].key, destination: members[choices.below(members.count)].key)
        }
        links.append((relationship, pairs))
      }
    }
  }

  private static func rows(
    of entity: Entity, _ keys: [Int: [(key: Int64, entity: Entity)]]
  ) -> [(key: Int64, entity: Entity)] {
    keys[entity.root.index, default: []].filter { $0.entity.isKind(of: entity) }
  }

  // MARK: - The model

  private static func entities(_ choices: inout Choices) -> [EntityDefinition] {
    var entities = (0..<(1 + choices.below(4))).map { EntityDefinition("E\($0)") }
    for index in entities.indices {
      if index > 0, choices.below(3) == 0 { entities[index].superentityName = "E\(choices.below(index))" }
      entities[index].attributes = (0..<choices.below(6)).map { number in
        AttributeDefinition("a\(index)x\(number)", types[choices.below(types.count)])
      }
      let names = entities[index].attributes.filter { $0.type != .binary }.map(\.name)
      if let name = names.first, choices.bit() {
        let other = names[choices.below(names.count)]
        let elements = [FetchIndexDefinition.Element(.property(name), isAscending: choices.bit())]
        entities[index].fetchIndexes = [
          FetchIndexDefinition("i\(index)", elements: elements + (other == name ? [] : [.init(.property(other))]))
        ]
      }
    }
    for number in 0..<choices.below(6) {
      let left = choices.below(entities.count)
      let right = choices.below(entities.count)
      let (name, inverse) = ("r\(number)", "v\(number)")
      switch choices.below(5) {
      case 0: entities[left].relationships.append(.init(name, toOne: "E\(right)"))
      case 1:
        entities[left].relationships.append(.init(name, toOne: "E\(right)", inverse: inverse))
        entities[right].relationships.append(.init(inverse, toMany: "E\(left)", inverse: name, ordered: choices.bit()))
      case 2:
        entities[left].relationships.append(.init(name, toMany: "E\(right)", inverse: inverse, ordered: choices.bit()))
        entities[right].relationships.append(.init(inverse, toMany: "E\(left)", inverse: name, ordered: choices.bit()))
      case 3:
        entities[left].relationships.append(.init(name, toMany: "E\(left)", inverse: name, ordered: choices.bit()))
      default: entities[left].relationships.append(.init(name, toMany: "E\(right)"))
      }
    }
    return entities
  }

  // MARK: - The rows

  private func batch(
    _ entity: Entity, _ own: [Int64], _ keys: [Int: [(key: Int64, entity: Entity)]], _ choices: inout Choices
  ) -> RowBatch {
    var columns: [RowBatch.Column] = []
    for attribute in entity.attributes where choices.below(8) > 0 {
      columns.append(RowBatch.Column(.attribute(attribute.name), attribute.type.rowBatchStorage))
    }
    let attributeCount = columns.count
    let toOnes = entity.relationships.filter { !$0.isToMany && !PageLoadTarget.rows(of: $0.destination, keys).isEmpty }
    for relationship in toOnes {
      columns.append(RowBatch.Column(.toOne(relationship.name), .integer))
      if !relationship.destination.subentities.isEmpty {
        columns.append(RowBatch.Column(.toOneEntity(relationship.name), .integer))
      }
    }
    let batch = RowBatch(entity: entity, columns: columns, capacity: own.count)
    for row in own.indices {
      for column in 0..<attributeCount {
        guard case .attribute(let name) = columns[column].source,
          let type = entity.attributes.first(where: { $0.name == name })?.type
        else { continue }
        let state = choices.below(8)
        unsafe batch.states[column][row] = UInt8(state < 2 ? state : 2)
        if state >= 2 { PageLoadTarget.put(type, batch, column, row, &choices) }
      }
      var column = attributeCount
      for relationship in toOnes {
        let destinations = PageLoadTarget.rows(of: relationship.destination, keys)
        let (key, destination) = destinations[choices.below(destinations.count)]
        let state = RowBatch.State.value.rawValue - (choices.below(6) == 0 ? 1 : 0)
        unsafe batch.states[column][row] = state
        unsafe batch.integers(column)[row] = key
        column += 1
        if relationship.destination.subentities.isEmpty { continue }
        unsafe batch.states[column][row] = state
        unsafe batch.integers(column)[row] = Int64(destination.index)
        column += 1
      }
    }
    batch.count = own.count
    return batch
  }

  private static func put(
    _ type: AttributeType, _ batch: RowBatch, _ column: Int, _ row: Int, _ choices: inout Choices
  ) {
    func put(_ bytes: [UInt8]) { batch.put(bytes, column: column, row: row) }
    switch type {
    case .integer16: unsafe batch.integers(column)[row] = choices.integer(2)
    case .integer32: unsafe batch.integers(column)[row] = choices.integer(4)
    case .integer64: unsafe batch.integers(column)[row] = choices.integer(choices.below(9))
    case .boolean: unsafe batch.integers(column)[row] = Int64(choices.below(2))
    case .double, .date: unsafe batch.reals(column)[row] = choices.real()
    case .float: unsafe batch.reals(column)[row] = Double(Float(choices.real()))
    case .decimal: put(Array("\(choices.integer(4)).\(choices.below(100))".utf8))
    case .uuid: put((0..<16).map { _ in choices.byte() })
    case .uri: put(Array("https://example.org/\(choices.below(256))".utf8))
    case .binary: put(choices.blob())
    default: put(Array(choices.text().utf8))
    }
  }

  // MARK: - The stores

  func run() throws {
    let files = try [true, false].map { isPaged in
      let path = folder.appendingPathComponent(isPaged ? "pages.sqlite" : "rows.sqlite").path
      var options = SQLiteStore.Options()
      options.isUnderConstruction = true
      options.uuid = "0A0B0C0D-0000-4000-8000-000000000001"
      let store = try SQLiteStore.create(path: path, model: model, options: options)
      if isPaged, try !store.beginPageLoad(model.entities) { throw Target.Broken("no page load was begun") }
      for (batch, keys) in batches { try store.insert(batch, keys: keys) }
      for (relationship, pairs) in links { try store.link(relationship, pairs: pairs, replacing: false) }
      if store.isPageLoading != isPaged { throw Target.Broken("the page load ended early") }
      try store.endPageLoad(memoryBudget: memoryBudget, workers: workers)
      try store.seal()
      let connection = try Connection(path: path)
      guard try connection.string("PRAGMA integrity_check") == "ok" else { throw Target.Broken("a store is damaged") }
      try connection.execute("VACUUM INTO '\(path).compact'")
      // The header counts changes.
      return try Data(contentsOf: URL(fileURLWithPath: path + ".compact")).dropFirst(100)
    }
    guard files[0] == files[1] else { throw Target.Broken("the pages are not those of SQLite") }
  }
}
