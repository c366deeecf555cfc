import SeedFormats
import TestSupport
import Testing

@Suite("The CSV scanner and its slow twin")
struct CSVTwinTests {
  /// Pieces that random files are made of; some long enough to fill whole words.
  static let pieces: [[UInt8]] =
    [
      ",", ",", ",", "\"", "\"", "\"\"", "\n", "\n", "\r", "\r\n", "a", "bc", " ", "\t", ";", "#", "\\", "é", "語", "😀",
      "abcdefgh", "0123456789abcdefg", "\",\"", ",\"x\"\n", "\u{1}", "-", "\"\n",
    ].map { Array($0.utf8) } + [[0], [0xFF], [0xC3], [0xED, 0xA0, 0x80]]

  static func randomBytes(_ random: inout SeededGenerator, rareAreAllowed: Bool) -> [UInt8] {
    var bytes: [UInt8] = Int.random(in: 0..<20, using: &random) == 0 ? [0xEF, 0xBB, 0xBF] : []
    let usable = rareAreAllowed ? pieces.count : pieces.count - 4
    for _ in 0..<Int.random(in: 0...40, using: &random) {
      bytes += pieces[Int.random(in: 0..<usable, using: &random)]
    }
    return bytes
  }

  static func randomOptions(_ random: inout SeededGenerator) -> FormatOptions {
    var options = FormatOptions.csv
    options.hasHeader = false
    options.encoding = .utf8
    options.compression = .none
    options.delimiter = [0x2C, 0x2C, 0x3B, 0x09][Int.random(in: 0..<4, using: &random)]
    options.quote = Int.random(in: 0..<6, using: &random) == 0 ? nil : 0x22
    options.escape = Int.random(in: 0..<4, using: &random) == 0 ? 0x5C : nil
    options.comment = Int.random(in: 0..<3, using: &random) == 0 ? 0x23 : nil
    let columns = ["a", "b", "c", "d"]
    options.columns = Array(columns.prefix(Int.random(in: 1...4, using: &random)))
    return options
  }

  @Test("both make the same of random bytes, wherever blocks and batches are split", arguments: 0..<8)
  func agree(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    for round in 0..<400 {
      let options = Self.randomOptions(&random)
      let bytes = Self.randomBytes(&random, rareAreAllowed: round % 2 == 0)
      let names = (options.columns ?? []) + ["", "#1"]
      let indexes = Array(0..<names.count - 2) + [-1, 0]
      let expected = SlowCSV(bytes: bytes, options: options, columnCount: names.count - 2).events(projection: indexes)
      let blockSize = Int.random(in: 1...17, using: &random)
      let maximumRecords = Int.random(in: 1...9, using: &random)
      let found = events(bytes, options, names, blockSize: blockSize, maximumRecords: maximumRecords)
      let apart = eventsScannedApart(bytes, options, names, blockSize: blockSize, maximumRecords: maximumRecords)
      guard found != expected || apart != expected else { continue }
      let text = String(decoding: bytes, as: UTF8.self).debugDescription
      Issue.record("seed \(seed), round \(round), block \(blockSize), \(options): \(text)\n\(found)\n\(expected)")
      return
    }
  }

  @Test("every split position of a file gives the same records", arguments: 1...17)
  func splits(blockSize: Int) {
    let text = "name,note\r\n\"a \"\"b\"\"\",\"x\r\ny\"\r\rc,é\n\"\",\"語,\"\n"
    let found = events(Array(text.utf8), .csv, ["note", "name"], blockSize: blockSize)
    let whole = events(Array(text.utf8), .csv, ["note", "name"])
    #expect(found == whole)
    #expect(whole.count == 3)
  }
}
