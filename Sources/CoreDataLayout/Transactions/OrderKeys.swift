import ObjectModel
import SQLite
import StoreInterface

/// Order keys of ordered relationships: the first is 2048, each next one 1024 more.
package enum OrderKey {
  package static let first: Int64 = 2_048
  package static let step: Int64 = 1_024
  /// Core Data keeps order keys in 32 bits.
  static let greatest = Int64(Int32.max)

  /// Order keys that put members into their order and change as few of the present keys as possible: new members get
  /// keys after the last one, or in the gap where they belong; only where a gap is too narrow are all keys new.
  /// - Parameter present: the members' keys in the wanted order, nil for new members.
  /// - Complexity: O(n log n)
  static func keys(keeping present: [Int64?]) -> [Int64] {
    let kept = longestRise(present)
    var keys = [Int64](repeating: 0, count: present.count)
    var next = 0
    var floor: Int64 = 0
    for place in kept + [present.count] {
      let count = Int64(place - next)
      let ceiling = place < present.count ? present[place] : nil
      if count > 0 {
        if let ceiling {
          let step = (ceiling - floor) / (count + 1)
          if step < 1 { return fresh(present.count) }
          for offset in 0..<count { keys[next + Int(offset)] = floor + step * (offset + 1) }
        } else {
          let start = floor == 0 ? first : floor + step
          if start > greatest - step * count { return fresh(present.count) }
          for offset in 0..<count { keys[next + Int(offset)] = start + step * offset }
        }
      }
      guard let ceiling else { break }
      keys[place] = ceiling
      floor = ceiling
      next = place + 1
    }
    return keys
  }

  private static func fresh(_ count: Int) -> [Int64] { (0..<Int64(count)).map { first + step * $0 } }

  /// Places of a longest strictly rising run of keys, which need not be neighbours. Keys that Core Data never gives are
  /// not part of it.
  private static func longestRise(_ present: [Int64?]) -> [Int] {
    var ends: [Int] = []
    var previous = [Int?](repeating: nil, count: present.count)
    for (place, key) in present.enumerated() {
      guard let key, key > 0, key <= greatest else { continue }
      var low = 0
      var high = ends.count
      while low < high {
        let middle = (low + high) / 2
        if present[ends[middle]] ?? 0 < key { low = middle + 1 } else { high = middle }
      }
      previous[place] = low > 0 ? ends[low - 1] : nil
      if low < ends.count { ends[low] = place } else { ends.append(place) }
    }
    var result: [Int] = []
    var place = ends.last
    while let current = place {
      result.append(current)
      place = previous[current]
    }
    return result.reversed()
  }
}

/// Rows of one relationship that may have no place in its order yet.
struct MissingOrderKeys {
  /// Rows that were added since the store was opened, as the range of their primary keys.
  var added: ClosedRange<Int64>?
  /// Rows that were there before: each by itself, so that nothing else of them is touched.
  var older: Set<Int64> = []

  mutating func note(_ key: Int64, isOlder: Bool) {
    if isOlder {
      older.insert(key)
    } else {
      added = added.map { min($0.lowerBound, key)...max($0.upperBound, key) } ?? key...key
    }
  }

  /// SQL conditions that select the rows, older ones first.
  var conditions: [String] {
    let keys = older.sorted()
    var result = stride(from: 0, to: keys.count, by: 10_000).map { start in
      "IN (" + keys[start..<min(start + 10_000, keys.count)].map(String.init).joined(separator: ", ") + ")"
    }
    if let added { result.append("BETWEEN \(added.lowerBound) AND \(added.upperBound)") }
    return result
  }
}

extension StoreWriter {
  /// Remembers that a row refers to a destination and may have no place in its order yet.
  func noteMissingOrderKey(_ relationship: Relationship, _ key: Int64) {
    let declared = relationship.declaringEntity.relationship(relationship.name) ?? relationship
    pendingOrderKeys[declared, default: MissingOrderKeys()].note(key, isOlder: wasThere(key, in: declared.entity))
  }

  /// Assigns the order keys that are still missing in the open transaction, before anything reads them.
  func writePendingBeforeReading() throws {
    if !pendingOrderKeys.isEmpty && connection.isInTransaction { try writeOrderKeys() }
  }

  /// Puts rows without an order key at the end of their destination's order, by primary key; and takes the order key
  /// from rows that refer to nothing any more.
  func writeOrderKeys() throws {
    for (relationship, missing) in pendingOrderKeys.sorted(by: { $0.key.name < $1.key.name }) {
      guard let key = layout.foreignKeyColumn(of: relationship)?.name,
        let order = layout.orderColumn(of: relationship)?.name
      else { continue }
      let table = layout.table(for: relationship.entity).name
      for rows in missing.conditions {
        try connection.execute(
          "UPDATE \(table) SET \(order) = NULL WHERE Z_PK \(rows) AND \(key) IS NULL AND \(order) IS NOT NULL")
        try connection.execute(
          """
          UPDATE \(table) SET \(order) = placed.place FROM (
            SELECT t.Z_PK AS row, IFNULL(last.place, \(OrderKey.first - OrderKey.step))
              + \(OrderKey.step) * row_number() OVER (PARTITION BY t.\(key) ORDER BY t.Z_PK) AS place
            FROM \(table) AS t LEFT JOIN (
              SELECT o.\(key) AS owner, max(o.\(order)) AS place FROM \(table) AS o WHERE o.\(key) IN (
                SELECT n.\(key) FROM \(table) AS n WHERE n.Z_PK \(rows) AND n.\(order) IS NULL)
              GROUP BY o.\(key)) AS last ON last.owner = t.\(key)
            WHERE t.Z_PK \(rows) AND t.\(key) IS NOT NULL AND t.\(order) IS NULL
          ) AS placed WHERE \(table).Z_PK = placed.row
          """)
        // A sum beyond 64 bits is a real to SQLite.
        let isBroken = "Z_PK \(rows) AND typeof(\(order)) NOT IN ('integer', 'null')"
        if try connection.integer("SELECT 1 FROM \(table) WHERE \(isBroken) LIMIT 1") != nil {
          throw StoreError.notAStore(path: file.path, message: "\(table).\(order) has no order keys left")
        }
      }
    }
    pendingOrderKeys.removeAll()
  }
}
