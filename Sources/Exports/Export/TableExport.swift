import ObjectModel
import Pipelines
import SeedFormats
import StoreInterface

/// Shows row batches as a table for people: columns as wide as the values of the first rows, numbers to the right.
///
/// Control characters of values are made harmless. A missing value is `NULL`; a long value is cut, and ends with `…`.
final class TableExport: RowBatchWriter {
  /// Longer values are cut, in columns of the screen.
  static let longestValue = 60
  /// How many rows the widths are taken from; so many are held back.
  private static let measuredRows = 1_000

  private let columns: [ExportColumn]
  private let show: (String) -> Void
  private var widths: [Int]
  private var held: [[String]] = []
  private var hasBegun = false

  init(_ columns: [ExportColumn], show: @escaping (String) -> Void) {
    self.columns = columns
    self.show = show
    widths = columns.map { TextWidth.of(HarmlessText.line($0.name)) }
  }

  func write(_ batch: RowBatch) throws {
    let cells = try columns.indices.map { try texts(batch, $0) }
    var lines: [String] = []
    for row in 0..<batch.count {
      let values = cells.map { $0[row] }
      if hasBegun { lines.append(line(values)) } else { held.append(values) }
      if held.count == Self.measuredRows { begin() }
    }
    if !lines.isEmpty { show(lines.joined(separator: "\n")) }
  }

  func finish() throws {
    if !hasBegun { begin() }
  }

  /// Shows the head and the rows that were held back.
  private func begin() {
    hasBegun = true
    for values in held {
      for (column, value) in values.enumerated() { widths[column] = max(widths[column], TextWidth.of(value)) }
    }
    let rule = widths.map { String(repeating: "-", count: $0) }.joined(separator: "  ")
    let lines = [line(columns.map { HarmlessText.line($0.name) }), rule] + held.map { line($0) }
    held = []
    show(lines.joined(separator: "\n"))
  }

  private func line(_ values: [String]) -> String {
    var text = ""
    for (column, value) in values.enumerated() {
      let padding = String(repeating: " ", count: max(widths[column] - TextWidth.of(value), 0))
      let isLast = column + 1 == values.count
      text += isNumber(column) ? padding + value : value + (isLast ? "" : padding)
      if !isLast { text += "  " }
    }
    return text
  }

  private func isNumber(_ column: Int) -> Bool {
    switch columns[column].attribute.type {
    case .integer16, .integer32, .integer64, .double, .float, .decimal: true
    case .boolean, .string, .date, .uuid, .uri, .binary, .transformable, .undefined, .objectID, .composite: false
    }
  }

  /// The values of a column as texts.
  private func texts(_ batch: RowBatch, _ column: Int) throws -> [String] {
    let type = columns[column].attribute.type
    return try (0..<batch.count).map { row in
      // Safety: the batch has the columns of the export in this order, and their storage follows from their types.
      guard unsafe batch.states[column][row] == RowBatch.State.value.rawValue else { return "NULL" }
      switch type {
      case .integer16, .integer32, .integer64: return String(unsafe batch.integers(column)[row])
      case .boolean: return unsafe batch.integers(column)[row] != 0 ? "true" : "false"
      case .double, .float: return try Self.text(unsafe batch.reals(column)[row])
      case .string, .uri, .decimal:
        return Self.shortened(unsafe String(decoding: batch.cellBytes(column, row), as: UTF8.self))
      case .date, .uuid, .binary, .transformable, .undefined, .objectID, .composite:
        return Self.shortened(RenderedCells.text(batch, column, row, type))
      }
    }
  }

  /// The number as CSV has it.
  private static func text(_ number: Double) throws -> String {
    let sink = MemorySink()
    let writer = CSVWriter(sink: sink)
    writer.field(number)
    try writer.finish()
    return String(decoding: sink.bytes, as: UTF8.self)
  }

  private static func shortened(_ text: String) -> String {
    // A text that is far too long is not measured as a whole.
    let line = HarmlessText.line(String(text.prefix(longestValue + 1)))
    if TextWidth.of(line) <= longestValue, text.count <= longestValue { return line }
    var short = ""
    var width = 0
    for character in line {
      width += TextWidth.of(character)
      if width > longestValue - 1 { break }
      short.append(character)
    }
    return short + "…"
  }
}

/// How many columns of a screen a text takes.
enum TextWidth {
  static func of(_ text: String) -> Int {
    text.utf8.count == text.unicodeScalars.count ? text.utf8.count : text.reduce(0) { $0 + of($1) }
  }

  /// Two for what East Asian scripts and pictures take, otherwise one.
  static func of(_ character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    if scalar.properties.isEmojiPresentation { return 2 }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }
}
