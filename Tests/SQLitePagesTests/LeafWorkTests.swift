import Foundation
import SQLite
import TestSupport
import Testing

@testable import SQLitePages

@Suite("Leaves filled by several workers")
struct LeafWorkTests {
  struct Case: CustomStringConvertible, Sendable {
    var seed: UInt64
    var pageSize: Int
    var longest: Int
    var isAppended: Bool
    var description: String {
      "pages of \(pageSize), records up to \(longest) bytes, \(isAppended ? "behind others" : "new"), seed \(seed)"
    }
  }

  static let cases: [Case] = (0..<24).map { seed in
    let pageSize = [512, 1024, 2048, 4096, 16_384, 65_536][seed % 6]
    return Case(
      seed: UInt64(seed), pageSize: pageSize,
      // Short ones, some that just need overflow pages, and few that are far too long.
      longest: [1, 40, pageSize, 3 * pageSize][seed / 6 % 4], isAppended: seed % 4 == 3)
  }

  /// Batches of records as encoders hand them over, with ids that follow each other within a batch.
  private static func batches(_ test: Case) -> [(first: Int64, bytes: [UInt8], ends: [Int], sum: Int)] {
    var random = SeededGenerator(seed: test.seed)
    // Ids of every length.
    var next = [Int64(1), 100, 16_000, 2_097_000, 1 << 40][Int(test.seed) % 5]
    return (0..<3).map { _ in
      let count = [1, 1_023, 1_024, 3_000].randomElement(using: &random) ?? 1
      var bytes: [UInt8] = []
      var ends: [Int] = []
      // Every record counts with its place.
      var sum = 0
      for _ in 0..<count {
        let isLong = Int.random(in: 0..<400, using: &random) == 0
        let length = Int.random(in: 0...(isLong ? test.longest : min(test.longest, 60)), using: &random)
        bytes += TestRecord.encode([.null, .blob([UInt8](repeating: UInt8(length & 0xFF), count: length))])
        ends.append(bytes.count)
        sum += length * ends.count
      }
      defer { next += Int64(count) + Int64.random(in: 0...3, using: &random) }
      return (next, bytes, ends, sum)
    }
  }

  @Test("the file is the same as with one, and what SQLite reads are the rows", arguments: cases)
  func workers(test: Case) throws {
    let folder = try TemporaryFolder()
    let batches = Self.batches(test)
    var files: [Data] = []
    for workers in [1, 2, 5] {
      let path = try folder.database(
        "\(workers)",
        "PRAGMA page_size = \(test.pageSize); PRAGMA auto_vacuum = 2; CREATE TABLE T (ID INTEGER PRIMARY KEY, A)")
      if test.isAppended {
        try Connection(path: path).execute("INSERT INTO T VALUES (-3, zeroblob(30)), (-1, zeroblob(9000))")
      }
      let file = try DatabaseFile(path: path)
      let root = try TemporaryFolder.root("T", path)
      let writer = try TableTreeWriter(file: file, root: root, after: test.isAppended ? -1 : nil, workers: workers)
      for batch in batches {
        try unsafe batch.bytes.withUnsafeBytes { bytes in
          try unsafe batch.ends.withUnsafeBufferPointer { ends in
            guard let base = bytes.baseAddress, let first = ends.baseAddress else { return }
            try unsafe writer.append(firstRowID: batch.first, payloads: base, ends: first, count: ends.count)
          }
        }
      }
      try writer.finish()
      try file.finish()
      files.append(try Data(contentsOf: URL(fileURLWithPath: path)))
      let connection = try Connection(path: path)
      #expect(try connection.string("PRAGMA integrity_check") == "ok")
      let count = batches.reduce(test.isAppended ? 2 : 0) { $0 + $1.ends.count }
      #expect(try connection.integer("SELECT count(*) FROM T") == Int64(count))
      for batch in batches {
        let sum = try connection.integer(
          "SELECT sum(length(A) * (ID - \(batch.first) + 1)) FROM T "
            + "WHERE ID BETWEEN \(batch.first) AND \(batch.first + Int64(batch.ends.count) - 1)")
        #expect(sum == Int64(batch.sum))
      }
    }
    #expect(files.dropFirst().allSatisfy { $0 == files[0] })
  }
}
