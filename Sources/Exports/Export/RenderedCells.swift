import Foundation
package import ObjectModel
import Pipelines
import PropertyLists
package import StoreInterface

/// Texts of a column whose values are not texts yet: dates, UUIDs, data. Used again for batch after batch.
@safe package final class RenderedCells {
  private var texts: RowBatch
  private var buffer: [UInt8] = []

  init(entity: Entity) {
    texts = RowBatch(entity: entity, columns: [], capacity: 0)
  }

  /// Writes the values of a column as texts.
  /// - Returns: a batch with one column, the texts; the next call writes over it.
  func render(_ batch: RowBatch, _ column: Int, _ type: AttributeType) -> RowBatch {
    if texts.capacity < batch.capacity {
      texts = RowBatch(
        entity: batch.entity, columns: [RowBatch.Column(batch.columns[column].source, .bytes)], capacity: batch.capacity
      )
    }
    // Safety: `texts` has a place for each row of the batch, and another arena, so that the source stays in place.
    texts.removeAll()
    texts.count = batch.count
    for row in 0..<batch.count {
      unsafe texts.states[0][row] = batch.states[column][row]
      guard unsafe batch.states[column][row] == RowBatch.State.value.rawValue else { continue }
      buffer.removeAll(keepingCapacity: true)
      switch type {
      case .date: unsafe StoredValueText.append(date: batch.reals(column)[row], to: &buffer)
      case .uuid: unsafe RenderedCells.append(uuid: batch.cellBytes(column, row), to: &buffer)
      default: buffer.append(contentsOf: RenderedCells.text(batch, column, row, type).utf8)
      }
      unsafe buffer.withUnsafeBytes { text in
        guard let start = text.baseAddress else { return }
        unsafe texts.slices(0)[row] = unsafe texts.append(start, count: text.count)
      }
    }
    return texts
  }

  /// Appends 36 characters, upper case as Foundation writes them; nothing when there are not 16 bytes.
  package static func append(uuid bytes: UnsafeRawBufferPointer, to text: inout [UInt8]) {
    guard bytes.count == 16 else { return }
    for index in 0..<16 {
      if index == 4 || index == 6 || index == 8 || index == 10 { text.append(UInt8(ascii: "-")) }
      let byte = unsafe bytes[index]
      text.append(hexadecimal(byte >> 4))
      text.append(hexadecimal(byte & 15))
    }
  }

  private static func hexadecimal(_ digit: UInt8) -> UInt8 { digit < 10 ? 0x30 + digit : 0x37 + digit }

  /// Values as text, one by one: Date, UUID, Binary as base64, and Transformable as JSON where an import makes the same
  /// of that, and base64 elsewhere.
  package static func text(_ batch: RowBatch, _ column: Int, _ row: Int, _ type: AttributeType) -> String {
    switch type {
    case .date: return unsafe StoredValueText.text(ofDate: batch.reals(column)[row])
    case .uuid:
      var text: [UInt8] = []
      unsafe append(uuid: batch.cellBytes(column, row), to: &text)
      return String(decoding: text, as: UTF8.self)
    case .transformable:
      let bytes = unsafe Array(batch.cellBytes(column, row))
      return ArchivedContent(archive: bytes)?.importedJSON?.text(isIndented: false) ?? Data(bytes).base64EncodedString()
    default: return unsafe Data(batch.cellBytes(column, row)).base64EncodedString()
    }
  }
}
