import ObjectModel
import SQLite
import SQLitePages
import StoreInterface

/// The state of bulk loading: finished pages that SQLite has not seen yet, and transactions that it did not begin.
final class StoreLoads {
  let writer: StoreWriter
  /// Rows that are being written as finished pages.
  private var pageLoad: PageLoad?
  /// Whether a load that has ended wrote rows as finished pages.
  private(set) var hasLoadedPages = false
  /// How much was written as finished pages.
  var pageLog = PageLog()
  /// Whether the open transaction is void: pages were being loaded when it began, so SQLite has begun none.
  private var isTransactionVoid = false
  /// The notes of an import into a store that was there before.
  let importWatch: ImportWatch

  init(_ writer: StoreWriter) {
    self.writer = writer
    importWatch = ImportWatch(writer)
  }

  var file: StoreFile { writer.file }
  var layout: StoreLayout { writer.file.layout }
  var connection: Connection { writer.session.connection }
  var isUnderConstruction: Bool { writer.options.isUnderConstruction }

  /// See `SQLiteStore.hasChanges`. The session is locked, and a load of pages has ended before.
  func hasChanges() throws -> Bool {
    if file.isCreator || hasLoadedPages || pageLoad?.isEmpty == false { return true }
    return try importWatch.hasChanges()
  }

  /// Ends before the connection is closed: an unfinished load is thrown away with the store.
  func end() {
    pageLoad = nil
    importWatch.end()
  }

  // MARK: - Transactions

  /// While rows are loaded as pages there are no transactions: such a store is whole when it is finished, or thrown
  /// away.
  /// - Returns: whether the new transaction is void, so that SQLite begins none.
  func beginVoidTransaction() -> Bool {
    isTransactionVoid = pageLoad != nil
    return isTransactionVoid
  }

  /// Ends a transaction that began while rows were being loaded. When something ended the load meanwhile, every call
  /// since then was a transaction of its own.
  func endVoidTransaction() -> Bool {
    defer { isTransactionVoid = false }
    return isTransactionVoid
  }

  // MARK: - Pages

  /// Whether rows are being written as finished pages.
  var isPageLoading: Bool { pageLoad != nil }

  /// Whether rows of these entities are being written as finished pages.
  func isPageLoading(_ entities: [Entity]) -> Bool {
    guard let pageLoad else { return false }
    return entities.allSatisfy { pageLoad.lastKeys[$0.root.index] != nil }
  }

  /// See `SQLiteStore.beginPageLoad`. No transaction may be open. The connection gives up its exclusive lock until the
  /// load ends, because pages are written past it.
  func beginPageLoad(
    _ entities: [Entity], memoryBudget: Int, workers: Int, appends: Bool, changes: ChangedRows?
  ) throws -> Bool {
    try writer.session.perform {
      guard isUnderConstruction, writer.history == nil, !connection.isInTransaction, pageLoad == nil,
        try !connection.isWriteAheadLogged
      else { return false }
      let tables = Set(entities.map { layout.table(for: $0).name })
      let filled = try tables.filter {
        try connection.integer("SELECT EXISTS (SELECT 1 FROM \(SQLText.identifier($0)))") != 0
      }
      if !filled.isEmpty && (!appends || writer.hasDeferredIndexes) { return false }
      if let changes, !filled.contains(changes.table) { return false }
      if let changes { importWatch.watch(changes) }
      if !file.isCreator {
        for table in tables where try !isAsMadeHere(table) { return false }
      }
      if !writer.hasDeferredIndexes {
        for table in tables where try hasDependents(table) { return false }
      }
      var roots: [String: UInt32] = [:]
      var indexes: [(tableRoot: UInt32, shapes: [IndexShape])] = []
      for table in tables.sorted() {
        guard let root = try connection.rootPage(ofTable: table) else { return false }
        roots[table] = root
        indexes.append((root, try makeEmptyIndexes(of: table)))
      }
      var lastKeys: [Int: Int64] = [:]
      for entity in entities { lastKeys[entity.root.index] = try writer.session.lastPrimaryKey(of: entity) }
      // Another connection could open the file from here on; only this object does.
      writer.session.forgetStatements()
      try connection.releaseLocks()
      do {
        var lastFilled: [String: Int64] = [:]
        for entity in entities {
          let table = layout.table(for: entity).name
          if filled.contains(table) { lastFilled[table] = lastKeys[entity.root.index] }
        }
        pageLoad = try PageLoad(
          writer: writer, roots: roots, filled: lastFilled, indexes: indexes, lastKeys: lastKeys,
          changes: changes, memoryBudget: memoryBudget, workers: workers)
      } catch let error as PageError where error.kind == .unsuitable && !file.isCreator {
        // Pages cannot be added to every file that another program made.
        try connection.keepLocks()
        return false
      } catch let error as PageError {
        return try file.mappingPageErrors { throw error }
      }
      return true
    }
  }

  /// See `SQLiteStore.rowShape`. The session is locked, and the load goes on.
  func rowShape(for entity: Entity, columns: [RowBatch.Column]) throws -> RowShape? {
    guard let pageLoad else { return nil }
    let plan = try writer.plan(for: RowPlan.Key(entity: entity, columns: columns))
    guard let shape = try pageLoad.shape(plan, columns: columns), shape.isSelfContained else { return nil }
    return shape
  }

  /// Adds rows that were encoded elsewhere to the load that is going on.
  func insert(_ rows: EncodedRows, of batch: RowBatch, firstKey: Int64) throws {
    guard let pageLoad else { throw StoreError.failure("no rows are being loaded as pages") }
    let plan = try writer.plan(for: batch)
    try file.mappingPageErrors { try pageLoad.insert(rows, of: batch, plan: plan, firstKey: firstKey) }
  }

  /// Adds the rows of a batch to the load that is going on.
  /// - Returns: false when there is none for their table.
  func insert(_ batch: RowBatch, primaryKeys: UnsafeBufferPointer<Int64>) throws -> Bool {
    guard let pageLoad else { return false }
    let plan = try writer.plan(for: batch)
    return try file.mappingPageErrors { unsafe try pageLoad.insert(batch, plan: plan, primaryKeys: primaryKeys) }
  }

  /// Adds the new objects of a save to the load that is going on. Such a save cannot be undone, as nothing that the
  /// load writes can.
  /// - Returns: false when there is none for all their tables, or the save has to do with other rows as well.
  func save(_ request: SaveRequest) throws -> Bool {
    guard let pageLoad, request.updated.isEmpty, request.deleted.isEmpty, request.toMany.isEmpty,
      request.checked.isEmpty
    else { return false }
    let inserted = request.inserted
    var runs: [Range<Int>] = []
    for index in inserted.indices {
      if let last = runs.last, inserted[last.lowerBound].objectID.space === inserted[index].objectID.space {
        runs[runs.count - 1] = last.lowerBound..<index + 1
      } else {
        runs.append(index..<index + 1)
      }
    }
    guard isPageLoading(runs.map { inserted[$0.lowerBound].objectID.entity }) else { return false }
    try writer.check(request)
    try file.mappingPageErrors {
      for run in runs { try pageLoad.insert(inserted, run) }
    }
    return true
  }

  /// Takes up memberships, to be written when the load ends.
  /// - Returns: false when there is no load, or they cannot wait.
  func link(
    _ relationship: Relationship, pairs: [(owner: Int64, destination: Int64)], replacing: Bool
  ) throws -> Bool {
    guard let pageLoad else { return false }
    return try file.mappingPageErrors { try pageLoad.link(relationship, pairs, replacing: replacing) }
  }

  /// Reserves primary keys of a table that is being loaded.
  /// - Returns: the first; nil when it is not.
  func reservePrimaryKeys(_ count: Int, for entity: Entity) -> Int64? { pageLoad?.reserve(count, for: entity) }

  /// See `SQLiteStore.endPageLoad`. Pages and indexes are finished first, without SQLite. Then the connection is
  /// exclusive again, and writes the last primary keys, the notes of owners, and memberships.
  func endPageLoad(memoryBudget: Int = 64 << 20, workers: Int = 2) throws {
    try writer.session.locked {
      guard let load = pageLoad else { return }
      pageLoad = nil
      if !load.isEmpty { hasLoadedPages = true }
      try file.mappingPageErrors {
        try load.finishTables()
        // The tables go to disk while the indexes are made.
        let flush = try BackgroundSync(file.path)
        let workers = StoreFiles.workers(workers, for: file.path)
        let loader = IndexLoader(
          path: file.path, memoryBudget: memoryBudget, temporaryPath: file.path + "-sort", workers: workers)
        for (table, written) in load.written.sorted(by: { $0.key < $1.key }) { pageLog.note(written, table: table) }
        for (tableRoot, shapes) in load.indexes {
          let (unfilled, areReplaced) = load.unfilledIndexes(of: tableRoot, shapes)
          try fill(load.name(ofTable: tableRoot)) {
            try loader.load(
              unfilled, tableRoot: tableRoot, columns: load.keptColumns(tableRoot), replacing: areReplaced)
          }
        }
        try flush?.finish()
      }
      try writer.session.perform {
        try connection.keepLocks()
        try writer.performAtomically {
          for (root, key) in load.lastKeys.sorted(by: { $0.key < $1.key }) {
            try writer.setLastPrimaryKey(key, of: file.model.entities[root])
          }
          try importWatch.noteOwners(of: load.changes)
        }
        try write(load.links, memoryBudget: memoryBudget, workers: workers)
      }
    }
  }

  /// Fills the indexes of a table, and notes how many pages were written.
  func fill(_ table: String, _ load: () throws -> Int) throws {
    let start = ContinuousClock.now
    let pages = try load()
    var written = WrittenTable()
    written.add(rows: 0, pages: pages, ContinuousClock.now - start)
    pageLog.noteIndexes(written, table: table)
  }

  /// See `SQLiteStore.abandonPageLoad`. The session is locked. The connection is exclusive again afterwards.
  func abandonPageLoad() throws {
    guard let load = pageLoad else { return }
    pageLoad = nil
    try file.mappingPageErrors { try load.file.abandon() }
    try connection.keepLocks()
  }
}
