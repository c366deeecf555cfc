import Foundation
import TestSupport
import Testing

@testable import ImportEngine
@testable import Pipelines

@Suite("References kept on disk")
struct PendingReferenceFileTests {
  private func reference(_ number: Int, _ generator: inout SeededGenerator, bytes: Int) -> PendingReference {
    PendingReference(
      step: number % 3, node: number % 5, reference: number % 2,
      row: RowReference(primaryKey: Int64(number), entityIndex: number % 7),
      recordRows: (0..<number % 4).map { RowReference(primaryKey: Int64(number + $0), entityIndex: $0) },
      key: (0..<number % 30).map { _ in UInt8.random(in: 0...255, using: &generator) },
      matchKeyHash: UInt64(number) << 33, file: number % 2, line: number, column: 3, byteOffset: number << 20,
      pointer: number % 2 == 0 ? "" : "/venues/\(number)/ü",
      record: Array(repeating: UInt8(number & 255), count: bytes))
  }

  @Test("they come back in order and whole, small ones and some larger than the buffer")
  func roundTrip() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("pending")
    var generator = SeededGenerator(seed: 5)
    do {
      let pending = PendingReferenceFile(path: path)
      var expected: [PendingReference] = []
      for number in 0..<2000 {
        let bytes = number % 500 == 7 ? 700_000 : Int.random(in: 0...300, using: &generator)
        expected.append(reference(number, &generator, bytes: bytes))
        try pending.append(expected[number])
        if number == 1000 {
          // Reading half-way does not disturb what is appended afterwards.
          var count = 0
          try pending.forEach { _ in count += 1 }
          #expect(count == 1001)
        }
      }
      #expect(pending.count == 2000)
      #expect(pending.matchKeyHashes.count == 1999)
      #expect(!pending.isEmpty)
      for _ in 0..<2 {
        var index = 0
        try pending.forEach { read throws(RunError) in
          expect(read, equals: expected[index])
          index += 1
        }
        #expect(index == 2000)
      }
      #expect(FileManager.default.fileExists(atPath: path))
    }
    #expect(!FileManager.default.fileExists(atPath: path), "the file goes with its object")
  }

  private func expect(_ read: PendingReference, equals expected: PendingReference) {
    #expect(read.step == expected.step && read.node == expected.node && read.reference == expected.reference)
    #expect(read.row == expected.row && read.recordRows == expected.recordRows)
    #expect(read.key == expected.key && read.pointer == expected.pointer)
    #expect(read.file == expected.file && read.line == expected.line && read.column == expected.column)
    #expect(read.byteOffset == expected.byteOffset)
    #expect(read.record == expected.record)
  }

  @Test("none means no file")
  func empty() throws {
    let folder = try TemporaryFolder()
    let pending = PendingReferenceFile(path: folder.path("pending"))
    try pending.forEach { _ throws(RunError) in Issue.record("there is none") }
    #expect(pending.isEmpty)
    #expect(try folder.names().isEmpty)
  }

  @Test("a file that cannot be made is an input/output error")
  func failure() throws {
    let folder = try TemporaryFolder()
    let pending = PendingReferenceFile(path: folder.path("missing/pending"))
    var generator = SeededGenerator(seed: 6)
    let error = #expect(throws: RunError.self) {
      try pending.append(reference(1, &generator, bytes: 1 << 19))
    }
    #expect(error?.kind == .inputOutput)
  }
}
