import ObjectModel
import SeedFormats
import StoreInterface

/// Writes row batches as CSV.
final class CSVExport: RowBatchWriter {
  private let attributes: [AttributeDefinition]
  private let writer: CSVWriter
  /// Texts of the columns that are not written as they are stored; nil for the others.
  private let rendered: [RenderedCells?]

  /// Writes the header.
  init(_ columns: [ExportColumn], of entity: Entity, to writer: CSVWriter) throws {
    attributes = columns.map(\.attribute)
    self.writer = writer
    rendered = attributes.map { attribute in
      switch attribute.type {
      case .integer16, .integer32, .integer64, .boolean, .double, .float, .string, .decimal, .uri: nil
      case .date, .uuid, .binary, .transformable, .undefined, .objectID, .composite: RenderedCells(entity: entity)
      }
    }
    try writer.record(columns.map(\.name))
  }

  func write(_ batch: RowBatch) throws {
    var columns: [CellColumn] = []
    for (index, attribute) in attributes.enumerated() {
      if let cells = rendered[index] {
        columns.append(column(of: cells.render(batch, index, attribute.type), 0, .text))
        continue
      }
      switch batch.columns[index].storage {
      case .integer: columns.append(column(of: batch, index, attribute.type == .boolean ? .boolean : .integer))
      case .real: columns.append(column(of: batch, index, .real))
      case .bytes: columns.append(column(of: batch, index, .text))
      }
    }
    try writer.records(columns, count: batch.count)
  }

  private func column(of batch: RowBatch, _ index: Int, _ kind: CellColumn.Kind) -> CellColumn {
    // Safety: the writer is done with the columns before the batch, or that of the rendered texts, is filled again.
    unsafe CellColumn(
      kind: kind, states: UnsafePointer(batch.states[index]), valueState: RowBatch.State.value.rawValue,
      cells: UnsafeRawPointer(batch.rawCells(index)), text: UnsafeRawPointer(batch.arena))
  }

  func finish() throws { try writer.finish() }
}
