import Foundation
import TestSupport
import Testing

@testable import SQLitePages

@Suite("Sorting of index entries")
struct KeySortTests {
  /// Keys of which none is the beginning of another: each ends with its number.
  static func keys(_ random: inout SeededGenerator, count: Int, style: Int) -> [[UInt8]] {
    let stem = (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
    return (0..<count).map { number in
      var key: [UInt8] = []
      switch style {
      case 0: key = (0..<Int.random(in: 0...12, using: &random)).map { _ in .random(in: 97...122, using: &random) }
      case 1: key = stem + (0..<Int.random(in: 0...9, using: &random)).map { _ in .random(in: 0...1, using: &random) }
      case 2: key = [UInt8](repeating: 7, count: Int.random(in: 0...200, using: &random))
      case 3: key = stem
      default: key = [UInt8](String(count - number).utf8)
      }
      key = key.flatMap { $0 == 0 ? [0, 255] : [$0] } + [0, 0]
      return key + (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }
  }

  struct Case: CustomStringConvertible, Sendable {
    var count: Int
    var style: Int
    var budget: Int
    var arenas: Int
    var description: String { "\(count) keys of style \(style), \(budget) bytes, \(arenas) arenas" }
  }

  static let cases: [Case] = (0..<5).flatMap { style in
    [(0, 1 << 20, 1), (1, 1 << 20, 2), (13, 1 << 20, 1), (3_000, 1 << 20, 3), (9_000, 1 << 16, 2)].map {
      Case(count: $0.0, style: style, budget: $0.1, arenas: $0.2)
    }
  }

  @Test("entries come out in the order of their keys, each with its payload", arguments: cases)
  func order(test: Case) throws {
    let folder = try TemporaryFolder()
    var random = SeededGenerator(seed: UInt64(test.count * 7 + test.style))
    let keys = Self.keys(&random, count: test.count, style: test.style)
    let arenas = (0..<test.arenas).map { _ in
      KeyArena(budget: test.budget, temporaryPath: folder.path + "/sort")
    }
    for (number, key) in keys.enumerated() {
      let payload = [UInt8](String(number).utf8)
      let arena = arenas[number * test.arenas / test.count]
      let target = unsafe try arena.reserve(key.count + payload.count)
      unsafe (key + payload).withUnsafeBytes { unsafe target.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
      arena.commit(keyCount: key.count, payloadCount: payload.count)
    }
    for arena in arenas { arena.finish() }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    if test.count == 9_000 { #expect(arenas.contains { $0.runs.count > 1 }) }
    var found: [Int] = []
    var merge = try KeyMerge(arenas, budget: test.budget)
    unsafe try merge.forEach { entry in
      let keyCount = unsafe SortEntry.keyCount(entry)
      let payload = unsafe UnsafeBufferPointer(start: entry + 8 + keyCount, count: SortEntry.payloadCount(entry))
      let number = Int(String(decoding: unsafe Array(payload), as: UTF8.self)) ?? -1
      if unsafe Array(UnsafeBufferPointer(start: entry + 8, count: keyCount)) == keys[number] { found.append(number) }
    }
    #expect(found == keys.indices.sorted { keys[$0].lexicographicallyPrecedes(keys[$1]) })
  }

  @Test("an entry may be larger than the budget and than any block")
  func large() throws {
    let folder = try TemporaryFolder()
    let arena = KeyArena(budget: 1 << 16, temporaryPath: folder.path + "/sort")
    let sizes = [3, 900_000, 40, 300_000, 70_000, 5]
    for (number, size) in sizes.enumerated() {
      let key = [UInt8](repeating: UInt8(10 - number), count: size)
      let target = unsafe try arena.reserve(size)
      unsafe key.withUnsafeBytes { unsafe target.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
      arena.commit(keyCount: size, payloadCount: 0)
    }
    arena.finish()
    var found: [Int] = []
    var merge = try KeyMerge([arena], budget: 1 << 16)
    unsafe try merge.forEach { entry in unsafe found.append(SortEntry.keyCount(entry)) }
    #expect(found == sizes.reversed())
  }
}
