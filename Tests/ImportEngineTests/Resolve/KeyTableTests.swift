import TestSupport
import Testing

@testable import ImportEngine

@Suite("Key tables")
struct KeyTableTests {
  private func row(_ key: Int64, _ entity: Int = 0) -> RowReference {
    RowReference(primaryKey: key, entityIndex: entity)
  }

  @Test("a row keeps its key and entity in one word")
  func packing() {
    for (key, entity) in [(Int64(0), 0), (1, 1), (0x7FFF_FFFF_FFFF, 65_534), (123_456_789_012, 300)] {
      let packed = RowReference(rawValue: row(key, entity).rawValue)
      #expect(packed.primaryKey == key)
      #expect(packed.entityIndex == entity)
    }
  }

  @Test(
    "random registrations and removals agree with a dictionary of sets, in memory and in files",
    arguments: [1, 2, 3, 4], [Int.max, 0, 40_000])
  func againstDictionary(seed: UInt64, budget: Int) {
    var generator = SeededGenerator(seed: seed)
    let memory = KeyMemory(budget: budget)
    let table = KeyTable(memory: memory)
    var expected: [[UInt8]: [RowReference]] = [:]
    // Few keys make repeated ones; prefixes of each other and the empty key are among them.
    let keys = (0..<3000).map { number -> [UInt8] in
      switch number % 3 {
      case 0: Array(repeating: 7, count: number % 40)
      case 1: Array("key \(number)".utf8)
      default: (0..<number % 20).map { _ in UInt8.random(in: 0...255, using: &generator) }
      }
    }
    for step in 0..<20_000 {
      let key = keys[Int.random(in: 0..<keys.count, using: &generator)]
      if Int.random(in: 0..<4, using: &generator) > 0 {
        // Every object is registered once, as a bulk load does.
        let new = row(Int64(step + 1), step % 5)
        table.register(new, for: key)
        expected[key, default: []].append(new)
      } else if let known = expected[key]?.randomElement(using: &generator) {
        table.remove(known, for: key)
        expected[key]?.removeAll { $0 == known }
      }
      let rows = expected[key] ?? []
      let match = table.match(key)
      #expect(match == (rows.isEmpty ? .none : rows.count == 1 ? .row(rows[0]) : .ambiguous))
    }
    for (key, rows) in expected {
      let match = table.match(key)
      #expect(match == (rows.isEmpty ? .none : rows.count == 1 ? .row(rows[0]) : .ambiguous))
    }
    #expect(table.count == expected.values.count { !$0.isEmpty })
    table.removeAll()
    #expect(table.count == 0)
    for key in keys { #expect(table.match(key) == .none) }
    // While the table lives, as its regions go with it.
    withExtendedLifetime(table) { #expect((memory.fileBytes > 0) == (budget < .max)) }
  }

  @Test("keys whose hashes begin in the same slot are told apart, also across growth")
  func collisions() {
    // Keys that fall into the first 4 of the 1024 slots of a new table.
    var colliding: [[UInt8]] = []
    var number: UInt64 = 0
    while colliding.count < 300 {
      let key = (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
      if KeyHash.hash(key) & 1023 < 4 { colliding.append(key) }
      number += 1
    }
    let table = KeyTable()
    for (index, key) in colliding.enumerated() {
      table.register(row(Int64(index + 1)), for: key)
    }
    for filler in 0..<5000 {
      table.register(row(9), for: Array("filler \(filler)".utf8))
    }
    for (index, key) in colliding.enumerated() {
      #expect(table.match(key) == .row(row(Int64(index + 1))))
    }
  }

  @Test("registering a row again changes nothing")
  func again() {
    let table = KeyTable()
    let key: [UInt8] = [1]
    for _ in 0..<3 { table.register(row(5), for: key) }
    #expect(table.match(key) == .row(row(5)))
    table.remove(row(6), for: key)
    #expect(table.match(key) == .row(row(5)), "another row's key")
    table.remove(row(5), for: key)
    #expect(table.match(key) == .none)
  }

  @Test("keys are equal when all their bytes are, and other keys of up to seven bytes never have one word")
  func comparison() {
    var generator = SeededGenerator(seed: 44)
    for _ in 0..<50_000 {
      let left = (0..<Int.random(in: 0...40, using: &generator)).map { _ in UInt8.random(in: 0...2, using: &generator) }
      var right = left
      for _ in 0..<Int.random(in: 0...2, using: &generator) where !right.isEmpty {
        right[Int.random(in: 0..<right.count, using: &generator)] = UInt8.random(in: 0...2, using: &generator)
      }
      if Int.random(in: 0..<8, using: &generator) == 0 { right.append(0) }
      let areEqual = unsafe withRaw(left) { left in unsafe withRaw(right) { unsafe KeyTable.areEqual(left, $0) } }
      #expect(areEqual == (left == right), "\(left), \(right)")
      guard left.count < 8, left.count == right.count else { continue }
      let haveOneWord = unsafe withRaw(left) { left in
        unsafe withRaw(right) { right in
          guard let first = left.baseAddress, let second = right.baseAddress else { return true }
          return unsafe KeyHash.short(first, count: left.count) == KeyHash.short(second, count: right.count)
        }
      }
      #expect(haveOneWord == (left == right), "\(left), \(right)")
    }
  }

  @Test("a hash is never the mark of a free slot, and differs by length")
  func hashes() {
    #expect(KeyHash.hash([]) != 0)
    var seen: Set<UInt64> = []
    for length in 0..<64 {
      #expect(seen.insert(KeyHash.hash([UInt8](repeating: 0, count: length))).inserted)
    }
  }
}
