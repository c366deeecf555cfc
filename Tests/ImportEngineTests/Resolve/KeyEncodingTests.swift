import ObjectModel
import StoreInterface
import TestSupport
import Testing

@testable import ImportEngine

@Suite("Natural keys as bytes")
struct KeyEncodingTests {
  /// A cell of a random key; nil is null.
  private enum Part: Hashable {
    case integer(Int64)
    case real(UInt64)
    case bytes([UInt8])
    case missing
  }

  private func model() throws -> Entity {
    var thing = EntityDefinition("Thing")
    thing.attributes = [
      AttributeDefinition("a", .integer64), AttributeDefinition("b", .string), AttributeDefinition("c", .double),
      AttributeDefinition("d", .string),
    ]
    return try #require(try ManagedObjectModel(entities: [thing])["Thing"])
  }

  private func put(_ part: Part, _ batch: RowBatch, _ column: Int, _ row: Int) {
    unsafe batch.states[column][row] = RowBatch.State.value.rawValue
    switch part {
    case .integer(let value): unsafe batch.integers(column)[row] = value
    case .real(let bits): unsafe batch.reals(column)[row] = Double(bitPattern: bits)
    case .bytes(let bytes):
      unsafe bytes.withUnsafeBytes { raw in
        let base = unsafe raw.baseAddress ?? UnsafeRawPointer(batch.arena)
        unsafe batch.slices(column)[row] = unsafe batch.append(base, count: raw.count)
      }
    case .missing: unsafe batch.states[column][row] = RowBatch.State.null.rawValue
    }
  }

  @Test(
    "two keys have the same bytes only if all their parts are equal",
    arguments: [[0], [1], [2], [0, 1], [1, 0], [1, 3], [1, 2, 3], [3, 1, 0, 2]])
  func injective(_ columns: [Int]) throws {
    let entity = try model()
    let storages: [RowBatch.Storage] = [.integer, .bytes, .real, .bytes]
    let rows = 4000
    let batch = RowBatch(
      entity: entity,
      columns: zip(["a", "b", "c", "d"], storages).map { RowBatch.Column(.attribute($0), $1) }, capacity: rows)
    batch.count = rows
    var generator = SeededGenerator(seed: UInt64(columns.count))
    var byEncoding: [[UInt8]: [Part]] = [:]
    var byParts: [[Part]: [UInt8]] = [:]
    for row in 0..<rows {
      var parts: [Part] = []
      for column in 0..<4 {
        // Texts of few bytes, among them those that a length or a number begins with.
        let text = (0..<Int.random(in: 0...3, using: &generator)).map { _ -> UInt8 in
          [0, 1, 2, 8, 97].randomElement(using: &generator) ?? 0
        }
        var part: Part =
          switch column {
          case 0: .integer(Int64.random(in: -2...2, using: &generator))
          case 2: .real([0, 0x8000_0000_0000_0000, 1, 97].randomElement(using: &generator) ?? 0)
          default: .bytes(text)
          }
        if Int.random(in: 0..<20, using: &generator) == 0 { part = .missing }
        put(part, batch, column, row)
        // Both zeros are one number.
        parts.append(part == .real(0x8000_0000_0000_0000) ? .real(0) : part)
      }
      let key = columns.map { parts[$0] }
      let before: [UInt8] = [1, 2, 3]
      var buffer = before
      let result = KeyEncoding.append(columns, of: batch, row: row, to: &buffer)
      let missing = key.count { $0 == .missing }
      switch result {
      case .key:
        #expect(missing == 0)
        let encoding = Array(buffer.dropFirst(3))
        #expect(byEncoding[encoding, default: key] == key)
        #expect(byParts[key, default: encoding] == encoding)
        byEncoding[encoding] = key
        byParts[key] = encoding
      case .noKey:
        #expect(missing == columns.count)
        #expect(buffer == before)
      case .incomplete:
        #expect(missing > 0 && missing < columns.count)
        #expect(buffer == before)
      }
    }
    #expect(!byEncoding.isEmpty)
  }
}
