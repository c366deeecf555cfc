import ObjectModel
import Pipelines
import PropertyLists
import SeedFormats
import StoreInterface

/// Writes row batches as NDJSON, an object per row.
final class NDJSONExport: RowBatchWriter {
  private let columns: [ExportColumn]
  private let writer: NDJSONWriter

  init(_ columns: [ExportColumn], to writer: NDJSONWriter) {
    self.columns = columns
    self.writer = writer
  }

  func write(_ batch: RowBatch) throws {
    // Safety: the batch has the columns of the export in this order, and their storage follows from their types.
    for row in 0..<batch.count {
      writer.beginObject()
      for (index, column) in columns.enumerated() {
        writer.key(column.name)
        if unsafe batch.states[index][row] == RowBatch.State.value.rawValue {
          try write(batch, index, row, column.attribute.type)
        } else {
          writer.null()
        }
      }
      writer.endObject()
      try writer.endRecord()
    }
  }

  func finish() throws { try writer.finish() }

  private static func refused(_ value: String) -> SeedFormatError {
    SeedFormatError(
      code: "json.not-json", kind: .malformed, message: "JSON has no way to write \(value)",
      hint: "seedbed check says which rows have it; CSV takes the bytes as they are")
  }

  private func write(_ batch: RowBatch, _ column: Int, _ row: Int, _ type: AttributeType) throws {
    switch type {
    case .integer16, .integer32, .integer64: unsafe writer.number(batch.integers(column)[row])
    case .double, .float: try unsafe writer.number(batch.reals(column)[row])
    case .boolean: unsafe writer.bool(batch.integers(column)[row] != 0)
    case .decimal:
      let bytes = unsafe batch.cellBytes(column, row)
      // A text in a column of decimals.
      guard unsafe ParsedNumber.read(bytes) != .notANumber else { throw Self.refused("a decimal that is no number") }
      unsafe writer.raw(bytes)
    case .string, .uri:
      let bytes = unsafe batch.cellBytes(column, row)
      guard unsafe StoredValueText.isUTF8(bytes) else { throw Self.refused("a text that is not UTF-8") }
      unsafe writer.string(bytes)
    case .transformable:
      if let json = unsafe ArchivedContent(archive: Array(batch.cellBytes(column, row)))?.importedJSON {
        StoredValueText.append(json, to: writer)
      } else {
        writer.string(RenderedCells.text(batch, column, row, .binary))
      }
    case .date, .uuid, .binary, .undefined, .objectID, .composite:
      writer.string(RenderedCells.text(batch, column, row, type))
    }
  }
}
