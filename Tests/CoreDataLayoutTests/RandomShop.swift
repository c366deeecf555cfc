import CoreDataLayout
import ObjectModel
import StoreInterface
import TestRows
import TestStores
import TestSupport

/// Changes a store of the shop model of `LayoutDerivationTests` at random, by every way in which rows are written.
struct RandomShop {
  let store: SQLiteStore
  let model: ManagedObjectModel
  private var keys: [String: [Int64]] = [:]
  private static let names = ["Anna", "ben", "CARL", "Dora", "eve"]
  private static let rowEntities = ["Customer", "VIP", "Order", "Line", "Ware", "Label"]

  init(store: SQLiteStore, model: ManagedObjectModel) throws {
    self.store = store
    self.model = model
  }

  /// The rows of an entity with all that it inherits to; sub-entities share keys with their root.
  private func rows(_ entity: String) -> [Int64] {
    entity == "Customer" ? (keys["Customer"] ?? []) + (keys["VIP"] ?? []) : keys[entity] ?? []
  }

  // MARK: - Cells

  private func columns(_ entity: String) -> [RowBatch.Column] {
    switch entity {
    case "Customer", "VIP": [.init(.attribute("name"), .bytes)]
    case "Order":
      [.init(.attribute("total"), .real), .init(.attribute("note"), .bytes), .init(.toOne("customer"), .integer)]
    case "Line": [.init(.attribute("count"), .integer), .init(.toOne("order"), .integer)]
    case "Ware": [.init(.attribute("weight"), .integer)]
    default: []
    }
  }

  private func cells(_ entity: String, _ random: inout SeededGenerator) -> [Cell] {
    func reference(_ entity: String) -> Cell {
      rows(entity).randomElement(using: &random).flatMap { key in
        Bool.random(using: &random) || Bool.random(using: &random) ? .integer(key) : nil
      } ?? .null
    }
    func text() -> Cell { Self.names.randomElement(using: &random).map { .text($0) } ?? .null }
    switch entity {
    case "Customer", "VIP": return [Int.random(in: 0..<8, using: &random) == 0 ? .null : text()]
    case "Order":
      // Quarters add up exactly in any order.
      return [
        .real(Double(Int.random(in: 0..<100, using: &random)) / 4), Bool.random(using: &random) ? .null : text(),
        reference("Customer"),
      ]
    case "Line": return [.integer(Int64.random(in: 1..<9, using: &random)), reference("Order")]
    case "Ware": return [Bool.random(using: &random) ? .null : .integer(Int64.random(in: -5..<50, using: &random))]
    default: return []
    }
  }

  // MARK: - Changes

  /// Adds a batch of rows to every entity.
  mutating func insertBatches(_ random: inout SeededGenerator) throws {
    for name in Self.rowEntities {
      let entity = try model.required(name)
      let rows = (0..<Int.random(in: 1..<6, using: &random)).map { _ in cells(name, &random) }
      let first = try store.reservePrimaryKeys(rows.count, for: entity)
      let new = (0..<rows.count).map { first + Int64($0) }
      try store.insert(makeBatch(entity, columns(name), rows), keys: new)
      keys[name, default: []] += new
    }
    try link(&random, replacing: false)
  }

  /// One random change.
  mutating func change(_ random: inout SeededGenerator) throws {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: try insertBatches(&random)
    case 1, 2: try update(&random)
    case 3: try delete(&random)
    case 4: try link(&random, replacing: true)
    default: try save(&random)
    }
  }

  private func update(_ random: inout SeededGenerator) throws {
    for name in ["Customer", "VIP", "Order", "Line", "Ware"] {
      let chosen = (keys[name] ?? []).filter { _ in Bool.random(using: &random) }
      if chosen.isEmpty { continue }
      let batch = makeBatch(try model.required(name), columns(name), chosen.map { _ in cells(name, &random) })
      var outcomes: [RowOutcome] = []
      try unsafe chosen.withUnsafeBufferPointer { try unsafe store.update(batch, primaryKeys: $0, outcomes: &outcomes) }
    }
  }

  /// Deletes rows, then clears what referred to them.
  private mutating func delete(_ random: inout SeededGenerator) throws {
    for name in Self.rowEntities {
      guard let key = keys[name]?.randomElement(using: &random) else { continue }
      try store.delete(entity: try model.required(name), primaryKeys: [key])
      keys[name]?.removeAll { $0 == key }
    }
    for (name, relationship, destination) in [("Order", "customer", "Customer"), ("Line", "order", "Order")] {
      let entity = try model.required(name)
      let known = Set(rows(destination))
      let position = entity.relationships.firstIndex { $0.name == relationship } ?? 0
      let lost = try store.snapshots(FetchSpecification(entity)).filter { snapshot in
        snapshot.toOne[position].flatMap(\.primaryKey).map { !known.contains($0) } ?? false
      }.compactMap(\.objectID.primaryKey)
      if lost.isEmpty { continue }
      let batch = makeBatch(entity, [.init(.toOne(relationship), .integer)], lost.map { _ in [.null] })
      var outcomes: [RowOutcome] = []
      try unsafe lost.withUnsafeBufferPointer { try unsafe store.update(batch, primaryKeys: $0, outcomes: &outcomes) }
    }
  }

  private func link(_ random: inout SeededGenerator, replacing: Bool) throws {
    let label = try model.required("Label")
    for name in ["wares", "parts"] {
      guard let relationship = label.relationship(name) else { continue }
      var pairs: [(owner: Int64, destination: Int64)] = []
      for owner in rows("Label") where Bool.random(using: &random) {
        for ware in rows("Ware") where Int.random(in: 0..<4, using: &random) == 0 { pairs.append((owner, ware)) }
      }
      try store.link(relationship, pairs: pairs, replacing: replacing)
    }
  }

  /// A context's save: new values for customers, another membership of a label.
  private func save(_ random: inout SeededGenerator) throws {
    var request = SaveRequest()
    let customer = try model.required("Customer")
    for var snapshot in try store.snapshots(FetchSpecification(customer)) where Bool.random(using: &random) {
      let entity = snapshot.objectID.entity
      let name = Self.names.randomElement(using: &random) ?? ""
      // What a context believes of derived values may be anything.
      for (position, attribute) in entity.attributes.enumerated() where attribute.type == .string {
        snapshot.attributes[position] = .string(name)
      }
      request.updated.append(snapshot)
    }
    if let owner = rows("Label").randomElement(using: &random) {
      let label = try model.required("Label")
      let ware = try model.required("Ware")
      func id(_ entity: Entity, _ key: Int64) -> ObjectID {
        store.id(of: entity, key)
      }
      let members = rows("Ware").filter { _ in Bool.random(using: &random) }.map { id(ware, $0) }
      request.toMany = [.init(owner: id(label, owner), relationshipName: "wares", members: members)]
    }
    try store.save(request)
  }
}
