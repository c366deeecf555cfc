import CoreDataLayout
import Foundation
import MemoryStore
import ObjectGraph
import ObjectModel
import Predicates
import StoreInterface
import TestStores
import TestSupport
import Testing

@Suite("Batch requests")
struct BatchRequestTests {
  @Test("an update sets constants, nothing, and what follows from the object", arguments: StoreKind.allCases)
  func update(kind: StoreKind) throws {
    let league = try League(kind)
    try league.fill()
    try league.work { context in
      let request = BatchUpdateRequest(entityName: "Player")
      request.predicate = FetchPredicate(format: "team.title == 'red'")
      request.propertiesToUpdate = [
        "wins": FetchExpression(format: "TERNARY(name == 'Ada', wins + 5, wins + 1)"), "note": "seen", "born": nil,
      ]
      request.resultType = .updatedObjectsCountResultType
      let result = try context.execute(request)
      #expect(result.result as? Int == 2 && result.count == 2 && result.objectIDs.isEmpty)
      // Nothing changes any more.
      request.propertiesToUpdate = ["note": "seen"]
      #expect(try context.execute(request).count == 0)
    }
    #expect(try league.rows() == ["Ada 5 seen", "Ben 1 seen", "Cyd 0 nil"])
  }

  @Test("a value that breaks a rule fails the update and names the objects", arguments: StoreKind.allCases)
  func invalidUpdate(kind: StoreKind) throws {
    let league = try League(kind)
    try league.fill()
    try league.work { context in
      let request = BatchUpdateRequest(entity: league.player)
      request.propertiesToUpdate = ["wins": FetchExpression(format: "TERNARY(name == 'Cyd', 1001, wins + 1)")]
      let tooLarge = #expect(throws: ValidationError.self) { try context.execute(request) }
      #expect(tooLarge?.problems.map(\.code) == [.numberTooLarge])
      #expect(tooLarge?.problems.map(\.objectID?.primaryKey) == [3])
      request.propertiesToUpdate = ["wins": FetchExpression(format: "wins + 0.5")]
      #expect(throws: ValidationError.self) { try context.execute(request) }
      request.propertiesToUpdate = ["name": nil]
      let missing = #expect(throws: ValidationError.self) { try context.execute(request) }
      #expect(missing?.problems.first?.code == .missingValue)
      request.propertiesToUpdate = ["name": "same"]
      let same = #expect(throws: StoreError.self) { try context.execute(request) }
      guard case .constraintConflict? = same else {
        Issue.record("\(String(describing: same))")
        return
      }
      for (name, words) in [("team", "is a relationship"), ("size", "no attribute"), ("wins.x", "no attribute")] {
        request.propertiesToUpdate = [name: 1]
        let error = #expect(throws: StoreError.self) { try context.execute(request) }
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
      }
      request.propertiesToUpdate = [:]
      #expect(throws: StoreError.self) { try context.execute(request) }
    }
    #expect(try league.rows() == ["Ada 0 nil", "Ben 0 nil", "Cyd 0 nil"])
  }

  @Test(
    "a value that cannot be computed clears nothing, and what is computed of nothing is nothing",
    arguments: StoreKind.allCases)
  func failingUpdate(kind: StoreKind) throws {
    let league = try League(kind)
    try league.fill()
    try set(league, ["note": "'old'", "wins": "TERNARY(name == 'Cyd', 0, 4)"])
    for (expression, part) in [
      ("8 / wins", "8 / wins"), ("TERNARY(wins > 9, 1, 8 / wins + 1)", "8 / wins"),
      ("modulus:by:(8, wins)", "modulus"), ("ln:(wins) * 0", "ln"),
    ] {
      let error = #expect(throws: ValidationError.self) { try set(league, ["wins": expression]) }
      #expect(error?.problems.map(\.objectID?.primaryKey) == [3], "\(expression)")
      #expect(error?.problems.first?.message.contains(part) == true, "\(String(describing: error))")
    }
    for expression in ["1 / 0", "sqrt:(-1)", "1 + (2 / 0)"] {
      let error = #expect(throws: StoreError.self) { try set(league, ["wins": expression]) }
      #expect(error?.description.contains("cannot be computed") == true, "\(String(describing: error))")
    }
    #expect(throws: ValidationError.self) { try set(league, ["wins": "note + 1"]) }
    #expect(try league.rows() == ["Ada 4 old", "Ben 4 old", "Cyd 0 old"])
    // Nothing of a missing value is no failure; and a condition may spare the division.
    try set(
      league, ["note": "TERNARY(name == 'Ada', nil, note)", "wins": "TERNARY(wins == 0, 0, 8 / wins)"])
    try set(league, ["note": "uppercase:(note)"])
    #expect(try league.rows() == ["Ada 2 nil", "Ben 2 OLD", "Cyd 0 OLD"])
  }

  /// Gives all players values by expressions.
  private func set(_ league: League, _ expressions: [String: String]) throws {
    try league.work { context in
      let request = BatchUpdateRequest(entity: league.player)
      request.propertiesToUpdate = expressions.mapValues { (format: String) -> (any PredicateArgument)? in
        FetchExpression(format: format)
      }
      try context.execute(request)
    }
  }

  @Test("unique values may be exchanged: the state in the end counts", arguments: StoreKind.allCases)
  func exchange(kind: StoreKind) throws {
    let league = try League(kind)
    try league.fill()
    try league.work { context in
      let request = BatchUpdateRequest(entity: league.player)
      request.propertiesToUpdate = [
        "name": FetchExpression(format: "TERNARY(name == 'Ada', 'Ben', TERNARY(name == 'Ben', 'Ada', name))")
      ]
      request.resultType = .updatedObjectIDsResultType
      let result = try context.execute(request)
      #expect(result.objectIDs.map(\.primaryKey) == [1, 2])
      #expect(try league.players(context).map(\.objectID.primaryKey) == [2, 1, 3])
    }
  }

  @Test(
    "a deletion that would leave objects without what they need fails and names them", arguments: StoreKind.allCases)
  func requiredInverse(kind: StoreKind) throws {
    let league = try League(kind)
    try league.fill()
    try league.work { context in
      let fetch = FetchRequest<ManagedObject>(entity: league.team)
      fetch.predicate = FetchPredicate(format: "title == 'red'")
      let error = #expect(throws: ValidationError.self) {
        try context.execute(BatchDeleteRequest(fetchRequest: fetch))
      }
      #expect(error?.problems.map(\.code) == [.missingRelationship, .missingRelationship])
      #expect(error?.problems.map(\.objectID?.primaryKey) == [1, 2] && error?.problems.first?.property == "team")
      let left = try context.count(for: FetchRequest<ManagedObject>(entity: league.team))
      #expect(left == 2)
    }
  }

  @Test("a deletion by fetch request or by ids tells status, count or ids", arguments: StoreKind.allCases)
  func delete(kind: StoreKind) throws {
    let league = try League(kind)
    try league.fill()
    try league.work { context in
      let fetch = FetchRequest<ManagedObject>(entity: league.player)
      fetch.sortDescriptors = [FetchSortDescriptor(key: "name", ascending: false)]
      fetch.fetchLimit = 1
      let first = BatchDeleteRequest(fetchRequest: fetch)
      #expect(try context.execute(first).result as? Bool == true)
      let ids = try league.players(context).map(\.objectID)
      #expect(ids.count == 2)
      let second = BatchDeleteRequest(objectIDs: [ids[0]])
      second.resultType = .resultTypeObjectIDs
      let result = try context.execute(second)
      #expect(result.result as? [ObjectID] == [ids[0]] && result.count == 1)
      #expect(result.changes.deletedObjectIDs == [ids[0]] && result.changes.updatedObjectIDs.count == 1)
      let third = BatchDeleteRequest(objectIDs: ids)
      third.resultType = .resultTypeCount
      #expect(try context.execute(third).result as? Int == 1)
      #expect(try context.execute(BatchDeleteRequest(objectIDs: [])).count == 0)
    }
    #expect(try league.rows() == [])
  }

  @Test("rows come from dictionaries, from closures and from row batches", arguments: StoreKind.allCases)
  func insert(kind: StoreKind) throws {
    let league = try League(kind)
    try league.fill()
    let team = league.container.persistentStoreCoordinator.store.id(of: league.team, 1)
    try league.work { context in
      let request = BatchInsertRequest(
        entityName: "Player", objects: [["name": "Dan", "wins": 3, "team": team], ["name": "Eve", "team": team]])
      request.resultType = .objectIDs
      let result = try context.execute(request)
      #expect(result.objectIDs.map(\.primaryKey) == [4, 5] && result.insertedCount == 2)
      // The team has other members.
      #expect(result.changes.updatedObjectIDs == [team])
      var left = 3
      let byClosure = BatchInsertRequest(entity: league.player) { (row: inout [String: Any]) in
        if left == 0 { return true }
        row = ["name": "F\(left)", "team": team]
        left -= 1
        return false
      }
      byClosure.resultType = .count
      #expect(try context.execute(byClosure).result as? Int == 3)
      let batch = RowBatch(
        entity: league.team, columns: [.init(.attribute("title"), .bytes)], capacity: 2)
      batch.count = 2
      var isDone = false
      let byBatch = BatchInsertRequest(entity: league.team) { () -> RowBatch? in
        defer { isDone = true }
        return isDone ? nil : batch
      }
      #expect(try context.execute(byBatch).insertedCount == 2)
      var teams = 2
      let byObject = BatchInsertRequest(entity: league.team) { (object: ManagedObject) in
        if teams == 0 { return true }
        object["title"] = .string("T\(teams)")
        teams -= 1
        return false
      }
      #expect(try context.execute(byObject).insertedCount == 2)
      #expect(try context.count(for: FetchRequest<ManagedObject>(entity: league.team)) == 6)
    }
    #expect(try league.rows().count == 8 && league.rows().contains("Dan 3 nil"))
  }

  @Test("a row whose name another player has goes by the merge policy", arguments: StoreKind.allCases)
  func upsert(kind: StoreKind) throws {
    for (policy, expected) in [
      (MergePolicy.mergeByPropertyObjectTrump, ["Ada 7 old", "Ben 2 nil"]), (.overwrite, ["Ada 7 nil", "Ben 0 nil"]),
      (.mergeByPropertyStoreTrump, ["Ada 1 old", "Ben 2 old"]), (.rollback, ["Ada 1 old", "Ben 2 old"]),
      (.error, ["Ada 1 old", "Ben 2 old"]),
    ] {
      let league = try League(kind)
      try league.work { context in
        let team = context.insert(league.team)
        for (index, name) in ["Ada", "Ben"].enumerated() {
          let player = context.insert(league.player)
          player["name"] = .string(name)
          player["wins"] = .integer(Int64(index + 1))
          player["note"] = .string("old")
          player.setObject(team, for: "team")
        }
        try context.save()
        context.mergePolicy = policy
        // Absent keeps, null clears.
        let request = BatchInsertRequest(
          entityName: "Player", objects: [["name": "Ada", "wins": 7], ["name": "Ben", "note": NSNull()]])
        if policy === MergePolicy.error {
          let error = #expect(throws: StoreError.self) { try context.execute(request) }
          guard case .constraintConflict(let entity, let constraint, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
          }
          #expect(entity == "Player" && constraint == ["name"])
        } else {
          let result = try context.execute(request)
          #expect(result.insertedCount == 0)
          #expect(
            result.updatedCount
              == (policy === MergePolicy.mergeByPropertyObjectTrump || policy === MergePolicy.overwrite ? 2 : 0))
        }
      }
      #expect(try league.rows() == expected, "\(policy.kind)")
    }
  }

  @Test("a row that breaks a rule fails the insertion and is named by its number", arguments: StoreKind.allCases)
  func invalidRows(kind: StoreKind) throws {
    let league = try League(kind)
    try league.fill()
    let team = league.container.persistentStoreCoordinator.store.id(of: league.team, 1)
    for (row, words) in [
      (["team": team] as [String: Any], "row 2: a value is required"), (["name": "X"], "row 2: an object is required"),
      (["name": "X", "team": team, "wins": 1_001], "row 2: 1001 is more"),
      (["name": "X", "team": team, "wins": "many"], "row 2: the value does not fit"),
      (["name": "X", "team": 7], "row 2"), (["name": "X", "team": team, "size": 1], "row 2: Player has no property"),
      (
        [
          "name": "X",
          "team": ObjectID(entity: league.team, reference: .permanent(store: team.space.store ?? "", primaryKey: 99)),
        ], "row 2: there is no Team 99"
      ),
    ] {
      try league.work { context in
        let request = BatchInsertRequest(entityName: "Player", objects: [["name": "New", "team": team], row])
        do {
          try context.execute(request)
          Issue.record("\(row) was inserted")
        } catch {
          #expect("\(error)".contains(words), "\(error)")
        }
      }
    }
    #expect(try league.rows().count == 3)
  }

  @Test("what a batch changed reaches open contexts and fetched results when its changes are merged")
  func merging() throws {
    let league = try League(.sqlite)
    try league.fill()
    let view = league.container.newBackgroundContext(name: "view")
    try view.performAndWait {
      let request = FetchRequest<ManagedObject>(entity: league.player)
      request.sortDescriptors = [FetchSortDescriptor(key: "name")]
      let results = FetchedResultsController(
        fetchRequest: request, managedObjectContext: view, sectionNameKeyPath: nil, cacheName: nil)
      try results.performFetch()
      let players = try league.players(view)
      let team = try #require(players[0].object(for: "team"))
      #expect(try team.objects(for: "players").count == 2)
      players[1]["note"] = .string("mine")

      let update = BatchUpdateRequest(entity: league.player)
      update.propertiesToUpdate = ["wins": FetchExpression(format: "wins + 2"), "note": "theirs"]
      update.resultType = .updatedObjectIDsResultType
      let updated = try view.execute(update)
      #expect(players[0]["wins"] == .integer(0))
      ManagedObjectContext.mergeChanges(fromRemoteContextSave: updated.changes, into: [view])
      #expect(players[0]["wins"] == .integer(2) && players[0]["note"] == .string("theirs"))
      // What was changed here stays.
      #expect(players[1]["wins"] == .integer(2) && players[1]["note"] == .string("mine"))

      let insert = BatchInsertRequest(
        entityName: "Player", objects: [["name": "Abe", "team": team.objectID]])
      insert.resultType = .objectIDs
      ManagedObjectContext.mergeChanges(fromRemoteContextSave: try view.execute(insert).changes, into: [view])
      #expect(results.fetchedObjects?.map { $0["name"]?.string } == ["Abe", "Ada", "Ben", "Cyd"])
      #expect(try team.objects(for: "players").count == 3)

      let fetch = FetchRequest<ManagedObject>(entity: league.player)
      fetch.predicate = FetchPredicate(format: "name BEGINSWITH 'A'")
      let delete = BatchDeleteRequest(fetchRequest: fetch)
      delete.resultType = .resultTypeObjectIDs
      let deleted = try view.execute(delete)
      ManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [ManagedObjectContext.NotificationKey.deletedObjectIDs: deleted.objectIDs], into: [view])
      #expect(results.fetchedObjects?.map { $0["name"]?.string } == ["Ben", "Cyd"])
      // As a program tells it that makes the notification of a save itself.
      view.mergeChanges(
        fromContextDidSave: Notification(
          name: ManagedObjectContext.didSaveObjectIDsNotification,
          userInfo: [
            ManagedObjectContext.NotificationKey.updatedObjectIDs.rawValue: Set(deleted.changes.updatedObjectIDs)
          ]))
      #expect(try team.objects(for: "players") == [players[1]])
      try view.save()
    }
    #expect(try league.rows() == ["Ben 2 mine", "Cyd 2 theirs"])
  }

  @Test("a batch over several stores changes all or none")
  func severalStores() throws {
    var item = EntityDefinition("Item")
    item.attributes = [AttributeDefinition("name", .string), AttributeDefinition("rank", .integer64)]
    item.uniquenessConstraints = [["name"]]
    let model = try ManagedObjectModel(entities: [item])
    let entity = try model.required("Item")
    let folder = try TemporaryFolder()
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    let first = try SQLiteStore.create(path: folder.path("a.sqlite"), model: model)
    let second = InMemoryStore(model: model)
    try coordinator.add(first)
    try coordinator.add(second)
    let context = ManagedObjectContext(coordinator: coordinator, name: "both")
    try context.performAndWait {
      for store in [first, second] as [any PersistentStore] {
        let insert = BatchInsertRequest(
          entity: entity, objects: (0..<4).map { ["name": "n\($0)", "rank": $0] })
        insert.affectedStores = [store]
        #expect(try context.execute(insert).insertedCount == 4)
      }
      func ranks() throws -> [[Int64]] {
        try [first, second].map { (store: any PersistentStore) in
          try store.snapshots(FetchSpecification(entity)).compactMap { $0.attributes[1].integer }
        }
      }
      let fetch = FetchRequest<ManagedObject>(entity: entity)
      fetch.sortDescriptors = [FetchSortDescriptor(key: "rank", ascending: false)]
      fetch.fetchLimit = 3
      #expect(try context.execute(BatchDeleteRequest(fetchRequest: fetch)).count == 3)
      #expect(try ranks() == [[0, 1], [0, 1, 2]])
      let update = BatchUpdateRequest(entity: entity)
      update.propertiesToUpdate = ["rank": FetchExpression(format: "rank + 1")]
      #expect(try context.execute(update).count == 5)
      update.affectedStores = [second]
      #expect(try context.execute(update).count == 3)
      #expect(try ranks() == [[1, 2], [2, 3, 4]])
      // It breaks the constraint of the second store alone.
      update.affectedStores = nil
      update.predicate = FetchPredicate(format: "rank > 1")
      update.propertiesToUpdate = ["name": "same"]
      #expect(throws: StoreError.self) { try context.execute(update) }
      let names = try [first, second].map { (store: any PersistentStore) in
        try store.snapshots(FetchSpecification(entity)).compactMap { $0.attributes[0].string }
      }
      #expect(names == [["n0", "n1"], ["n0", "n1", "n2"]])
    }
  }
}
