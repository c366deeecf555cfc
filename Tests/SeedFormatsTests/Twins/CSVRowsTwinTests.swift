import SeedFormats
import TestSupport
import Testing

/// Records of whole columns against the writer's cell-by-cell way, and numbers against Swift's own descriptions.
@Suite("Columns to CSV")
struct CSVRowsTwinTests {
  private enum Cell {
    case empty
    case integer(Int64)
    case real(Double)
    case boolean(Bool)
    case text([UInt8])
  }

  @Test("columns give the bytes that cells give", arguments: 0..<120)
  func twin(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var options = CSVWriter.Options()
    options.delimiter = [0x2C, 0x09, 0x3B, 0x27].randomElement(using: &random) ?? 0x2C
    options.endsLinesWithCRLF = Bool.random(using: &random)
    options.safeForSpreadsheets = Bool.random(using: &random)
    let width = Int.random(in: 1...4, using: &random)
    let rows = seed % 10 == 0 ? 3_000 : Int.random(in: 0...(seed % 10 == 5 ? 4 : 50), using: &random)
    // A text may be longer than the writer's whole buffer.
    let longest = seed % 10 == 5 ? 70_000 : 24
    let kinds = (0..<width).map { _ in Int.random(in: 0...3, using: &random) }
    let table = (0..<rows).map { _ in kinds.map { Self.cell($0, longest: longest, &random) } }

    let slow = MemorySink()
    let slowWriter = CSVWriter(sink: slow, options: options)
    for row in table {
      for cell in row {
        switch cell {
        case .empty: slowWriter.emptyField()
        case .integer(let number): slowWriter.field(number)
        case .real(let number): slowWriter.field(number)
        case .boolean(let flag): slowWriter.field(flag ? "true" : "false")
        case .text(let text): unsafe text.withUnsafeBytes { unsafe slowWriter.field($0) }
        }
      }
      try slowWriter.endRecord()
    }
    try slowWriter.finish()

    let fast = MemorySink()
    let fastWriter = CSVWriter(sink: fast, options: options)
    let columns = (0..<width).map { column in Column(kinds[column], table.map { $0[column] }) }
    let cells = columns.map(\.cells)
    try fastWriter.records(cells, count: rows)
    try fastWriter.finish()
    columns.forEach { $0.deallocate() }
    #expect(fast.bytes == slow.bytes)
  }

  private static func cell(_ kind: Int, longest: Int, _ random: inout SeededGenerator) -> Cell {
    if Int.random(in: 0...4, using: &random) == 0 { return .empty }
    switch kind {
    case 0: return .integer(Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0...63, using: &random))
    case 1: return .real(Self.number(&random))
    case 2: return .boolean(Bool.random(using: &random))
    default:
      let pieces = Array("aabcdefgh01é,;\t\"\n\r=+-@\u{1}\u{7F}\u{AC}".utf8)
      let count = Int.random(in: 0...longest, using: &random)
      let isPlain = Bool.random(using: &random)
      return .text(
        (0..<count).map { _ in isPlain ? 0x61 : pieces[Int.random(in: 0..<pieces.count, using: &random)] })
    }
  }

  /// Numbers as data has them, and any bits at all.
  private static func number(_ random: inout SeededGenerator) -> Double {
    switch Int.random(in: 0...4, using: &random) {
    case 0: return Double(bitPattern: UInt64.random(in: 0 ... .max, using: &random))
    case 1: return Double(Int.random(in: -200_000_000...200_000_000, using: &random)) / 1e6
    case 2: return Double(Int.random(in: -1_000...1_000, using: &random)) / 10
    case 3: return Double(Int.random(in: 0...100_000_000, using: &random)) * 0.001
    default:
      return [0, -0.0, 1e-3, 9.99e-4, 1e8, 99_999_999.99999999, 0.1 + 0.2, 1e15, .leastNonzeroMagnitude][
        Int.random(in: 0..<9, using: &random)]
    }
  }

  @Test("numbers have the digits of their description")
  func numbers() throws {
    var random = SeededGenerator(seed: 11)
    let numbers = (0..<20_000).map { _ in Self.number(&random) }
    let sink = MemorySink()
    let writer = CSVWriter(sink: sink)
    for number in numbers {
      writer.field(number)
      try writer.endRecord()
    }
    try writer.finish()
    #expect(sink.text == numbers.map { $0.description + "\n" }.joined())
  }

  /// Cells in memory, laid out as the writer takes them.
  @safe private struct Column {
    let states: UnsafeMutablePointer<UInt8>
    let raw: UnsafeMutableRawPointer
    let text: UnsafeMutableRawPointer
    let kind: CellColumn.Kind

    init(_ kind: Int, _ values: [Cell]) {
      self.kind = [.integer, .real, .boolean, .text][kind]
      unsafe states = .allocate(capacity: values.count + 1)
      unsafe raw = .allocate(byteCount: values.count * 8 + 8, alignment: 8)
      var texts: [UInt8] = []
      for (row, value) in values.enumerated() {
        unsafe states[row] = 2
        switch value {
        case .empty: unsafe states[row] = UInt8(row % 2)
        case .integer(let number): unsafe raw.storeBytes(of: number, toByteOffset: row * 8, as: Int64.self)
        case .real(let number): unsafe raw.storeBytes(of: number, toByteOffset: row * 8, as: Double.self)
        case .boolean(let flag): unsafe raw.storeBytes(of: flag ? 1 : 0, toByteOffset: row * 8, as: Int64.self)
        case .text(let text):
          unsafe raw.storeBytes(of: UInt32(texts.count), toByteOffset: row * 8, as: UInt32.self)
          unsafe raw.storeBytes(of: UInt32(text.count), toByteOffset: row * 8 + 4, as: UInt32.self)
          texts += text
        }
      }
      unsafe text = .allocate(byteCount: texts.count + 1, alignment: 8)
      unsafe texts.withUnsafeBytes { source in
        if let start = source.baseAddress { unsafe text.copyMemory(from: start, byteCount: source.count) }
      }
    }

    var cells: CellColumn {
      unsafe CellColumn(kind: kind, states: states, valueState: 2, cells: raw, text: text)
    }

    func deallocate() {
      unsafe states.deallocate()
      unsafe raw.deallocate()
      unsafe text.deallocate()
    }
  }
}
