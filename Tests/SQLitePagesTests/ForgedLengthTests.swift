import Foundation
import TestSupport
import Testing

@testable import SQLitePages

@Suite("Lengths that are not true")
struct ForgedLengthTests {
  /// What reads records.
  enum Reader: CaseIterable {
    case rows, mapped, index, rewriting, check
  }

  private static let pageSize = 512

  /// A table of one row, whose cell says that its record has another length; its overflow chain goes round in a circle.
  private func forged(_ size: UInt64, _ folder: TemporaryFolder) throws -> (path: String, table: UInt32, index: UInt32)
  {
    let path = try folder.database(
      "forged-\(size)",
      """
      PRAGMA page_size = \(Self.pageSize);
      CREATE TABLE T (ID INTEGER PRIMARY KEY, N INTEGER, V TEXT);
      INSERT INTO T VALUES (1, 7, printf('%.*c', 3000, 'x'));
      CREATE INDEX I ON T (V)
      """)
    let table = try TemporaryFolder.root("T", path)
    let index = try TemporaryFolder.root("I", path)
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let start = Int(table - 1) * Self.pageSize
    let geometry = PageGeometry(pageSize: Self.pageSize)
    func number(_ place: Int) -> Int { Int(bytes[place]) << 8 | Int(bytes[place + 1]) }
    let cell = start + number(start + 8)
    // Two bytes of length and one of the row id stand before the record.
    let oldLocal = geometry.localSize(
      Int(bytes[cell] & 0x7F) << 7 | Int(bytes[cell + 1]), maximum: geometry.maximumTableLocal)
    let record = Array(bytes[(cell + 3)..<(cell + 3 + oldLocal)])
    let overflow = Array(bytes[(cell + 3 + oldLocal)..<(cell + 7 + oldLocal)])
    let head = overflow.reduce(0) { $0 << 8 | Int($1) }

    let length = UnsafeMutableRawPointer.allocate(byteCount: 9, alignment: 8)
    defer { unsafe length.deallocate() }
    let count = unsafe Varint.write(size, to: length)
    let local = geometry.localSize(Int(clamping: size), maximum: geometry.maximumTableLocal)
    let padded = record.prefix(local) + [UInt8](repeating: 0x78, count: max(0, local - record.count))
    let forged = unsafe Array(UnsafeRawBufferPointer(start: length, count: count)) + [1] + padded + overflow
    let place = start + Self.pageSize - forged.count
    bytes.replaceSubrange(place..<(start + Self.pageSize), with: forged)
    bytes[start + 8] = UInt8((place - start) >> 8)
    bytes[start + 9] = UInt8((place - start) & 0xFF)
    bytes[start + 5] = bytes[start + 8]
    bytes[start + 6] = bytes[start + 9]
    bytes.replaceSubrange((head - 1) * Self.pageSize..<(head - 1) * Self.pageSize + 4, with: overflow)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return (path, table, index)
  }

  private func read(_ reader: Reader, _ path: String, table: UInt32, index: UInt32) throws {
    switch reader {
    case .rows:
      let rows = try TableTreeReader(path: path, root: table)
      try unsafe rows.forEachRow(inLeaves: 0..<rows.leaves.count) { (_, _) throws(PageError) in }
    case .mapped:
      let mapped = try MappedTable(path: path, root: table)
      let cell = unsafe try mapped.cell(0, 0)
      _ = unsafe try mapped.record(cell, overflow: RecordScratch())
    case .index:
      let shape = IndexShape(name: "I", root: index, columns: [.init(field: 2)])
      try IndexLoader(path: path, memoryBudget: 1 << 20, temporaryPath: path, workers: 1)
        .load([shape], tableRoot: table, replacing: true)
    case .rewriting:
      let file = try DatabaseFile(path: path)
      var rows = RewriteCursor(try TreePages(PageBuffer(file), root: table, isIndex: false), of: file, root: table)
      _ = try rows.advance()
      _ = unsafe try rows.record()
    case .check:
      let problems = try DatabaseCheck(
        path: path,
        trees: [.init(name: "T", root: table, isIndex: false), .init(name: "I", root: index, isIndex: true)], workers: 1
      ).problems()
      if !problems.isEmpty { throw PageError(kind: .malformed, message: problems[0]) }
    }
  }

  @Test("a record that says to be longer than its file is refused by all that read records", arguments: Reader.allCases)
  func longerThanTheFile(reader: Reader) throws {
    let folder = try TemporaryFolder()
    for size in [UInt64(1 << 15), 1 << 20, UInt64(Int32.max), UInt64(Int32.max) + 1, 1 << 40, .max] {
      let (path, table, index) = try forged(size, folder)
      #expect("\(size)") { try read(reader, path, table: table, index: index) } throws: {
        ($0 as? PageError)?.kind == .malformed
      }
    }
  }

  @Test("variable-length integers are read whole, and none beyond its limit")
  func integers() {
    var random = SeededGenerator(seed: 3)
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: 32, alignment: 8)
    defer { unsafe bytes.deallocate() }
    for round in 0..<4000 {
      let value = UInt64.random(in: 0 ... .max, using: &random) >> UInt64(round % 64)
      for place in 0..<32 {
        unsafe bytes.storeBytes(of: UInt8.random(in: 0...255, using: &random), toByteOffset: place, as: UInt8.self)
      }
      let size = unsafe Varint.write(value, to: bytes)
      #expect(size == Varint.size(value))
      for limit in 0...12 {
        let found = unsafe Varint.read(bytes, limit: limit)
        #expect(found.size == (limit < size ? 0 : size))
        if limit >= size { #expect(found.value == value) }
      }
    }
  }
}
