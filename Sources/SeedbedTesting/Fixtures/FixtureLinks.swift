import Seedbed

/// The positions of records by their keys. Every key that a record names leads to an object of the right entity.
struct FixtureLinks {
  /// The positions that a relationship leads to.
  enum Positions {
    case one(Int?)
    case many([Int])
  }

  private var positions: [String: Int] = [:]

  /// - Throws: `FixtureError` for keys that are there twice, or lead nowhere or to another entity's object.
  init(_ records: [FixtureRecord]) throws(FixtureError) {
    for (position, record) in records.enumerated() {
      guard let key = record.key else { continue }
      if let other = positions.updateValue(position, forKey: key) {
        let first = records[other]
        throw record.error("the record key \"\(key)\" is that of \(first.file):\(first.line) too")
      }
    }
    for record in records {
      for (relationship, target) in record.targets {
        for key in Self.keys(target) {
          guard let position = positions[key] else {
            throw record.error(
              "the record key \"\(key)\" leads nowhere", property: relationship.name,
              hint: "add the record that it names, or null")
          }
          let other = records[position].entity
          if !other.isKind(of: relationship.destination) {
            throw record.error(
              "the record key \"\(key)\" leads to an object of \(other.name), not of \(relationship.destination.name)",
              property: relationship.name)
          }
        }
      }
    }
  }

  private static func keys(_ target: FixtureRecord.Target) -> [String] {
    switch target {
    case .one(let key): key.map { [$0] } ?? []
    case .many(let keys): keys
    }
  }

  /// Where a relationship leads to.
  func positions(_ target: FixtureRecord.Target) -> Positions {
    switch target {
    case .one(let key): .one(key.flatMap { positions[$0] })
    case .many(let keys): .many(keys.compactMap { positions[$0] })
    }
  }
}
