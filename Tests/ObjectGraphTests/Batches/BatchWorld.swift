import CoreDataLayout
import Foundation
import MemoryStore
import ObjectGraph
import ObjectModel
import Predicates
import SQLite
import StoreInterface
import TestQueries
import TestStores
import TestSupport

/// One random graph in several stores: in memory (the oracle), and in SQLite for each way of changing it.
struct BatchWorld {
  let folder: TemporaryFolder
  let model: ManagedObjectModel
  let oracle: InMemoryStore
  /// Row by row, and with tables and indexes written anew.
  let stores: [SQLiteStore]
  /// Changed by a context.
  let contextStore: SQLiteStore
  let container: PersistentContainer
  var random: SeededGenerator

  static let rebuildsFrom = [1_000_000, 1]

  /// - Parameter hasRules: whether delete rules and required relationships are random, too.
  init(seed: UInt64, hasRules: Bool = true, tracksHistory: Bool = false) throws {
    random = SeededGenerator(seed: seed)
    folder = try TemporaryFolder()
    model = try Self.model(&random, hasRules: hasRules)
    let identifier = UUID()
    oracle = InMemoryStore(model: model, identifier: identifier)
    var options = SQLiteStore.Options()
    options.uuid = identifier.uuidString
    options.tracksHistory = tracksHistory
    options.derivationTimestamp = 7
    options.historyTimestamp = 1
    var made: [SQLiteStore] = []
    for index in 0..<3 {
      made.append(try SQLiteStore.create(path: folder.path("\(index).sqlite"), model: model, options: options))
    }
    stores = Array(made.prefix(2))
    contextStore = made[2]
    container = try PersistentContainer(name: "batches", model: model, store: contextStore)
  }

  mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

  // MARK: - The model

  private static func model(_ random: inout SeededGenerator, hasRules: Bool) throws -> ManagedObjectModel {
    func rule() -> DeleteRule {
      guard hasRules else { return .nullify }
      let rules: [DeleteRule] = [.nullify, .nullify, .nullify, .cascade, .cascade, .deny, .noAction, .nullify]
      return rules[Int.random(in: 0..<8, using: &random)]
    }
    func toOne(_ name: String, _ destination: String, _ inverse: String) -> RelationshipDefinition {
      var relationship = RelationshipDefinition(name, toOne: destination, inverse: inverse)
      relationship.deleteRule = rule()
      relationship.isOptional = !hasRules || name != "box" || Int.random(in: 0..<3, using: &random) > 0
      return relationship
    }
    func toMany(_ name: String, _ destination: String, _ inverse: String?, ordered: Bool = false)
      -> RelationshipDefinition
    {
      var relationship = RelationshipDefinition(name, toMany: destination, inverse: inverse, ordered: ordered)
      relationship.deleteRule = rule()
      if hasRules, inverse != nil, Int.random(in: 0..<5, using: &random) == 0 {
        relationship.minimumCount = 1
        relationship.isOptional = Bool.random(using: &random)
      }
      return relationship
    }
    func derived(_ name: String, _ type: AttributeType, _ expression: String) -> AttributeDefinition {
      var attribute = AttributeDefinition(name, type)
      attribute.derivation = .init(expression: expression)
      return attribute
    }
    var node = EntityDefinition("Node")
    node.attributes = [
      .init("code", .integer64), .init("name", .string), .init("rank", .integer32), .init("weight", .double),
      .init("day", .date), .init("price", .decimal), .init("flag", .boolean),
      derived("boxName", .string, "box.name"), derived("folded", .string, "canonical:(name)"),
      derived("children_count", .integer64, "children.@count"),
    ]
    node.uniquenessConstraints = [["code"]]
    node.fetchIndexes = [
      .init("byRank", elements: [.init(.property("rank")), .init(.property("name"))]),
      .init("byPlace", elements: [.init(.property("weight"), kind: .rTree), .init(.property("rank"), kind: .rTree)]),
    ]
    node.relationships = [
      toOne("parent", "Node", "children"), toMany("children", "Node", "parent", ordered: true),
      toMany("tags", "Tag", "nodes", ordered: true), toOne("box", "Box", "nodes"), toOne("twin", "Node", "twinOf"),
      toOne("twinOf", "Node", "twin"), toMany("peers", "Node", "peers"),
      toMany("rivals", "Node", "rivals", ordered: true),
    ]
    var leaf = EntityDefinition("Leaf")
    leaf.superentityName = "Node"
    leaf.attributes = [.init("extra", .string)]
    var tag = EntityDefinition("Tag")
    tag.attributes = [.init("name", .string), derived("uses", .integer64, "count:(nodes)")]
    tag.relationships = [toMany("nodes", "Node", "tags")]
    var box = EntityDefinition("Box")
    box.attributes = [
      .init("name", .string), derived("total", .integer64, "sum:(nodes.rank)"),
      derived("size", .integer64, "count:(nodes)"),
    ]
    box.relationships = [toMany("nodes", "Node", "box"), toMany("marks", "Tag", nil)]
    return try ManagedObjectModel(entities: [node, leaf, tag, box])
  }

  // MARK: - The data

  func entity(_ name: String) throws -> Entity { try model.required(name) }

  func id(_ entity: Entity, _ key: Int64) -> ObjectID {
    oracle.id(of: entity, key)
  }

  /// Puts the same random objects into every store.
  mutating func fill(nodes: Int) throws {
    var request = SaveRequest()
    let hasOptionalBox = try entity("Node").relationship("box")?.definition.isOptional == true
    let boxIDs = try (1...5).map { id(try entity("Box"), Int64($0)) }
    let tagIDs = try (1...6).map { id(try entity("Tag"), Int64($0)) }
    for box in boxIDs { request.inserted.append(snapshot(box, ["name": .string("box \(number(3))")], [:])) }
    for tag in tagIDs { request.inserted.append(snapshot(tag, ["name": .string("tag \(number(4))")], [:])) }
    var nodeIDs: [ObjectID] = []
    for key in 1...nodes { nodeIDs.append(id(try entity(number(3) == 0 ? "Leaf" : "Node"), Int64(key))) }
    let twins = nodeIDs.shuffled(using: &random).prefix(nodes / 2)
    var twinOf: [ObjectID: ObjectID] = [:]
    var twin: [ObjectID: ObjectID] = [:]
    for index in stride(from: 0, to: twins.count - 1, by: 2) {
      twin[twins[index]] = twins[index + 1]
      twinOf[twins[index + 1]] = twins[index]
    }
    for (index, node) in nodeIDs.enumerated() {
      var links: [String: ObjectID] = [:]
      // Parents come before their children, so that there is no ring.
      if index > 0, number(4) > 0 { links["parent"] = nodeIDs[number(index)] }
      if !hasOptionalBox || number(4) > 0 { links["box"] = boxIDs[number(boxIDs.count)] }
      links["twin"] = twin[node]
      links["twinOf"] = twinOf[node]
      request.inserted.append(snapshot(node, values(code: Int64(index)), links))
      let members = tagIDs.shuffled(using: &random).prefix(number(3))
      request.toMany.append(.init(owner: node, relationshipName: "tags", members: Array(members)))
    }
    // From the first half to the second, so that each pair is said once.
    let half = nodes / 2
    for name in ["peers", "rivals"] {
      for node in nodeIDs.prefix(half) {
        let members = nodeIDs.dropFirst(half).shuffled(using: &random).prefix(number(4))
        request.toMany.append(.init(owner: node, relationshipName: name, members: Array(members)))
      }
    }
    for (index, tag) in tagIDs.enumerated() where number(2) == 0 {
      request.toMany.append(.init(owner: boxIDs[index % boxIDs.count], relationshipName: "marks", members: [tag]))
    }
    // One hidden owner each: what comes later would take a mark away from what came before.
    let marks = Dictionary(grouping: request.toMany.filter { $0.relationshipName == "marks" }, by: \.owner)
    request.toMany.removeAll { $0.relationshipName == "marks" }
    for (owner, changes) in marks.sorted(by: { ($0.key.primaryKey ?? 0) < ($1.key.primaryKey ?? 0) }) {
      request.toMany.append(.init(owner: owner, relationshipName: "marks", members: changes.flatMap(\.members)))
    }
    try oracle.save(request)
    for store in stores + [contextStore] { try store.save(request) }
  }

  mutating func values(code: Int64) -> [String: Value] {
    [
      "code": number(8) == 0 ? .null : .integer(code),
      "name": number(5) == 0 ? .null : .string(["a", "É", "b b", ""][number(4)]),
      "rank": number(6) == 0 ? .null : .integer(Int64(number(20))),
      "weight": number(6) == 0 ? .null : .double(Double(number(40)) / 4),
      "day": number(6) == 0 ? .null : .date(Date(timeIntervalSinceReferenceDate: Double(number(1_000)))),
      "price": number(6) == 0 ? .null : .decimal(Decimal(number(400)) / 4),
      "flag": [.null, .boolean(true), .boolean(false)][number(3)], "extra": .string("x\(number(5))"),
    ]
  }

  private func snapshot(_ id: ObjectID, _ values: [String: Value], _ links: [String: ObjectID]) -> Snapshot {
    Snapshot(
      objectID: id, version: 1, attributes: id.entity.attributes.map { values[$0.name] ?? .null },
      toOne: id.entity.relationships.map { links[$0.name] })
  }

  /// A random request for some objects.
  mutating func selection() throws -> FetchSpecification {
    var request = FetchSpecification(try entity(["Node", "Node", "Node", "Leaf", "Tag", "Box"][number(6)]))
    let isNode = request.entity.name == "Node" || request.entity.name == "Leaf"
    let formats =
      isNode
      ? [
        "rank > 4", "rank < 15 AND name != nil", "parent.rank > 3", "ANY tags.name == 'tag 1'", "box.name == 'box 1'",
        "children.@count == 0", "TRUEPREDICATE", "weight > 2", "name MATCHES '[ab].*'", "parent == nil", "rank == 7",
      ] : ["name ENDSWITH '1'", "TRUEPREDICATE", "name ENDSWITH '2'", "nodes.@count < 3"]
    request.predicate = try FetchPredicate(parsing: formats[number(formats.count)])
    request.includesSubentities = number(4) > 0
    if number(3) == 0 {
      request.sortDescriptors = [FetchSortDescriptor(key: "name", ascending: number(2) == 0)]
      request.fetchLimit = number(8)
      request.fetchOffset = number(3)
    }
    return request
  }

  // MARK: - Comparing

  /// Every row and every membership of a store, as lines.
  /// - Parameter inOrder: whether the order of ordered relationships counts.
  func contents(_ store: any StoreReading, versions: Bool = true, inOrder: Bool = true) throws -> [String] {
    try model.entities.filter { $0.superentity == nil }.flatMap { root in
      try store.snapshots(FetchSpecification(root)).flatMap { row in
        let version = versions ? row.version : 0
        var lines = [
          "\(row.objectID.entity.name) \(row.objectID.primaryKey ?? 0) v\(version) \(row.attributes) \(row.toOne.map { $0?.primaryKey ?? 0 })"
        ]
        for relationship in row.objectID.entity.relationships where relationship.isToMany {
          var members = try store.members(of: row.objectID, relationship: relationship).map { $0.primaryKey ?? 0 }
          if !relationship.isOrdered || !inOrder { members.sort() }
          lines.append("  \(relationship.name) \(members)")
        }
        return lines
      }
    }
  }

  /// Every table of a file but metadata and the cached model, row by row.
  func tables(_ store: SQLiteStore, history: Bool = false) throws -> [String] {
    let connection = try Connection(path: store.path, options: .init(isReadOnly: true))
    let tables = try connection.rows(
      ofQuery: "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 "
        + "AND name NOT IN ('Z_METADATA', 'Z_MODELCACHE', 'ATRANSACTION') AND name NOT LIKE 'sqlite%' "
        + "AND name NOT LIKE 'Z!_RT!_%' ESCAPE '!' \(history ? "" : "AND name <> 'ACHANGE'") "
        + "UNION ALL SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL%' ORDER BY 1")
    return try tables.flatMap { table in
      let names = try connection.rows(ofQuery: "SELECT name FROM pragma_table_info('\(table)')")
      let columns = names.filter { table != "ACHANGE" || !["Z_PK", "ZTRANSACTIONID"].contains($0) }.map { name in
        table == "Z_PRIMARYKEY" && name == "Z_MAX"
          ? "CASE WHEN Z_ENT > 16000 THEN '' ELSE Z_MAX END" : "quote(\(name))"
      }
      return try connection.rows(
        ofQuery: "SELECT '\(table): ' || \(columns.joined(separator: " || ' ' || ")) FROM \(table) ORDER BY 1")
    }
  }

  /// The schema as it is in the file: names and statements.
  func schema(_ store: SQLiteStore) throws -> [String] {
    try Connection.rows(at: store.path, "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY 1")
  }
}

/// What became of a batch: the counts and ids, or the objects and rules in the way.
func batchOutcome(_ body: () throws -> BatchOutcome) -> String {
  do {
    let outcome = try body()
    func keys(_ ids: [ObjectID]) -> String {
      ids.map { "\($0.entity.name)\($0.primaryKey ?? 0)" }.joined(separator: " ")
    }
    return "inserted \(outcome.insertedCount) \(keys(outcome.inserted)), updated \(outcome.updatedCount) "
      + "\(keys(outcome.updated)), deleted \(outcome.deletedCount) \(keys(outcome.deleted)), related "
      + "\(outcome.relatedCount) \(keys(outcome.related))"
  } catch let error as ValidationError {
    return error.problems.map(\.description).sorted().joined(separator: "\n")
  } catch StoreError.constraintConflict {
    return "a constraint"
  } catch {
    return "\(error)"
  }
}
