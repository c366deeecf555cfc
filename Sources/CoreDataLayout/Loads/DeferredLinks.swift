import ObjectModel
import SQLite
import SQLitePages

/// Memberships of to-many relationships that wait until the rows of a page load are finished.
final class DeferredLinks {
  /// The memberships that one join table, or one column of a members' table, keeps.
  final class Group {
    /// The relationship of the memberships that came first.
    let relationship: Relationship
    /// The pairs of primary keys, in the direction of `relationship`.
    let pairs: PairList
    /// The join table, and the side of it that the relationship is.
    let join: (table: JoinTable, side: JoinTable.Side)?
    /// Whether pairs came from the other side too.
    fileprivate(set) var hasInversePairs = false

    fileprivate init(_ relationship: Relationship, join: (table: JoinTable, side: JoinTable.Side)?, pairs: PairList) {
      self.relationship = relationship
      self.join = join
      self.pairs = pairs
    }

    /// Whether the relationship is the join table's master.
    var isFromMaster: Bool { join.map { $0.side.ownerColumn == $0.table.master.ownerColumn } ?? true }
  }

  private let layout: StoreLayout
  private let memoryBudget: Int
  private let temporaryPath: String
  private var groupByPlace: [String: Group] = [:]
  /// The groups in the order in which they came up.
  private(set) var groups: [Group] = []

  /// - Parameters:
  ///   - memoryBudget: bytes that each group may hold in memory.
  ///   - temporaryPath: how the names of files for what goes beyond begin.
  init(layout: StoreLayout, memoryBudget: Int, temporaryPath: String) {
    self.layout = layout
    self.memoryBudget = memoryBudget
    self.temporaryPath = temporaryPath
  }

  /// Takes up memberships.
  /// - Parameter replacing: see `SQLiteStore.link`.
  /// - Returns: false when these cannot wait; nothing is taken up then.
  func append(
    _ relationship: Relationship, _ pairs: [(owner: Int64, destination: Int64)], replacing: Bool
  ) throws(PageError) -> Bool {
    guard pairs.allSatisfy({ PairList.canHold($0.owner) && PairList.canHold($0.destination) }) else { return false }
    let found = layout.joinTable(of: relationship)
    let place: String
    if let found {
      place = found.table.name
    } else if let columns = layout.memberColumns(of: relationship) {
      place = layout.table(for: relationship.destination).name + "." + columns.foreignKey
    } else {
      return false
    }
    let known = groupByPlace[place]
    let isInverse = known?.join.map { $0.side.ownerColumn != found?.side.ownerColumn } ?? false
    if replacing {
      // Owners without members lose none by replacing.
      guard let table = found?.table, !table.isReflexive, !isInverse, known?.hasInversePairs != true,
        pairs.first.map({ $0.owner > known?.pairs.greatestFirst ?? -1 }) ?? true,
        zip(pairs, pairs.dropFirst()).allSatisfy({ $0.owner <= $1.owner })
      else { return false }
    }
    let group =
      known
      ?? Group(relationship, join: found, pairs: PairList(memoryBudget: memoryBudget, temporaryPath: temporaryPath))
    if known == nil {
      groupByPlace[place] = group
      groups.append(group)
    }
    if isInverse { group.hasInversePairs = true }
    // A relationship that is its own inverse is kept in both directions.
    let isReflexive = found?.table.isReflexive == true
    for pair in pairs {
      if !isInverse { try group.pairs.append(pair.owner, pair.destination) }
      if isInverse || (isReflexive && pair.owner != pair.destination) {
        try group.pairs.append(pair.destination, pair.owner)
      }
    }
    return true
  }
}

extension StoreLoads {
  /// Writes the memberships of a finished page load: as pages where they belong in an empty join table, through SQLite
  /// where they do not.
  func write(_ links: DeferredLinks, memoryBudget: Int, workers: Int) throws {
    for group in links.groups {
      if let join = group.join?.table, try writePages(group, join, memoryBudget: memoryBudget, workers: workers) {
        continue
      }
      try writer.performAtomically {
        let members = try LinkWriter(writer, group.relationship)
        try group.pairs.forEach { owner, member in try members.add(member, to: owner) }
      }
    }
  }

  /// - Returns: false when the table has rows or dependents, the store was not made here, or order keys would take too
  ///   much memory.
  private func writePages(
    _ group: DeferredLinks.Group, _ join: JoinTable, memoryBudget: Int, workers: Int
  ) throws -> Bool {
    // Order keys are counted in memory.
    let isOrdered = join.master.orderColumn != nil || join.inverse.orderColumn != nil
    let counted = isOrdered ? group.pairs.greatestFirst + group.pairs.greatestSecond : 0
    guard file.isCreator, counted < memoryBudget / 4, try canBeginPages(join.name),
      let root = try connection.rootPage(ofTable: join.name)
    else {
      return false
    }
    let shapes = try makeEmptyIndexes(of: join.name)
    writer.session.forgetStatements()
    try connection.releaseLocks()
    try file.mappingPageErrors {
      let start = ContinuousClock.now
      let pages = try DatabaseFile(path: file.path)
      let table = try TableTreeWriter(file: pages, root: root)
      var encoder = JoinRowEncoder(join)
      var rowID: Int64 = 0
      let isFromMaster = group.isFromMaster
      try group.pairs.forEachUnique(workers: workers) { first, second in
        rowID += 1
        let record = unsafe isFromMaster ? encoder.encode(first, second) : encoder.encode(second, first)
        if let base = record.baseAddress {
          unsafe try table.append(rowID: rowID, payload: base, count: record.count)
        }
      }
      try table.finish()
      try pages.finish()
      var written = WrittenTable()
      written.add(rows: Int(rowID), pages: pages.writtenPageCount, ContinuousClock.now - start)
      pageLog.note(written, table: join.name)
      let loader = IndexLoader(
        path: file.path, memoryBudget: memoryBudget, temporaryPath: file.path + "-sort", workers: workers)
      try fill(join.name) { try loader.load(shapes, tableRoot: root) }
    }
    try connection.keepLocks()
    return true
  }

  private func canBeginPages(_ table: String) throws -> Bool {
    let hasRows = try connection.integer("SELECT EXISTS (SELECT 1 FROM \(SQLText.identifier(table)))") != 0
    return try !hasRows && !hasDependents(table) && !connection.isInTransaction
  }
}

/// Makes the records of a join table's rows: owner, member, and their places in each other's order.
@safe private struct JoinRowEncoder {
  /// Columns in the order of the table.
  private let columns: [Column]
  /// Four numbers at most.
  private let buffer = EncodedRows()
  /// Members of each owner so far, and owners of each member, where their order is kept.
  private var memberCounts: [Int32] = []
  private var ownerCounts: [Int32] = []

  private enum Column {
    case owner, member, placeInOwner, placeInMember
  }

  init(_ join: JoinTable) {
    // The order of the columns is that of `JoinTable.createStatement`.
    let inOwner: [Column] = join.master.orderColumn == nil ? [] : [.placeInOwner]
    let inMember: [Column] = join.inverse.orderColumn == nil ? [] : [.placeInMember]
    columns = [.owner, .member] + (join.isReflexive ? inOwner + inMember : inMember + inOwner)
  }

  /// The record of a row, valid until the next call.
  @unsafe mutating func encode(_ owner: Int64, _ member: Int64) -> UnsafeRawBufferPointer {
    // Safety: four columns take 5 bytes of header and 8 for each number; the buffer has 64 KB.
    let base = unsafe buffer.base
    let headerSize = columns.count + 1
    unsafe base.storeBytes(of: UInt8(truncatingIfNeeded: headerSize), as: UInt8.self)
    var size = headerSize
    for index in columns.indices {
      let value: Int64
      switch columns[index] {
      case .owner: value = owner
      case .member: value = member
      case .placeInOwner: value = JoinRowEncoder.nextKey(&memberCounts, Int(owner))
      case .placeInMember: value = JoinRowEncoder.nextKey(&ownerCounts, Int(member))
      }
      let (type, count) = unsafe RecordEncoding.write(value, to: base + size)
      unsafe (base + 1 + index).storeBytes(of: type, as: UInt8.self)
      size += count
    }
    return unsafe UnsafeRawBufferPointer(start: base, count: size)
  }

  private static func nextKey(_ counts: inout [Int32], _ key: Int) -> Int64 {
    if key >= counts.count { counts += [Int32](repeating: 0, count: max(key + 1 - counts.count, counts.count)) }
    defer { counts[key] += 1 }
    return OrderKey.first + OrderKey.step * Int64(counts[key])
  }
}
