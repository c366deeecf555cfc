import TestSupport
import Testing

@testable import SeedFormats

@Suite("CSV as machines write it")
struct PlainCSVTwinTests {
  static let words = ["", "a", "7", "abcdefg", "12:30:00", "é語", "a longer text of many bytes", "😀", "\u{7F}"]

  static let quotedWords = [
    "\"\"", "\"a\"", "\"one, two\"", "\"12:30:00\"", "\"say \"\"é\"\"\"", "\"\"\"\"",
    "\"a longer text, of many bytes\"",
  ]
  /// Quotes where machines do not write them, and line ends between them.
  static let oddWords = ["5\" pipe", "\"a\"b", "\"a\nb\"", "\"c\r\n\"", "\"d\re\"", "x\""]

  /// Records as machines write them, a few of them ragged or blank.
  static func randomText(_ random: inout SeededGenerator, columnCount: Int, delimiter: String) -> String {
    let lineEnd = Bool.random(using: &random) ? "\n" : "\r\n"
    let isASCII = Bool.random(using: &random)
    var usable = isASCII ? [0, 1, 2, 3, 4, 6, 8].map { words[$0] } : words
    if Bool.random(using: &random) { usable += quotedWords }
    if Int.random(in: 0..<6, using: &random) == 0 { usable += oddWords }
    let isRagged = Int.random(in: 0..<3, using: &random) == 0
    var text = ""
    for _ in 0..<Int.random(in: 0...60, using: &random) {
      var count = columnCount
      if isRagged, Int.random(in: 0..<8, using: &random) == 0 { count = Int.random(in: 0...7, using: &random) }
      let fields = (0..<count).map { _ in usable[Int.random(in: 0..<usable.count, using: &random)] }
      text += fields.joined(separator: delimiter) + lineEnd
    }
    // The last line end may miss, and a text may be cut off anywhere.
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1: if !text.isEmpty { text.removeLast() }
    case 2: text = String(text.prefix(Int.random(in: 0...text.count, using: &random)))
    default: break
    }
    return text
  }

  @Test("the scanner and its slow twin make the same of it, wherever it is split", arguments: 0..<6)
  func agree(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed) + 500)
    for round in 0..<40 {
      var options = FormatOptions.csv
      options.hasHeader = false
      options.delimiter = Bool.random(using: &random) ? 0x2C : 0x09
      let columns = Array(["a", "b", "c", "d", "e"].prefix(Int.random(in: 1...5, using: &random)))
      options.columns = columns
      let delimiter = options.delimiter == 0x2C ? "," : "\t"
      let bytes = Array(Self.randomText(&random, columnCount: columns.count, delimiter: delimiter).utf8)
      let names = columns.reversed() + ["", "#1"]
      let indexes = (0..<columns.count).reversed() + [-1, 0]
      let expected = SlowCSV(bytes: bytes, options: options, columnCount: columns.count).events(projection: indexes)
      for blockSize in [Int.random(in: 1...40, using: &random), Int.random(in: 64...300, using: &random), 1 << 16] {
        let maximumRecords = Int.random(in: 1...50, using: &random)
        let found = eventsScannedApart(
          bytes, options, names, blockSize: blockSize, maximumRecords: maximumRecords)
        guard found != expected else { continue }
        let text = String(decoding: bytes, as: UTF8.self).debugDescription
        Issue.record("seed \(seed), round \(round), block \(blockSize), \(columns.count) columns: \(text)\n\(found)")
        return
      }
    }
  }

  /// What a scanner made of a batch, with all that a message may say.
  struct Outcome: Equatable {
    var fields: [FieldSlice]
    var places: [RecordPlace]
    var faults: [UnreadableRecord]
    var failure: SeedFormatError?

    init(_ batch: RecordBatch) {
      fields = unsafe Array(batch.fields)
      places = (0..<batch.count).map { batch.place(ofRecord: $0) }
      faults = batch.faults
      failure = batch.failure
    }
  }

  @Test("the scanner of plain text and that of any text agree to the last offset", arguments: 0..<4)
  func scanners(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed) + 700)
    var plainCount = 0
    for _ in 0..<60 {
      var options = FormatOptions.csv
      options.hasHeader = false
      options.columns = ["a", "b", "c"]
      if Int.random(in: 0..<4, using: &random) == 0 { options.limits.recordBytes = 40 }
      let bytes = Array(Self.randomText(&random, columnCount: 3, delimiter: ",").utf8)
      var outcomes: [Outcome] = []
      for isPlain in [true, false] {
        // Refused when the first record is too long.
        let reader = try? RecordReader(
          source: MemorySource(bytes), options: options, projection: ["c", "a", ""], file: "seed")
        let batch = RecordBatch(fieldCount: 3)
        guard let reader, try reader.read(batch) else { continue }
        let plan = try #require(batch.raw.plan)
        let scanner = CSVBatchScanner(plan: plan)
        batch.reserve(records: batch.raw.maximumRecords)
        var suits = true
        do throws(SeedFormatError) {
          if isPlain { suits = try scanner.scanPlain(batch) } else { try scanner.scanAny(batch) }
        } catch {
          batch.end(with: error)
        }
        guard suits else { break }
        plainCount += 1
        outcomes.append(Outcome(batch))
      }
      #expect(outcomes.isEmpty || outcomes[0] == outcomes[1])
    }
    #expect(plainCount > 50)
  }

  @Test("a record longer than the limit ends the input at its place, after the records before it")
  func tooLong() throws {
    var options = FormatOptions.csv
    options.limits.recordBytes = 10
    let error = try #require(failure("a,b\n1,2\n\n12345,67890\n3,4\n", options, ["a"]))
    #expect(error.code == "csv.record-too-long")
    #expect(error.line == 4)
    #expect(error.column == 1)
    #expect(error.byteOffset == 9)
    #expect(texts("a,b\n1,2\n\n12345,67890\n3,4\n", options, ["a"]) == [["1"], ["failure csv.record-too-long"]])
  }
}
