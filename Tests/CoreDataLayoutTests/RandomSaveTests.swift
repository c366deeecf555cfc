import CoreDataLayout
import Foundation
import MemoryStore
import ObjectModel
import Predicates
import SQLite
import StoreInterface
import TestQueries
import TestStores
import TestSupport
import Testing

/// Large saves take rows together; a store that keeps a history takes them one by one, and the in-memory store is the
/// oracle.
@Suite("random saves")
struct RandomSaveTests {
  private static func model() throws -> ManagedObjectModel {
    var node = EntityDefinition("Node")
    var picture = AttributeDefinition("picture", .binary)
    picture.allowsExternalBinaryDataStorage = true
    node.attributes = [
      .init("code", .integer64), .init("name", .string), .init("weight", .double), .init("small", .float),
      .init("flag", .boolean), .init("day", .date), .init("price", .decimal), .init("mark", .uuid), picture,
    ]
    node.uniquenessConstraints = [["code"]]
    node.relationships = [
      .init("owner", toOne: "Node", inverse: "parts"), .init("parts", toMany: "Node", inverse: "owner", ordered: true),
      .init("peers", toMany: "Node", inverse: "peersOf"), .init("peersOf", toMany: "Node", inverse: "peers"),
    ]
    var leaf = EntityDefinition("Leaf")
    leaf.superentityName = "Node"
    leaf.attributes = [.init("extra", .string)]
    var tag = EntityDefinition("Tag")
    tag.attributes = [.init("text", .string)]
    tag.relationships = [.init("marks", toMany: "Node")]
    return try ManagedObjectModel(entities: [node, leaf, tag])
  }

  /// A store that the others are compared with, and random requests for all of them.
  private struct World {
    let model: ManagedObjectModel
    let oracle: InMemoryStore
    var random: SeededGenerator

    mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    mutating func value(_ attribute: AttributeDefinition) -> Value {
      if number(6) == 0 { return .null }
      switch attribute.type {
      case .integer64: return .integer(Int64(number(2_000)))
      case .string:
        return .string(["", "e\u{301}", "\u{e9}", String(repeating: "long ", count: 20), "t\(number(9))"][number(5)])
      case .double: return .double([0, -0.0, 0.1, Double(number(100))][number(4)])
      case .float: return .double(Double(Float(number(100)) / 8))
      case .boolean: return .boolean(number(2) == 0)
      case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(number(1_000)) / 4))
      case .decimal: return .decimal(Decimal(number(1_000)) / 8)
      case .uuid: return .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(number(9)))))
      default: return .data(Data(repeating: UInt8(number(9)), count: [10, 200_000][number(12) / 11]))
      }
    }

    /// Rows come and go in ranges of keys with gaps, so that there are runs and single ones.
    mutating func request() throws -> SaveRequest {
      var request = SaveRequest()
      let rows = try ["Node", "Tag"].flatMap { try oracle.snapshots(FetchSpecification(model.required($0))) }
      var gone: Set<ObjectID> = []
      if number(3) > 0, !rows.isEmpty {
        let start = number(rows.count)
        let step = 1 + number(3)
        for index in stride(from: start, to: min(start + number(60), rows.count), by: step) {
          request.deleted.append((rows[index].objectID, rows[index].version))
          gone.insert(rows[index].objectID)
        }
      }
      let left = rows.filter { !gone.contains($0.objectID) }
      let nodes = left.map(\.objectID).filter { $0.entity.name != "Tag" }
      let isRare = number(2) == 0
      // The same attribute of neighbours.
      let only = number(2) == 0 ? ["code", "name", "weight", "small", "day", "text"][number(6)] : nil
      var before: [ObjectID: Snapshot] = [:]
      for var row in left {
        let leadsNowhere = row.toOne.contains { $0.map(gone.contains) ?? false }
        guard leadsNowhere || number(isRare ? 20 : only == nil ? 2 : 10) == 0 || (only != nil && !isRare) else {
          continue
        }
        before[row.objectID] = row
        if !leadsNowhere, let only {
          guard let index = row.objectID.entity.attributes.firstIndex(where: { $0.name == only }) else { continue }
          row.attributes[index] = value(row.objectID.entity.attributes[index])
        } else {
          change(&row, nodes, gone)
        }
        request.updated.append(row)
      }
      if number(2) == 0 { request.updated.shuffle(using: &random) }
      if number(2) == 0 { request.deleted.shuffle(using: &random) }
      try insert(into: &request, nodes)
      if number(8) == 0, !request.updated.isEmpty { request.updated[number(request.updated.count)].version += 1 }
      if number(8) == 0, !request.deleted.isEmpty { request.deleted[number(request.deleted.count)].version += 1 }
      try link(&request, nodes, left.map(\.objectID))
      if number(2) == 0 {
        request.updatedProperties = request.updated.compactMap { row in
          before[row.objectID].map { differences($0, row) }
        }
      }
      return request
    }

    private func differences(_ old: Snapshot, _ new: Snapshot) -> PropertySet {
      var properties = PropertySet()
      for index in old.attributes.indices where !old.attributes[index].isIdentical(to: new.attributes[index]) {
        properties.insert(attribute: index)
      }
      for index in old.toOne.indices where old.toOne[index] != new.toOne[index] {
        properties.insert(relationship: index)
      }
      return properties
    }

    private mutating func change(_ row: inout Snapshot, _ nodes: [ObjectID], _ gone: Set<ObjectID>) {
      for (index, attribute) in row.objectID.entity.attributes.enumerated() where number(4) == 0 {
        row.attributes[index] = value(attribute)
      }
      for (index, relationship) in row.objectID.entity.relationships.enumerated() where !relationship.isToMany {
        if let target = row.toOne[index], gone.contains(target) { row.toOne[index] = nil }
        if number(4) == 0 { row.toOne[index] = nodes.randomElement(using: &random) }
      }
    }

    private mutating func insert(into request: inout SaveRequest, _ nodes: [ObjectID]) throws {
      guard number(4) > 0 else { return }
      var name = "Node"
      for _ in 0..<number(180) {
        if number(20) == 0 { name = ["Node", "Leaf", "Tag"][number(3)] }
        let entity = try model.required(name)
        let key = try oracle.reservePrimaryKeys(1, for: entity)
        var row = Snapshot(
          objectID: oracle.id(of: entity, key),
          version: 1,
          attributes: entity.attributes.map { _ in .null }, toOne: entity.relationships.map { _ in nil })
        for (index, attribute) in entity.attributes.enumerated() { row.attributes[index] = value(attribute) }
        if let code = entity.attributes.firstIndex(where: { $0.name == "code" }), number(60) > 0 {
          row.attributes[code] = .integer(10_000 + key)
        }
        for (index, relationship) in entity.relationships.enumerated() where !relationship.isToMany {
          row.toOne[index] = number(2) == 0 ? nil : nodes.randomElement(using: &random)
        }
        request.inserted.append(row)
      }
    }

    private mutating func link(_ request: inout SaveRequest, _ nodes: [ObjectID], _ left: [ObjectID]) throws {
      guard !nodes.isEmpty else { return }
      for id in left where number(12) == 0 {
        let name = id.entity.name == "Tag" ? "marks" : "peers"
        let members = (0..<number(4)).compactMap { _ in nodes.randomElement(using: &random) }
        var seen: Set<ObjectID> = []
        request.toMany.append(
          .init(owner: id, relationshipName: name, members: members.filter { seen.insert($0).inserted }))
      }
    }
  }

  /// What came of a save: nothing, or the error in short.
  private func outcome(_ store: some PersistentStore, _ request: SaveRequest) -> String {
    do {
      try store.save(request)
      return "saved"
    } catch StoreError.optimisticLockingFailure(let stale) {
      return stale.map { "\($0.objectID.primaryKey ?? 0) \($0.expected) \($0.found ?? -1)" }.joined(separator: ", ")
    } catch StoreError.constraintConflict(let entity, let constraint, _) {
      return "\(entity) \(constraint)"
    } catch {
      return "\(error)"
    }
  }

  /// Every table but those of the history, row by row.
  private func dump(_ path: String) throws -> [String] {
    let connection = try Connection(path: path, options: .init(isReadOnly: true))
    let tables = try connection.rows(
      ofQuery:
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*' OR name IN ('ZNODE', 'ZTAG') ORDER BY 1"
    )
    return try tables.flatMap { table in
      let columns = try connection.rows(ofQuery: "SELECT name FROM pragma_table_info('\(table)')").map { name in
        // A name of a file that the other store has of its own.
        name == "ZPICTURE" ? "length(\(name))" : "quote(\(name))"
      }
      let rows = try connection.rows(
        ofQuery: "SELECT \(columns.joined(separator: " || ' ' || ")) FROM \(table) ORDER BY 1")
      return rows.map { "\(table): \($0)" }
    }
  }

  private func members(_ store: some PersistentStore, _ model: ManagedObjectModel) throws -> [[ObjectID]] {
    var lists: [[ObjectID]] = []
    for name in ["Node", "Tag"] {
      for row in try store.snapshots(FetchSpecification(model.required(name))) {
        for relationship in row.objectID.entity.relationships where relationship.isToMany {
          let members = try store.members(of: row.objectID, relationship: relationship)
          lists.append(
            relationship.isOrdered ? members : members.sorted { ($0.primaryKey ?? 0) < ($1.primaryKey ?? 0) })
        }
      }
    }
    return lists
  }

  @Test("rows that are written together become what they become one by one", arguments: UInt64(1)...3)
  func together(seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let model = try Self.model()
    let store = try SQLiteStore.create(path: folder.path("together.sqlite"), model: model)
    var options = SQLiteStore.Options()
    options.tracksHistory = true
    options.uuid = store.identifier
    let single = try SQLiteStore.create(path: folder.path("single.sqlite"), model: model, options: options)
    #expect(single.identifier == store.identifier)
    let identifier = try #require(UUID(uuidString: store.identifier))
    var world = World(
      model: model, oracle: InMemoryStore(model: model, identifier: identifier), random: SeededGenerator(seed: seed))
    var savedCount = 0
    for round in 0..<25 {
      let request = try world.request()
      let expected = outcome(world.oracle, request)
      let (together, oneByOne) = (outcome(store, request), outcome(single, request))
      #expect(together == expected, "round \(round)")
      #expect(oneByOne == expected, "round \(round)")
      if expected == "saved" { savedCount += 1 }
      for name in ["Node", "Tag"] {
        let rows = try world.oracle.snapshots(FetchSpecification(model.required(name)))
        #expect(try store.snapshots(FetchSpecification(model.required(name))) == rows, "round \(round)")
      }
      let (lines, singleLines) = (try dump(store.path), try dump(single.path))
      #expect(lines == singleLines, "round \(round)")
      let (lists, expectedLists) = (try members(store, model), try members(world.oracle, model))
      #expect(lists == expectedLists, "round \(round)")
      if together != expected || lines != singleLines { return }
    }
    #expect(savedCount > 5)
    try store.seal()
    let report = try StoreChecker.check(path: store.path, model: model)
    #expect(report.isSound, "\(report.findings)")
  }
}
