import Foundation
import Seedbed
import Synchronization

/// The jobs by this package.
enum EngineSide {
  static let columns = Item.columns.map { "Z" + $0.uppercased() }

  static let model: ManagedObjectModel = {
    var item = EntityDefinition("Item")
    item.attributes = [
      AttributeDefinition("active", .boolean), AttributeDefinition("category", .string),
      AttributeDefinition("code", .integer64), AttributeDefinition("height", .double),
      AttributeDefinition("latitude", .double), AttributeDefinition("name", .string),
      AttributeDefinition("quantity", .integer64), AttributeDefinition("rank", .integer64),
    ]
    do {
      return try ManagedObjectModel(entities: [item])
    } catch {
      preconditionFailure("the model is a constant: \(error)")
    }
  }()

  /// What has to be true of a table: rows, and sums over numbers and texts.
  static func summary(_ path: String) throws -> Answer {
    try Yardstick.query(
      path,
      "SELECT count(*), sum(ZQUANTITY + ZRANK + ZCODE + ZACTIVE), sum(length(ZNAME) + length(ZCATEGORY)) FROM ZITEM")
  }

  /// A store with the items of the codes `step`, `2 * step`… .
  static func makeStore(_ path: String, count: Int, step: Int = 1, index: Bool = false) throws {
    try SQLiteStore.create(path: path, model: model).close()
    if index { try Yardstick.execute(path, "CREATE INDEX Z_Item_byCode ON ZITEM (ZCODE COLLATE BINARY ASC)") }
    if count == 0 { return }
    try Yardstick.execute(
      path,
      "BEGIN;"
        + Item.fill(
          "ZITEM", columns: columns, keys: ("Z_PK, Z_ENT, Z_OPT", "k, 1, 1"), count: count, step: step)
        + "UPDATE Z_PRIMARYKEY SET Z_MAX = \(count) WHERE Z_ENT = 1; COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
  }

  private static func open(_ path: String) throws -> PersistentContainer {
    try PersistentContainer(name: "Items", model: model, store: SQLiteStore.open(path: path, model: model))
  }

  static func side(
    count: Int, _ job: @escaping (ManagedObjectContext, Entity) throws -> Answer
  ) -> Side {
    Side(name: "Seedbed") { folder in
      let path = folder + "/Items.sqlite"
      try makeStore(path, count: count)
      let container = try open(path)
      return (
        {
          let context = container.newBackgroundContext()
          guard let item = model["Item"] else { return Answer() }
          return try context.performAndWait { try job(context, item) }
        },
        { try summary(path) }
      )
    }
  }

  static var fetch: Side {
    side(count: Item.count) { context, _ in
      var answer = Answer()
      for item in try context.fetch(FetchRequest<ManagedObject>(entityName: "Item")) {
        answer.rows += 1
        if case .integer(let quantity) = item["quantity"] { answer.first += quantity }
        if case .string(let name) = item["name"] { answer.second += Int64(name.utf8.count) }
      }
      return answer
    }
  }

  static var insert: Side {
    side(count: 0) { context, entity in
      for item in Item.all {
        let object = context.insert(entity)
        fill(object, item)
      }
      try context.save()
      return Answer(rows: Int64(Item.count))
    }
  }

  private static func fill(_ object: ManagedObject, _ item: Item) {
    object["active"] = .boolean(item.active)
    object["category"] = .string(item.category)
    object["code"] = .integer(item.code)
    object["height"] = .double(item.height)
    object["latitude"] = .double(item.latitude)
    object["name"] = .string(item.name)
    object["quantity"] = .integer(item.quantity)
    object["rank"] = .integer(item.rank)
  }

  static var update: Side {
    side(count: Item.count) { context, _ in
      var answer = Answer()
      for item in try context.fetch(FetchRequest<ManagedObject>(entityName: "Item")) {
        guard case .integer(let quantity) = item["quantity"] else { continue }
        item["quantity"] = .integer(quantity + 1)
        answer.rows += 1
      }
      try context.save()
      return answer
    }
  }

  static var delete: Side {
    side(count: Item.count) { context, _ in
      var answer = Answer()
      for item in try context.fetch(FetchRequest<ManagedObject>(entityName: "Item")) {
        context.delete(item)
        answer.rows += 1
      }
      try context.save()
      return answer
    }
  }

  static let recordCount = 1_000_000
  static let recordsPerBatch = 10_000

  /// The same file for the engine and for C, with every second item.
  static func findOrCreate(_ name: String, limit: Double? = nil, _ job: @escaping (String) throws -> Answer) -> Side {
    Side(name: name, limit: limit) { folder in
      let path = folder + "/Items.sqlite"
      try makeStore(path, count: recordCount / 2, step: 2, index: true)
      return ({ try job(path) }, { try summary(path) })
    }
  }

  static func findOrCreate(_ path: String) throws -> Answer {
    let context = try open(path).newBackgroundContext()
    let starts = stride(from: 1, through: Int64(recordCount), by: recordsPerBatch)
    return try context.performAndWait { try findOrCreate(starts, in: context) }
  }

  /// Two contexts, each on its own queue, take every second batch, as a program with two cores would have it.
  static func findOrCreateByTwo(_ path: String) throws -> Answer {
    let container = try open(path)
    let outcomes = Mutex<[Result<Answer, any Error>]>([])
    DispatchQueue.concurrentPerform(iterations: 2) { turn in
      let context = container.newBackgroundContext()
      let starts = stride(
        from: 1 + Int64(turn * recordsPerBatch), through: Int64(recordCount), by: 2 * recordsPerBatch)
      let outcome = Result { try context.performAndWait { try findOrCreate(starts, in: context) } }
      outcomes.withLock { $0.append(outcome) }
    }
    return try outcomes.withLock { $0 }.reduce(into: Answer()) { sum, outcome in
      let answer = try outcome.get()
      sum.rows += answer.rows
      sum.first += answer.first
    }
  }

  /// Finds or creates the items of some batches, which begin at these codes, with a save for each batch.
  private static func findOrCreate(_ starts: some Sequence<Int64>, in context: ManagedObjectContext) throws -> Answer {
    guard let entity = model["Item"] else { return Answer() }
    var answer = Answer()
    for start in starts {
      let codes = start..<start + Int64(recordsPerBatch)
      let found = try context.fetch(matching: "code", values: codes.map { .integer($0) }, entity: entity)
      for (code, known) in zip(codes, found) {
        // Made one at a time, as in C.
        let item = Item(code: code)
        let object = known ?? context.insert(entity)
        fill(object, item)
        if known == nil { answer.rows += 1 } else if !object.hasChanges { answer.first += 1 }
      }
      try context.save()
      context.reset()
    }
    return answer
  }

  static func walk(_ path: String, batchSize: Int) throws -> Answer {
    let container = try open(path)
    let context = container.newBackgroundContext()
    return try context.performAndWait {
      var request = FetchRequest<ManagedObject>(entityName: "Item")
      request.fetchBatchSize = batchSize
      var answer = Answer()
      let found = try context.fetchedObjects(request)
      for object in found {
        answer.rows += 1
        answer.first += object.objectID.primaryKey ?? 0
        if case .integer(let quantity) = object["quantity"] { answer.second += quantity }
      }
      if let error = found.error { throw error }
      return answer
    }
  }
}
