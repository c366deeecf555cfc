import ObjectModel
import SQLite
import StoreInterface

extension StoreWriter {
  /// See `SQLiteStore.link`. All pairs are written in one transaction, or in a savepoint of the open one.
  func link(
    _ relationship: Relationship, pairs: [(owner: Int64, destination: Int64)], replacing: Bool
  ) throws -> Int {
    try performAtomically {
      let writer = try LinkWriter(self, relationship)
      if !replacing {
        for pair in pairs { try writer.add(pair.destination, to: pair.owner) }
        return writer.addedCount
      }
      var owners: [Int64] = []
      var members: [Int64: [Int64]] = [:]
      for pair in pairs {
        if members[pair.owner] == nil { owners.append(pair.owner) }
        members[pair.owner, default: []].append(pair.destination)
      }
      for owner in owners { try writer.replaceMembers(of: owner, with: members[owner] ?? []) }
      return writer.addedCount
    }
  }
}

/// Writes memberships of one to-many relationship.
final class LinkWriter {
  /// What keeps the memberships: a table of their own, or columns of the members' table.
  private enum Storage {
    case join(JoinTable, JoinTable.Side)
    case columns(table: String, foreignKey: String, entity: String?, order: String?)
  }
  private let writer: StoreWriter
  private let relationship: Relationship
  private let storage: Storage
  /// Order column of the members within an owner, and of the owners within a member.
  private let order: String?
  private let inverseOrder: String?
  private var nextOrderKeys: [Int64: Int64] = [:]
  private var nextInverseOrderKeys: [Int64: Int64] = [:]
  private(set) var addedCount = 0

  init(_ writer: StoreWriter, _ relationship: Relationship) throws {
    self.writer = writer
    self.relationship = relationship
    guard relationship.isToMany else {
      throw StoreError.failure("\(relationship.entity.name).\(relationship.name) is not a to-many relationship")
    }
    if let (join, side) = writer.layout.joinTable(of: relationship) {
      storage = .join(join, side)
      order = side.orderColumn
      inverseOrder = side.ownerColumn == join.master.ownerColumn ? join.inverse.orderColumn : join.master.orderColumn
    } else if let columns = writer.layout.memberColumns(of: relationship) {
      storage = .columns(
        table: writer.layout.table(for: relationship.destination).name, foreignKey: columns.foreignKey,
        entity: columns.entity, order: columns.order)
      order = columns.order
      inverseOrder = nil
    } else {
      throw StoreError.failure("\(relationship.entity.name).\(relationship.name) is not stored")
    }
  }

  /// Makes a member of an owner; nothing happens when it is one.
  func add(_ member: Int64, to owner: Int64) throws {
    switch storage {
    case .join(let join, let side):
      let find = try writer.cached(
        "SELECT 1 FROM \(join.name) WHERE \(side.ownerColumn) = ?1 AND \(side.memberColumn) = ?2")
      defer { find.reset() }
      try find.bind(1, owner)
      try find.bind(2, member)
      if try find.step() { return }
      try insertJoinRow(join, side, owner, member)
      // A relationship that is its own inverse is kept in both directions.
      if join.isReflexive && owner != member { try insertJoinRow(join, side, member, owner) }
      try recordPair(owner, member)
    case .columns(let table, let foreignKey, let entity, _):
      let find = try writer.cached("SELECT \(foreignKey) FROM \(table) WHERE Z_PK = ?1")
      try find.bind(1, member)
      let exists = try find.step()
      let isMember = exists && !find.isNull(at: 0) && find.int64(at: 0) == owner
      find.reset()
      guard exists else {
        throw StoreError.failure("\(relationship.destination.name) has no row \(member) for \(relationship.name)")
      }
      if isMember { return }
      try assign(member, to: owner, table, foreignKey, entity)
    }
    addedCount += 1
  }

  private func insertJoinRow(_ join: JoinTable, _ side: JoinTable.Side, _ owner: Int64, _ member: Int64) throws {
    var names = [side.ownerColumn, side.memberColumn]
    var values = [owner, member]
    if let order {
      names.append(order)
      values.append(try nextOrderKey(join.name, order, side.ownerColumn, owner, &nextOrderKeys))
    }
    if let inverseOrder {
      names.append(inverseOrder)
      values.append(try nextOrderKey(join.name, inverseOrder, side.memberColumn, member, &nextInverseOrderKeys))
    }
    let parameters = names.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
    let statement = try writer.cached(
      "INSERT OR IGNORE INTO \(join.name) (\(names.joined(separator: ", "))) VALUES (\(parameters))")
    for (index, value) in values.enumerated() { try statement.bind(Int32(index + 1), value) }
    try statement.run()
  }

  private func assign(_ member: Int64, to owner: Int64, _ table: String, _ foreignKey: String, _ entity: String?) throws
  {
    var assignments = ["\(foreignKey) = ?2"]
    if let entity {
      let owners = writer.layout.table(for: relationship.entity).name
      assignments.append("\(entity) = (SELECT Z_ENT FROM \(owners) WHERE Z_PK = ?2)")
    }
    if let order { assignments.append("\(order) = ?3") }
    try change(member, foreignKey, owner: owner) { version in
      let statement = try writer.cached(
        "UPDATE \(table) SET \((assignments + version).joined(separator: ", ")) WHERE Z_PK = ?1")
      try statement.bind(1, member)
      try statement.bind(2, owner)
      if let order { try statement.bind(3, try nextOrderKey(table, order, foreignKey, owner, &nextOrderKeys)) }
      try statement.run()
    }
  }

  /// Changes the row of a member whose to-one relationship says which its owner is. A row that this import has inserted
  /// keeps its version. A relationship without inverse has its foreign key in a hidden column of the member; changing
  /// it does not raise the member's version.
  private func change(
    _ member: Int64, _ foreignKey: String, owner: Int64, _ body: (_ version: [String]) throws -> Void
  ) throws {
    let isOwnChange = relationship.inverse != nil
    let version =
      isOwnChange && writer.wasThere(member, in: relationship.destination) ? ["Z_OPT = \(VersionCounter.next)"] : []
    guard let history = writer.history else { return try body(version) }
    if isOwnChange, let number = try history.entityNumber(of: member, kindOf: relationship.destination) {
      try history.recordingUpdate(entityNumber: number, key: member, columns: [foreignKey]) { try body(version) }
    } else {
      try body(version)
      try history.recordMembers(of: relationship, owner: owner)
    }
  }

  private func nextOrderKey(
    _ table: String, _ order: String, _ ownerColumn: String, _ owner: Int64, _ known: inout [Int64: Int64]
  ) throws -> Int64 {
    var key = known[owner]
    if key == nil {
      let find = try writer.cached("SELECT max(\(order)) FROM \(table) WHERE \(ownerColumn) = ?1")
      defer { find.reset() }
      try find.bind(1, owner)
      _ = try find.step()
      key = find.isNull(at: 0) ? OrderKey.first : find.int64(at: 0).addingReportingOverflow(OrderKey.step).partialValue
    }
    let result = key ?? OrderKey.first
    if result < 0 || result > Int64.max - OrderKey.step {
      throw StoreError.notAStore(path: writer.file.path, message: "\(table).\(order) has no order keys left")
    }
    known[owner] = result + OrderKey.step
    return result
  }

  /// Gives an owner the members of a context's list, but for those that have no row any more, as another context
  /// deleted them.
  /// - Parameter before: the members that the list was made from: members that were added or removed elsewhere since
  ///   stay so. Nil: the owner gets exactly these members.
  func changeMembers(of owner: Int64, to members: [Int64], from before: [Int64]?) throws {
    let present = try self.members(of: owner)
    let merged =
      before.map { MembershipMerge.merged(members, from: $0, onto: present, isOrdered: order != nil) } ?? members
    let known = Set(present)
    try replaceMembers(of: owner, present, with: merged.filter { try known.contains($0) || hasRow($0) }, isSaved: true)
  }

  /// Whether the relationship can lead to such a row.
  private func hasRow(_ member: Int64) throws -> Bool {
    let table = writer.layout.table(for: relationship.destination).name
    let find = try writer.cached("SELECT 1 FROM \(table) WHERE Z_PK = ?1")
    defer { find.reset() }
    try find.bind(1, member)
    return try find.step()
  }

  /// Gives an owner exactly these members, in this order where the relationship is ordered.
  func replaceMembers(of owner: Int64, with members: [Int64]) throws {
    try replaceMembers(of: owner, self.members(of: owner), with: members)
  }

  private func replaceMembers(
    of owner: Int64, _ present: [Int64], with members: [Int64], isSaved: Bool = false
  ) throws {
    var seen: Set<Int64> = []
    let wanted = members.filter { seen.insert($0).inserted }
    for member in present where !seen.contains(member) { try remove(member, from: owner) }
    for member in wanted { try add(member, to: owner) }
    if let order, try self.members(of: owner) != wanted { try place(wanted, of: owner, order) }
    nextOrderKeys[owner] = nil
    if present != wanted { try writer.history?.recordMembers(of: relationship, owner: owner, isSaved: isSaved) }
  }

  private func members(of owner: Int64) throws -> [Int64] {
    let sql =
      switch storage {
      case .join(let join, let side):
        "SELECT \(side.memberColumn) FROM \(join.name) WHERE \(side.ownerColumn) = ?1 "
          + "ORDER BY \(order.map { "\($0), " } ?? "")\(side.memberColumn)"
      case .columns(let table, let foreignKey, _, _):
        "SELECT Z_PK FROM \(table) WHERE \(foreignKey) = ?1 ORDER BY \(order.map { "\($0), " } ?? "")Z_PK"
      }
    let find = try writer.cached(sql)
    defer { find.reset() }
    try find.bind(1, owner)
    var result: [Int64] = []
    while try find.step() { result.append(find.int64(at: 0)) }
    return result
  }

  private func remove(_ member: Int64, from owner: Int64) throws {
    switch storage {
    case .join(let join, let side):
      let statement = try writer.cached(
        "DELETE FROM \(join.name) WHERE \(side.ownerColumn) = ?1 AND \(side.memberColumn) = ?2")
      for (left, right) in join.isReflexive ? [(owner, member), (member, owner)] : [(owner, member)] {
        try statement.bind(1, left)
        try statement.bind(2, right)
        try statement.run()
      }
      try recordPair(owner, member)
    case .columns(let table, let foreignKey, let entity, _):
      let cleared = [foreignKey, entity, order].compactMap { $0.map { "\($0) = NULL" } }
      try change(member, foreignKey, owner: owner) { version in
        let statement = try writer.cached(
          "UPDATE \(table) SET \((cleared + version).joined(separator: ", ")) WHERE Z_PK = ?1 AND \(foreignKey) = ?2")
        try statement.bind(1, member)
        try statement.bind(2, owner)
        try statement.run()
      }
    }
  }

  /// Puts members into their order. They keep their order keys where those are in order already.
  private func place(_ members: [Int64], of owner: Int64, _ order: String) throws {
    let (table, ownerColumn, memberColumn) =
      switch storage {
      case .join(let join, let side): (join.name, side.ownerColumn, side.memberColumn)
      case .columns(let table, let foreignKey, _, _): (table, foreignKey, "Z_PK")
      }
    let find = try writer.cached("SELECT \(memberColumn), \(order) FROM \(table) WHERE \(ownerColumn) = ?1")
    try find.bind(1, owner)
    var present: [Int64: Int64] = [:]
    while try find.step() { if !find.isNull(at: 1) { present[find.int64(at: 0)] = find.int64(at: 1) } }
    find.reset()
    let statement = try writer.cached(
      "UPDATE \(table) SET \(order) = ?1 WHERE \(ownerColumn) = ?2 AND \(memberColumn) = ?3")
    for (member, key) in zip(members, OrderKey.keys(keeping: members.map { present[$0] }))
    where present[member] != key {
      try statement.bind(1, key)
      try statement.bind(2, owner)
      try statement.bind(3, member)
      try statement.run()
    }
  }

  /// Records that both sides of a many-to-many relationship have other members.
  private func recordPair(_ owner: Int64, _ member: Int64) throws {
    guard let history = writer.history else { return }
    try history.recordMembers(of: relationship, owner: owner)
    if let inverse = relationship.inverse { try history.recordMembers(of: inverse, owner: member) }
  }
}
