import CoreDataLayout
import Foundation
import ObjectGraph
import ObjectModel
import Predicates
import SQLite
import StoreInterface
import Synchronization
import TestSupport

/// Accounts with entries that threads move money between, while others read generations of the store.
///
/// What must hold in every generation: the totals of all accounts are 0 together, each is the sum of its account's
/// entries, every entry has an account that has it, and the number of transfers is twice in it: on the counter, and as
/// pairs of entries.
///
/// Its sleeps pace writers and spread readings; they wait for nothing.
final class GenerationSoak: Sendable {
  /// What the threads did.
  struct Counts: Sendable {
    var saves = 0
    var batches = 0
    var checkpoints = 0
    var generations = 0
    var shared = 0
    var views = 0
    var newest = 0

    /// Whether each kind of work was done at least once.
    var isOfEveryKind: Bool { saves > 0 && batches > 0 && generations > 0 && shared > 0 && newest > 0 }
  }

  struct Broken: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  private static let accounts = 12
  private let folder: TemporaryFolder
  private let container: PersistentContainer
  private let path: String?
  private let seconds: Double
  private let start = ContinuousClock.now
  private let progress: StressProgress
  private let counts = Mutex(Counts())
  private let failures = Mutex<[String]>([])
  /// What a reader has seen in the generation that it shares.
  private let offered = Mutex<(token: QueryGenerationToken, view: [String])?>(nil)

  init(_ kind: StoreKind, seconds: Double, _ progress: StressProgress) throws {
    self.progress = progress
    self.seconds = seconds
    folder = try TemporaryFolder()
    let model = try Self.model()
    let store = try kind.makeStore(model, in: folder)
    container = try PersistentContainer(name: "soak", model: model, store: store)
    path = (store as? SQLiteStore)?.path
    let context = container.newBackgroundContext()
    try context.performAndWait {
      for number in 0..<Self.accounts {
        let account = EntityDescription.insertNewObject(forEntityName: "Account", into: context)
        account["number"] = number
        account["total"] = 0
      }
      EntityDescription.insertNewObject(forEntityName: "Counter", into: context)["transfers"] = 0
      try context.save()
    }
  }

  private static func model() throws -> ManagedObjectModel {
    var account = EntityDefinition("Account")
    account.attributes = [.init("number", .integer64), .init("total", .integer64)]
    account.relationships = [.init("entries", toMany: "Entry", inverse: "account")]
    var entry = EntityDefinition("Entry")
    entry.attributes = [.init("amount", .integer64), .init("transfer", .integer64)]
    entry.relationships = [.init("account", toOne: "Account", inverse: "entries")]
    var counter = EntityDefinition("Counter")
    counter.attributes = [.init("transfers", .integer64)]
    return try ManagedObjectModel(entities: [account, entry, counter])
  }

  /// Whether the time is not over, or the threads have not come to everything yet: on a busy machine some of them begin
  /// late.
  private var goesOn: Bool {
    let spent = ContinuousClock.now - start
    return spent < .seconds(seconds)
      || spent < .seconds(seconds + 300) && !counts.withLock(\.isOfEveryKind) && failures.withLock(\.isEmpty)
  }

  /// Runs all threads until the time is over.
  func run() -> (counts: Counts, failures: [String]) {
    let group = DispatchGroup()
    var work: [(String, @Sendable (GenerationSoak) throws -> Void)] = [
      ("writer 1", { try $0.write(seed: 1) }), ("writer 2", { try $0.write(seed: 2) }),
      ("sweeper", { try $0.sweep() }), ("newest", { try $0.readNewest() }),
    ]
    for seed in 1...3 { work.append(("reader \(seed)", { try $0.read(seed: UInt64(seed)) })) }
    work.append(("sharer", { try $0.share() }))
    if path != nil { work.append(("checkpoints", { try $0.checkpoint() })) }
    for (name, body) in work {
      group.enter()
      Thread.detachNewThread { [self] in
        do {
          while goesOn { try body(self) }
        } catch {
          failures.withLock { $0.append("\(name): \(error)") }
        }
        group.leave()
      }
    }
    group.wait()
    return (counts.withLock { $0 }, failures.withLock { $0 })
  }

  /// Whether the file is whole afterwards; nil for stores without one.
  func problems() throws -> [String] {
    guard let path else { return [] }
    return try StoreChecker.check(path: path, model: container.managedObjectModel).findings.map { "\($0)" }
  }

  // MARK: - Writers

  /// One transfer for each save, and an entry of nothing that the sweeper removes.
  private func write(seed: UInt64) throws {
    let context = container.newBackgroundContext(name: "writer \(seed)")
    var random = SeededGenerator(seed: seed)
    while goesOn {
      let isSaved = try context.performAndWait {
        context.reset()
        let accounts = try context.fetch(request("Account", by: "number"))
        let pair = accounts.shuffled(using: &random).prefix(2)
        let counter = try context.fetch(request("Counter"))[0]
        let transfers = (counter["transfers"]?.integer ?? 0) + 1
        counter["transfers"] = .integer(transfers)
        let amount = Int64.random(in: 1...100, using: &random)
        for (account, amount) in zip(pair, [amount, -amount]) {
          account["total"] = .integer((account["total"]?.integer ?? 0) + amount)
          add(amount, transfer: transfers, to: account, in: context)
          add(0, transfer: 0, to: account, in: context)
        }
        do {
          try context.save()
          return true
        } catch is SaveConflictError {
          return false
        }
      }
      if isSaved { counts.withLock { $0.saves += 1 } }
      progress.advance()
      // What readers go through grows with every save.
      Thread.sleep(forTimeInterval: 0.005)
    }
  }

  private func add(_ amount: Int64, transfer: Int64, to account: ManagedObject, in context: ManagedObjectContext) {
    let entry = EntityDescription.insertNewObject(forEntityName: "Entry", into: context)
    entry["amount"] = .integer(amount)
    entry["transfer"] = .integer(transfer)
    entry.setObject(account, for: "account")
  }

  /// Deletes the entries of nothing in batches.
  private func sweep() throws {
    let context = container.newBackgroundContext(name: "sweeper")
    while goesOn {
      try context.performAndWait {
        let entries = FetchRequest<ManagedObject>(entityName: "Entry")
        entries.predicate = FetchPredicate(format: "amount == 0")
        let result = try context.execute(BatchDeleteRequest(fetchRequest: entries))
        if result.objectIDs.isEmpty { counts.withLock { $0.batches += 1 } }
      }
      Thread.sleep(forTimeInterval: 0.01)
    }
  }

  private func checkpoint() throws {
    guard let path else { return }
    let connection = try Connection(path: path)
    try connection.execute("PRAGMA busy_timeout = 5")
    let modes: [Connection.CheckpointMode] = [.passive, .full, .restart, .truncate]
    for mode in modes where goesOn {
      // Busy where readers or writers are in the way.
      if (try? connection.checkpoint(mode)) != nil { counts.withLock { $0.checkpoints += 1 } }
      Thread.sleep(forTimeInterval: 0.02)
    }
    try connection.close()
  }

  // MARK: - Readers

  /// Looks at a generation several times, and then at the next.
  private func read(seed: UInt64) throws {
    let context = container.newBackgroundContext(name: "reader \(seed)")
    var random = SeededGenerator(seed: seed)
    var transfers: Int64 = 0
    while goesOn {
      try context.performAndWait {
        try context.setQueryGenerationFrom(.current)
        context.refreshAllObjects()
        let first = try view(context)
        counts.withLock { $0.generations += 1 }
        guard first.transfers >= transfers else {
          throw Broken("a later generation has \(first.transfers) transfers, after \(transfers)")
        }
        transfers = first.transfers
        if let token = context.queryGenerationToken { offered.withLock { $0 = (token, first.lines) } }
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          Thread.sleep(forTimeInterval: Double.random(in: 0...0.02, using: &random))
          // Faults fire again in one way or the other.
          if Bool.random(using: &random) { context.refreshAllObjects() }
          let again = try view(context)
          if again.lines != first.lines { throw Broken("a generation has changed: \(again.lines), not \(first.lines)") }
        }
      }
      progress.advance()
    }
  }

  /// Takes the tokens of the readers, and must see what they saw, while they go on.
  private func share() throws {
    let context = container.newBackgroundContext(name: "sharer")
    while goesOn {
      guard let (token, lines) = offered.withLock({ $0 }) else {
        Thread.sleep(forTimeInterval: 0.001)
        continue
      }
      try context.performAndWait {
        try context.setQueryGenerationFrom(token)
        context.refreshAllObjects()
        let seen = try view(context)
        if seen.lines != lines { throw Broken("two contexts see one generation as \(seen.lines) and \(lines)") }
      }
      counts.withLock { $0.shared += 1 }
    }
    offered.withLock { $0 = nil }
  }

  /// Without a generation, what was saved before is there.
  private func readNewest() throws {
    let context = container.newBackgroundContext(name: "newest")
    var transfers: Int64 = 0
    while goesOn {
      let saved = counts.withLock { Int64($0.saves) }
      try context.performAndWait {
        context.reset()
        let found = try context.fetch(request("Counter"))[0]["transfers"]?.integer ?? 0
        guard found >= transfers, found >= saved else {
          throw Broken("\(found) transfers where there were \(transfers) before and \(saved) saves")
        }
        transfers = found
      }
      counts.withLock { $0.newest += 1 }
    }
  }

  private func request(_ entity: String, by key: String? = nil) -> FetchRequest<ManagedObject> {
    let request = FetchRequest<ManagedObject>(entityName: entity)
    request.sortDescriptors = key.map { [FetchSortDescriptor(key: $0, ascending: true)] } ?? []
    return request
  }

  /// Everything, checked, as lines.
  private func view(_ context: ManagedObjectContext) throws -> (lines: [String], transfers: Int64) {
    let accounts = try context.fetch(request("Account", by: "number"))
    let entries = try context.fetch(request("Entry"))
    let counter = try context.fetch(request("Counter"))[0]["transfers"]?.integer ?? 0
    guard accounts.count == Self.accounts else { throw Broken("there are \(accounts.count) accounts") }
    let sum = accounts.reduce(0) { $0 + ($1["total"]?.integer ?? 0) }
    guard sum == 0 else { throw Broken("the totals are \(sum) together") }
    var members = 0
    var lines = ["\(counter) transfers, \(entries.count) entries"]
    for account in accounts {
      let own = try account.objects(for: "entries")
      members += own.count
      let total = own.reduce(0) { $0 + ($1["amount"]?.integer ?? 0) }
      guard total == account["total"]?.integer else {
        throw Broken("an account has \(account["total"] ?? .null), and entries of \(total)")
      }
      guard own.allSatisfy({ $0.object(for: "account") === account }) else {
        throw Broken("an entry of an account leads to another")
      }
      lines.append("\(account["number"] ?? .null): \(total) of \(own.count)")
    }
    guard members == entries.count else { throw Broken("\(members) members of \(entries.count) entries") }
    let real = FetchRequest<ManagedObject>(entityName: "Entry")
    real.predicate = FetchPredicate(format: "amount != 0")
    guard try context.count(for: real) == 2 * counter else {
      throw Broken("\(counter) transfers, and \(try context.count(for: real)) entries of them")
    }
    counts.withLock { $0.views += 1 }
    return (lines, counter)
  }
}
