import SeedFormats
import Testing

@Suite("Members of JSON objects")
struct JSONMembersTests {
  private final class Bytes: BlockSource {
    private var left: [UInt8]
    init(_ text: String) { left = Array(text.utf8) }
    func read(into target: UnsafeMutableRawBufferPointer) throws(SeedFormatError) -> Int {
      let count = min(left.count, target.count)
      unsafe target.copyBytes(from: left.prefix(count))
      left.removeFirst(count)
      return count
    }
  }

  private static func members(_ object: String) throws -> [String] {
    let reader = try RecordReader(source: Bytes("[\(object)]"), options: .json, projection: [""])
    let batch = RecordBatch(fieldCount: 1)
    guard try reader.next(batch) else { return [] }
    var slices: [FieldSlice] = []
    try JSONFields(projection: []).members(of: batch.field(0, ofRecord: 0), in: batch, into: &slices)
    return slices.map { batch.text(of: $0) }
  }

  @Test(
    "keys and values come in order, unescaped, repeated ones too",
    arguments: [
      ("{}", []), (#"{"a":1}"#, ["a", "1"]),
      (#"{ "a" : "x" , "b" : [1, {"c": 2}] }"#, ["a", "x", "b", #"[1, {"c": 2}]"#]),
      (#"{"k\u0041\n":"\u00e9\"","":null,"t":true}"#, ["kA\n", "é\"", "", "null", "t", "true"]),
      (#"{"a":1,"a":{"a":2}}"#, ["a", "1", "a", #"{"a":2}"#]), (#"{"名":"前"}"#, ["名", "前"]),
    ])
  func members(object: String, expected: [String]) throws {
    #expect(try Self.members(object) == expected)
  }

  @Test("what is no object is an error", arguments: ["[1]", "5", "\"x\""])
  func others(value: String) throws {
    #expect(throws: SeedFormatError.self) { try Self.members(value) }
  }
}
