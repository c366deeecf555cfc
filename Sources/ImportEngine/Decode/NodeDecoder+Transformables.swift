import Foundation
import ObjectGraph
import ObjectModel
import Pipelines
import PropertyLists
import SeedFormats
import StoreInterface

// Safety: `cell.column` and `row` are within the batch that the decoder fills, and `slice` is one of its table's. The
// stored bytes are copied to the batch.
extension NodeDecoder {
  /// Whether a text, such as a field of CSV, is for a Transformable attribute and looks like a JSON array or object.
  func mayBeStructured(_ text: UnsafeRawBufferPointer, _ cell: CellPlan) -> Bool {
    guard cell.attribute.type == .transformable, !cell.isRestored else { return false }
    return unsafe text.first == UInt8(ascii: "[") || text.first == UInt8(ascii: "{")
  }

  /// Stores a JSON array or object in a Transformable attribute, as its transformer has it: an archive, unless the
  /// program registered another one. Other attributes take no such field.
  func decodeStructured(
    _ cell: CellPlan, _ slice: FieldSlice, slot: Int, row: Int, into batch: RowBatch
  ) -> RowBatch.State {
    guard cell.attribute.type == .transformable, !cell.isRestored else {
      unsafe note(.isStructured, cell, row: row, slot: slot, text: table.text(of: slice))
      return .null
    }
    let shown = unsafe table.text(of: slice)
    unsafe put(cell, shown, batch: batch, row: row, slot: slot) {
      let bytes = unsafe Array(table.bytes(of: slice))
      // The scanner has checked the fields of JSON.
      if slice.kind == .string { return try JSONContentReader.content(ofText: bytes) }
      var reader = JSONContentReader(bytes)
      return try reader.content()
    }
    return unsafe RowBatch.State(rawValue: batch.states[cell.column][row]) ?? .null
  }

  /// Stores the JSON array or object that an expression gives as a text, such as `coalesce(tags, labels)` of two such
  /// fields.
  func put(json text: String, _ cell: CellPlan, batch: RowBatch, row: Int, slot: Int?) {
    unsafe put(cell, text, batch: batch, row: row, slot: slot) {
      try JSONContentReader.content(ofText: Array(text.utf8))
    }
  }

  /// Stores the list that an expression gives, as the attribute's transformer has it. The planner lets lists go to
  /// Transformable attributes only.
  func put(_ elements: [RecordExpressionValue], _ cell: CellPlan, batch: RowBatch, row: Int, slot: Int?) {
    let shown = elements.map(\.text).joined(separator: ", ")
    unsafe put(cell, shown, batch: batch, row: row, slot: slot) { .list(elements.map(ArchivedContent.init)) }
  }

  /// - Parameter shown: the value, for a message.
  private func put(
    _ cell: CellPlan, _ shown: String, batch: RowBatch, row: Int, slot: Int?, _ content: () throws -> ArchivedContent
  ) {
    do {
      let data = try AttributeTransformers.transformer(of: cell.attribute).data(fromAny: content().anyValue)
      unsafe put(data, cell, batch: batch, row: row, slot: slot)
    } catch {
      unsafe batch.states[cell.column][row] = RowBatch.State.null.rawValue
      unsafe note(
        RecordProblem(
          rawOffset: table.rawOffset(Int(entries[row]), slot: slot), property: cell.property,
          code: "value.not-transformable", value: shown,
          message: "\(plan.entity.name).\(cell.property) cannot take this value: \(error)",
          hint: "mend the value, or raise rejects.limit"), row: row)
    }
  }
}

extension ArchivedContent {
  /// What an expression gave, as an element of a list.
  fileprivate init(_ value: RecordExpressionValue) {
    self =
      switch value {
      case .absent, .null: .null
      case .string(let text): .string(text)
      case .integer(let integer): .integer(integer)
      case .double(let real): .real(real)
      case .decimal(let decimal): .decimal(decimal)
      case .boolean(let flag): .boolean(flag)
      case .date(let date): .date(date)
      case .data(let data): .data(data)
      case .list(let elements): .list(elements.map(ArchivedContent.init))
      }
  }
}

/// Reads a JSON value that a scanner found well-formed as the content of an archive. Numbers are whole or real, and
/// null is a value of its own.
private struct JSONContentReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The content of a text, which no scanner has looked at as JSON.
  static func content(ofText bytes: [UInt8]) throws -> ArchivedContent {
    if (try? JSONSerialization.jsonObject(with: Data(bytes))) == nil {
      throw JSONContentError("it is neither base64 nor JSON")
    }
    var reader = JSONContentReader(bytes)
    return try reader.content()
  }

  mutating func content(depth: Int = 0) throws -> ArchivedContent {
    guard depth <= 60 else { throw JSONContentError("it is nested too deeply") }
    skipBlanks()
    switch try next() {
    case UInt8(ascii: "["): return .list(try elements(depth: depth))
    case UInt8(ascii: "{"): return .dictionary(try entries(depth: depth))
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return passing(3, .boolean(true))
    case UInt8(ascii: "f"): return passing(4, .boolean(false))
    case UInt8(ascii: "n"): return passing(3, .null)
    default: return try number()
    }
  }

  private mutating func elements(depth: Int) throws -> [ArchivedContent] {
    var elements: [ArchivedContent] = []
    if skips(to: UInt8(ascii: "]")) { return elements }
    while true {
      elements.append(try content(depth: depth + 1))
      if skips(to: UInt8(ascii: "]")) { return elements }
      try expect(UInt8(ascii: ","))
    }
  }

  private mutating func entries(depth: Int) throws -> [ArchivedContent.Entry] {
    var entries: [ArchivedContent.Entry] = []
    var keys: Set<String> = []
    if skips(to: UInt8(ascii: "}")) { return entries }
    while true {
      skipBlanks()
      try expect(UInt8(ascii: "\""))
      let key = try string()
      guard keys.insert(key).inserted else { throw JSONContentError("an object has the key \"\(key)\" twice") }
      skipBlanks()
      try expect(UInt8(ascii: ":"))
      entries.append(ArchivedContent.Entry(key: key, value: try content(depth: depth + 1)))
      if skips(to: UInt8(ascii: "}")) { return entries }
      try expect(UInt8(ascii: ","))
    }
  }

  /// Behind the quote that opens the string.
  private mutating func string() throws -> String {
    let start = position
    while try next() != UInt8(ascii: "\"") {
      if bytes[position - 1] == UInt8(ascii: "\\") { position += 1 }
    }
    let token = bytes[start..<position - 1]
    guard String(validating: token, as: UTF8.self) != nil else { throw JSONContentError("a text in it is no Unicode") }
    return unsafe token.withUnsafeBytes { unsafe JSONStringDecoding.text($0) }
  }

  private mutating func number() throws -> ArchivedContent {
    let start = position - 1
    while position < bytes.count, "+-.eE0123456789".utf8.contains(bytes[position]) { position += 1 }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if !text.contains(where: { ".eE".contains($0) }) {
      guard let integer = Int64(text) else { throw JSONContentError("\(text) does not fit 64 bits") }
      return .integer(integer)
    }
    guard let real = Double(text), real.isFinite else { throw JSONContentError("\(text) does not fit a Double") }
    return .real(real)
  }

  /// Reads the rest of a word that its first letter identifies.
  private mutating func passing(_ count: Int, _ content: ArchivedContent) -> ArchivedContent {
    position += count
    return content
  }

  private mutating func next() throws -> UInt8 {
    guard position < bytes.count else { throw JSONContentError("it ends too early") }
    position += 1
    return bytes[position - 1]
  }

  private mutating func expect(_ byte: UInt8) throws {
    guard try next() == byte else { throw JSONContentError("it is no JSON") }
  }

  private mutating func skipBlanks() {
    while position < bytes.count, bytes[position] == 0x20 || (0x09...0x0D).contains(bytes[position]) { position += 1 }
  }

  /// Passes a byte behind blanks when it stands there.
  private mutating func skips(to byte: UInt8) -> Bool {
    skipBlanks()
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }
}

/// Why a JSON value has no archive.
private struct JSONContentError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
