import Exports
import Foundation
public import ObjectModel
public import Pipelines
public import SeedFormats
import StoreInterface

/// Tries whether the text of a field becomes a value of a type, and whether an export writes it back: with the very
/// code that decodes and exports. Used by one thread at a time.
///
/// `batch` has one column, of the storage of `type`, and room for one row, which is the only one that is used. Bytes of
/// a text need to live for the call only.
@safe public final class ValueTrial {
  /// The outcome for a text.
  public enum Outcome: Sendable {
    /// An export writes the same text.
    case same
    /// An export writes another text for the same value, such as `1.5` for `1.50` and `true` for `YES`.
    case sameValue
    /// It becomes a value, but something of the text is lost: zeros in front, a plus sign, digits.
    case changed
    /// It is no value of the type.
    case refused
  }

  /// The type that is tried.
  public let type: AttributeType
  private let cell: any CellParser
  private let batch: RowBatch
  private var written: [UInt8] = []

  /// An entity, which every batch needs; the columns define the contents.
  private static let entity = try? ManagedObjectModel(entities: [EntityDefinition("Trial")])["Trial"]

  /// A trial of a type; nil for types that no text is decoded to by itself.
  /// - Parameter dates: how dates are read.
  public init?(_ type: AttributeType, dates: DateParser = .iso8601) {
    let storage: RowBatch.Storage
    switch type {
    case .integer16, .integer32, .integer64:
      let range: ClosedRange<Int64> =
        type == .integer16
        ? Int64(Int16.min)...Int64(Int16.max)
        : type == .integer32 ? Int64(Int32.min)...Int64(Int32.max) : Int64.min...Int64.max
      cell = IntegerCell(range: range, minimum: .min, maximum: .max, isDuration: false)
      storage = .integer
    case .boolean:
      cell = BooleanCell()
      storage = .integer
    case .double, .float:
      cell = RealCell(isFloat: type == .float, minimum: -.infinity, maximum: .infinity)
      storage = .real
    case .decimal:
      cell = DecimalCell(minimum: nil, maximum: nil)
      storage = .bytes
    case .date:
      cell = DateCell(parser: dates, minimum: -.infinity, maximum: .infinity)
      storage = .real
    case .uuid:
      cell = UUIDCell()
      storage = .bytes
    case .uri:
      cell = URICell()
      storage = .bytes
    case .binary:
      cell = BinaryCell()
      storage = .bytes
    case .string, .transformable, .undefined, .objectID, .composite: return nil
    }
    self.type = type
    guard let entity = Self.entity else { return nil }
    batch = RowBatch(entity: entity, columns: [.init(.attribute("value"), storage)], capacity: 1, arenaCapacity: 256)
  }

  /// The outcome for a field's text.
  /// - Parameter kind: `string` for every field of CSV; what JSON says otherwise.
  public func outcome(_ text: UnsafeRawBufferPointer, _ kind: FieldSlice.Kind) -> Outcome {
    batch.removeAll()
    batch.count = 1
    // Safety: the batch has one column, of the storage that the parser writes, and one row.
    guard unsafe cell.parse(text, kind, into: batch, column: 0, row: 0) == .none else { return .refused }
    unsafe batch.states[0][0] = RowBatch.State.value.rawValue
    export()
    if unsafe written.elementsEqual(text) { return .same }
    switch type {
    case .integer16, .integer32, .integer64, .double, .float, .decimal:
      guard unsafe !Self.hasNeedlessFront(text) else { return .changed }
      // A store has no zero below zero.
      if type != .integer16, type != .integer32, type != .integer64, unsafe Self.isNegativeZero(text) {
        return .sameValue
      }
      return unsafe written.withUnsafeBytes { unsafe NumberParsing.isSameNumber($0, text) } ? .sameValue : .changed
    case .boolean, .date: return .sameValue
    case .uuid: return .sameValue
    default: return .changed
    }
  }

  /// The text that an export wrote for the value of the last trial that did not refuse.
  public var exported: String { String(decoding: written, as: UTF8.self) }

  /// Writes the cell as CSV has it, without quotes.
  private func export() {
    written.removeAll(keepingCapacity: true)
    switch type {
    case .integer16, .integer32, .integer64: written += unsafe String(batch.integers(0)[0]).utf8
    case .boolean: written += unsafe (batch.integers(0)[0] != 0 ? "true" : "false").utf8
    case .double, .float:
      let value = unsafe batch.reals(0)[0]
      written += CSVWriter.text(of: value == 0 ? 0 : value).utf8
    case .date: unsafe DateText.append(iso8601: batch.reals(0)[0], to: &written)
    case .uuid: unsafe RenderedCells.append(uuid: batch.cellBytes(0, 0), to: &written)
    case .decimal, .uri: unsafe written.append(contentsOf: batch.cellBytes(0, 0))
    default: written += RenderedCells.text(batch, 0, 0, type).utf8
    }
  }

  /// Whether a number is zero with a minus sign, such as `-0.0`, of which a store keeps the zero.
  public static func isNegativeZero(_ text: UnsafeRawBufferPointer) -> Bool {
    guard unsafe text.first == UInt8(ascii: "-") else { return false }
    let mantissa = unsafe text.dropFirst().prefix { $0 | 0x20 != UInt8(ascii: "e") }
    return unsafe mantissa.contains(UInt8(ascii: "0"))
      && mantissa.allSatisfy { $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: ".") }
  }

  /// Whether a number has a plus sign, or a zero before another digit.
  private static func hasNeedlessFront(_ text: UnsafeRawBufferPointer) -> Bool {
    var digits = unsafe text[...]
    if unsafe digits.first == UInt8(ascii: "+") { return true }
    if unsafe digits.first == UInt8(ascii: "-") { unsafe digits = digits.dropFirst() }
    guard unsafe digits.first == UInt8(ascii: "0"), let second = unsafe digits.dropFirst().first else { return false }
    return (48...57).contains(second)
  }
}
