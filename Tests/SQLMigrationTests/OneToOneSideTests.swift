import ObjectModel
import SQLite
import TestSupport
import Testing

@testable import CoreDataLayout
@testable import SQLMigration

/// Both sides of a one-to-one relationship have a column. Where they come from relationships that were no inverses of
/// each other, the columns may say different things.
@Suite("One-to-one relationships made of two others")
struct OneToOneSideTests {
  /// Which relationships there are between the entities A and B, before and after.
  struct Shape: CustomTestStringConvertible, Sendable {
    /// Such as `A.p B.x`: one-to-one; `A.p* B.x` where the first is to-many; `A.p` for one that is its own inverse.
    let older: [String]
    let newer: [String]
    var testDescription: String { "\(older) → \(newer)" }
  }

  static let shapes = [
    Shape(older: ["A.p B.x", "A.q B.y"], newer: ["A.p B.y", "A.q B.x"]),
    Shape(older: ["B.x* A.p", "A.q B.y"], newer: ["A.p B.y", "B.x* A.q"]),
    Shape(older: ["B.x* A.p", "B.y* A.q"], newer: ["A.p B.v", "A.q B.w"]),
    Shape(older: ["A.p A.q"], newer: ["A.p"]),
    Shape(older: ["A.p A.q", "A.r"], newer: ["A.p A.r", "A.q"]),
    Shape(older: ["A.q* A.p"], newer: ["A.p"]),
  ]

  private static func model(_ links: [String]) throws -> ManagedObjectModel {
    var entities = ["A": EntityDefinition("A"), "B": EntityDefinition("B")]
    for link in links {
      let ends = link.split(separator: " ").map { $0.split(separator: ".").map(String.init) }
      let (first, second) = (ends[0], ends[ends.count - 1])
      func add(_ end: [String], _ other: [String]) {
        let inverse = other[1].replacing("*", with: "")
        entities[end[0]]?.relationships.append(
          end[1].hasSuffix("*")
            ? .init(String(end[1].dropLast()), toMany: other[0], inverse: inverse)
            : .init(end[1], toOne: other[0], inverse: inverse))
      }
      add(first, second)
      if ends.count == 2 { add(second, first) }
    }
    return try ManagedObjectModel(entities: Array(entities.values))
  }

  /// Fills the columns of the old store with links that agree among themselves.
  private static func fill(_ path: String, _ shape: Shape, _ random: inout SeededGenerator, alike: Bool) throws {
    let connection = try Connection(path: path)
    let count = 4
    for (number, table) in [(1, "ZA"), (2, "ZB")] {
      for key in 1...count {
        try connection.execute("INSERT INTO \(table) (Z_PK, Z_ENT, Z_OPT) VALUES (\(key), \(number), 1)")
      }
    }
    var partners = Bool.random(using: &random) ? [2, 1, 4, 3] : (1...count).shuffled(using: &random)
    for link in shape.older {
      if !alike { partners.shuffle(using: &random) }
      let ends = link.split(separator: " ").map { $0.split(separator: ".").map(String.init) }
      for key in 1...count where alike || Bool.random(using: &random) {
        // One that is its own inverse pairs 1 with 2 and 3 with 4.
        let partner = ends.count == 1 ? (key % 2 == 0 ? key - 1 : key + 1) : partners[key - 1]
        let isToMany = ends[0][1].hasSuffix("*")
        let owner = isToMany && !alike ? Int.random(in: 1...count, using: &random) : key
        func set(_ end: [String], _ row: Int, _ value: Int) throws {
          if end[1].hasSuffix("*") { return }
          try connection.execute("UPDATE Z\(end[0]) SET Z\(end[1].uppercased()) = \(value) WHERE Z_PK = \(row)")
        }
        try set(ends[0], owner, partner)
        try set(ends[ends.count - 1], partner, owner)
      }
    }
    try connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(count)")
    try connection.close()
  }

  @Test("two sides agree after a migration, or it is refused and says for how many objects", arguments: shapes)
  func sides(shape: Shape) throws {
    let (older, newer) = (try Self.model(shape.older), try Self.model(shape.newer))
    var outcomes: Set<String> = []
    for seed in 0..<40 {
      var random = SeededGenerator(seed: UInt64(seed))
      let folder = try TemporaryFolder()
      let path = folder.path("Links.sqlite")
      try SQLiteStore.create(path: path, model: older).close()
      try Self.fill(path, shape, &random, alike: seed % 2 == 0)
      try StoreMigrationTests.requireSound(path, older)
      do {
        _ = try StoreMigration.run(storeAt: path, from: older, to: newer)
        try StoreMigrationTests.requireSound(path, newer)
        outcomes.insert("migrated")
      } catch StoreMigrationError.conditions(_, let conditions) {
        #expect(conditions.allSatisfy { [.sidesDisagree, .severalOwners].contains($0.kind) && $0.count > 0 })
        #expect(!conditions[0].description.isEmpty)
        try StoreMigrationTests.requireSound(path, older)
        outcomes.insert("refused")
      }
    }
    #expect(outcomes.contains("refused"))
    #expect(outcomes.contains("migrated"), "\(outcomes)")
  }
}
