import CoreDataLayout
import Foundation
import MemoryStore
import ObjectModel
import Predicates
import StoreInterface
import TestStores
import TestSupport
import Testing

@Suite("Sums of both stores")
struct SumTests {
  private let folder: TemporaryFolder
  private let stores: [any PersistentStore]
  private let team: Entity
  private let member: Entity

  /// Team 1 has debts that cancel to no number, team 2 infinite ones, team 3 some, team 4 only missing ones, team 5 no
  /// members.
  private static let debts: [(team: Int64, debt: Double?)] = [
    (1, .infinity), (1, 2), (1, -.infinity), (2, .infinity), (2, 1), (3, 1.5), (3, nil), (3, 1.5), (4, nil),
  ]

  init() throws {
    folder = try TemporaryFolder()
    var team = EntityDefinition("Team")
    var total = AttributeDefinition("total", .double)
    total.derivation = AttributeDefinition.Derivation(expression: "sum:(members.debt)")
    team.attributes = [AttributeDefinition("number", .integer64), total]
    team.relationships = [RelationshipDefinition("members", toMany: "Member", inverse: "team")]
    var member = EntityDefinition("Member")
    member.attributes = [AttributeDefinition("debt", .double)]
    member.relationships = [RelationshipDefinition("team", toOne: "Team", inverse: "members")]
    let model = try ManagedObjectModel(entities: [team, member])
    (self.team, self.member) = (try model.required("Team"), try model.required("Member"))
    stores = [
      try SQLiteStore.create(path: folder.path("teams.sqlite"), model: model), InMemoryStore(model: model),
    ]
    for store in stores {
      var request = SaveRequest()
      func id(_ entity: Entity, _ key: Int64) -> ObjectID {
        store.id(of: entity, key)
      }
      _ = try store.reservePrimaryKeys(5, for: self.team)
      _ = try store.reservePrimaryKeys(Self.debts.count, for: self.member)
      for key in 1...5 as ClosedRange<Int64> {
        request.inserted.append(
          Snapshot(objectID: id(self.team, key), version: 1, attributes: [.integer(key), .null], toOne: [nil]))
      }
      for (index, row) in Self.debts.enumerated() {
        request.inserted.append(
          Snapshot(
            objectID: id(self.member, Int64(index + 1)), version: 1,
            attributes: [row.debt.map { .double($0) } ?? .null],
            toOne: [id(self.team, row.team)]))
      }
      try store.save(request)
    }
  }

  private func sums(_ entity: Entity, _ expression: String, by group: [String]) throws -> [[ExpressionValue]] {
    try stores.map { store in
      var request = FetchSpecification(entity)
      request.resultType = .dictionaries
      request.propertiesToFetch = [
        FetchedExpression(keyPath: group),
        FetchedExpression("sum", try FetchExpression(parsing: expression)),
      ]
      if entity == member { request.propertiesToGroupBy = [group] }
      request.sortDescriptors = [.init(group)]
      let rows = try store.rows(request)
      return rows.indices.map { rows[$0, 1] }
    }
  }

  @Test("a sum is 0 of no numbers, and missing where infinities cancel")
  func groups() throws {
    let groups: [ExpressionValue] = [
      .missing, .value(.double(.infinity)), .value(.double(3)), .value(.integer(0)),
    ]
    #expect(try sums(member, "sum:(debt)", by: ["team", "number"]) == [groups, groups])
    let distinct: [ExpressionValue] = [
      .missing, .value(.double(.infinity)), .value(.double(1.5)), .value(.integer(0)),
    ]
    #expect(try sums(member, "sum:(distinct:(debt))", by: ["team", "number"]) == [distinct, distinct])
    let members = groups + [.value(.integer(0))]
    #expect(try sums(team, "members.@sum.debt", by: ["number"]) == [members, members])
  }

  @Test("predicates ask for the same sums")
  func predicates() throws {
    for (format, keys) in [
      ("members.@sum.debt == nil", [1]), ("members.@sum.debt == 0", [4, 5]), ("members.@sum.debt > 3", [2]),
    ] as [(String, [Int64])] {
      for store in stores {
        var request = FetchSpecification(team)
        request.predicate = try FetchPredicate(parsing: format)
        #expect(try store.snapshots(request).compactMap(\.objectID.primaryKey).sorted() == keys, "\(format)")
      }
    }
  }

  @Test("a derived sum is 0 of no numbers, and missing where infinities cancel")
  func derived() throws {
    let totals = try stores[0].snapshots(FetchSpecification(team)).map { $0.attributes[1] }
    #expect(totals == [.null, .double(.infinity), .double(3), .double(0), .double(0)])
  }
}
