public import ObjectModel
import SQLite

extension StoreReader {
  /// The members of a to-many relationship: by order key when ordered, by primary key otherwise.
  public func members(of owner: ObjectID, relationship: Relationship) throws -> [ObjectID] {
    try session.perform {
      guard let key = file.primaryKey(of: owner), let text = memberText(of: relationship) else { return [] }
      let statement = try session.cached(text)
      defer { statement.reset() }
      try statement.bind(1, key)
      var result: [ObjectID] = []
      while try statement.step() {
        result.append(file.objectID(try file.entity(numbered: statement.int64(at: 1)), statement.int64(at: 0)))
      }
      return result
    }
  }

  /// The members of many owners, 256 with one statement.
  public func members(of owners: [ObjectID], relationship: Relationship) throws -> [[ObjectID]] {
    try session.perform {
      var lists: [Int64: [ObjectID]] = [:]
      let keys = owners.map { file.primaryKey(of: $0) }
      guard let select = memberSelect(relationship) else { return owners.map { _ in [] } }
      let places = 256
      // Always as many parameters, so that the statement is prepared once; those that are not bound are NULL and find
      // nothing.
      let parameters = Array(repeating: "?", count: places).joined(separator: ", ")
      let statement = try session.cached(
        "SELECT \(select.owner), m.Z_PK, m.Z_ENT FROM \(select.from) WHERE \(select.owner) IN (\(parameters)) "
          + "ORDER BY \(select.owner), \(select.order)")
      defer { statement.reset() }
      let wanted = Array(Set(keys.compactMap { $0 }))
      for start in stride(from: 0, to: wanted.count, by: places) {
        statement.reset()
        statement.clearBindings()
        for (place, key) in wanted[start..<min(start + places, wanted.count)].enumerated() {
          try statement.bind(Int32(place + 1), key)
        }
        while try statement.step() {
          let member = file.objectID(try file.entity(numbered: statement.int64(at: 2)), statement.int64(at: 1))
          lists[statement.int64(at: 0), default: []].append(member)
        }
      }
      return keys.map { key in key.flatMap { lists[$0] } ?? [] }
    }
  }

  /// The SELECT for the members of one owner; nil for a relationship without rows of its own.
  func memberText(of relationship: Relationship) -> String? {
    memberSelect(relationship).map { select in
      "SELECT m.Z_PK, m.Z_ENT FROM \(select.from) WHERE \(select.owner) = ?1 ORDER BY \(select.order)"
    }
  }

  /// Where the members of a relationship are, what is their owner's key, and their order; nil for a relationship
  /// without rows of its own.
  private func memberSelect(_ relationship: Relationship) -> (from: String, owner: String, order: String)? {
    if !relationship.isToMany { return nil }
    let members = file.layout.table(for: relationship.destination).name
    if let (join, side) = file.layout.joinTable(of: relationship) {
      let order = side.orderColumn.map { "j.\($0), " } ?? ""
      return (
        "\(join.name) AS j JOIN \(members) AS m ON m.Z_PK = j.\(side.memberColumn)", "j.\(side.ownerColumn)",
        order + "m.Z_PK"
      )
    }
    guard let columns = file.layout.memberColumns(of: relationship) else { return nil }
    let order = columns.order.map { "m.\($0), " } ?? ""
    return ("\(members) AS m", "m.\(columns.foreignKey)", order + "m.Z_PK")
  }
}
