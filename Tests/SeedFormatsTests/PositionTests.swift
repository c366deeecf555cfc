import SeedFormats
import Testing

@Suite("Positions")
struct PositionTests {
  private func batch(_ text: String, _ options: FormatOptions, _ projection: [String]) throws -> RecordBatch {
    let reader = try RecordReader(
      source: MemorySource(Array(text.utf8), blockSize: 5), options: options, projection: projection)
    let batch = RecordBatch(fieldCount: projection.count)
    #expect(try reader.next(batch))
    return batch
  }

  @Test("a CSV field has the line and column where it is written")
  func csv() throws {
    let batch = try batch("a,b,c\n1,2,3\n\"é\r\nx\",\"\"\"語\",z\n", .csv, ["a", "b", "c"])
    let place = batch.place(ofRecord: 1)
    #expect(place.line == 3)
    #expect(place.byteOffset == 12)
    let positions = (0..<3).map { batch.position(of: batch.field($0, ofRecord: 1).rawOffset, in: place) }
    #expect(positions.map(\.line) == [3, 4, 4])
    #expect(positions.map(\.column) == [1, 4, 10])
    #expect(batch.position(of: batch.field(1, ofRecord: 0).rawOffset, in: batch.place(ofRecord: 0)).column == 3)
  }

  @Test("records of a JSON document have columns, on one line or many")
  func json() throws {
    let batch = try batch("[{\"é\":1}, {\"a\":2},\n  {\"b\":0,\n\"a\":3}]", .json, ["a"])
    #expect((0..<3).map { batch.place(ofRecord: $0).line } == [1, 1, 2])
    #expect((0..<3).map { batch.place(ofRecord: $0).column } == [2, 11, 3])
    let place = batch.place(ofRecord: 2)
    let position = batch.position(of: batch.field(0, ofRecord: 2).rawOffset, in: place)
    #expect(position.line == 3)
    #expect(position.column == 5)
  }
}
