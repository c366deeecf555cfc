import Foundation
import ModelFiles
import ObjectModel
import SQLiteStore
import SeedFormats
import StoreInterface

/// Writes the objects of an entity as CSV or NDJSON, columns through to-one relationships included.
struct Exporter {
  let store: SQLiteStore
  let step: ExportStep
  let cancellation: Cancellation

  /// One column: its title, its key path, and the attribute at its end.
  private struct Column {
    var name: String
    var keyPath: [String]
    var attribute: AttributeDescription
  }

  /// - Parameter path: where to write; the step's own path, or a temporary one beside it.
  /// - Returns: the number of rows.
  func run(to path: String) throws -> Int {
    guard let entity = store.model[step.entity] else {
      let names = store.model.entities.map(\.name)
      throw RunError(
        .badPipeline, code: "export.unknown-entity", "the model has no entity \(step.entity)",
        hint: Suggestion.hint(for: step.entity, among: names) ?? Lint.list("entities", names))
    }
    let columns = try columns(of: entity)
    var request = FetchRequest(entity)
    request.sortDescriptors = try step.order.map { order in
      _ = try attribute(at: order.keyPath, of: entity)
      return FetchRequest.SortDescriptor(order.keyPath, ascending: order.isAscending)
    }
    if path != "-" { try RejectFile.createFolder(of: path) }
    let sink = try FileSink.open(path: path)
    switch step.format {
    case .csv: return try writeCSV(request, columns, to: sink)
    case .ndjson: return try writeNDJSON(request, columns, to: sink)
    }
  }

  private func columns(of entity: Entity) throws(RunError) -> [Column] {
    if step.columns.isEmpty {
      return entity.storedLeaves.map { leaf in
        Column(name: leaf.path, keyPath: leaf.names, attribute: leaf.attribute)
      }
    }
    return try step.columns.map { column throws(RunError) in
      Column(name: column.name, keyPath: column.keyPath, attribute: try attribute(at: column.keyPath, of: entity))
    }
  }

  private func attribute(at keyPath: [String], of entity: Entity) throws(RunError) -> AttributeDescription {
    var current = entity
    for (position, name) in keyPath.enumerated() {
      if let relationship = current.relationship(name), position + 1 < keyPath.count {
        guard !relationship.isToMany else {
          throw RunError(
            .badPipeline, code: "export.to-many",
            "export of \(entity.name): \(name) in \(keyPath.joined(separator: ".")) is to-many",
            hint: "export the destination entity instead, with a column back to \(entity.name)")
        }
        current = relationship.destination
      } else {
        // What is left may be the dotted path of a composite attribute's element.
        let path = keyPath[position...].joined(separator: ".")
        if let attribute = current.storedAttribute(path) { return attribute }
        throw RunError(
          .badPipeline, code: "export.unknown-attribute",
          "export of \(entity.name): \(current.name) has no stored attribute \(path)",
          hint: "it has \(current.storedAttributes.map(\.name).joined(separator: ", "))")
      }
    }
    throw RunError(.badPipeline, code: "export.empty-column", "export of \(entity.name): a column is empty")
  }

  /// Streams the rows in batches to the body, which writes one batch.
  private func forEachBatch(
    _ request: FetchRequest, _ columns: [Column], _ body: (RowBatch) throws -> Void
  ) throws -> Int {
    var rows = 0
    try store.scan(request, keyPaths: columns.map(\.keyPath)) { batch in
      if cancellation.isCancelled { throw RunError(.interrupted, code: "run.interrupted", "interrupted") }
      try body(batch)
      rows += batch.count
    }
    return rows
  }

  private func writeCSV(_ request: FetchRequest, _ columns: [Column], to sink: any ByteSink) throws -> Int {
    var options = CSVWriter.Options()
    options.safeForSpreadsheets = step.safeForSpreadsheets
    let writer = CSVWriter(sink: sink, options: options)
    try writer.record(columns.map(\.name))
    let rows = try forEachBatch(request, columns) { batch in
      for row in 0..<batch.count {
        for (index, column) in columns.enumerated() {
          guard unsafe batch.states[index][row] == RowBatch.State.value.rawValue else {
            writer.emptyField()
            continue
          }
          switch column.attribute.type {
          case .integer16, .integer32, .integer64: unsafe writer.field(batch.integers(index)[row])
          case .double, .float: unsafe writer.field(batch.reals(index)[row])
          case .string, .decimal, .uri: unsafe writer.field(batch.cellBytes(index, row))
          default: writer.field(Self.text(batch, index, row, column.attribute.type))
          }
        }
        try writer.endRecord()
      }
    }
    try writer.finish()
    return rows
  }

  private func writeNDJSON(_ request: FetchRequest, _ columns: [Column], to sink: any ByteSink) throws -> Int {
    let writer = NDJSONWriter(sink: sink)
    let rows = try forEachBatch(request, columns) { batch in
      for row in 0..<batch.count {
        writer.beginObject()
        for (index, column) in columns.enumerated() {
          writer.key(column.name)
          guard unsafe batch.states[index][row] == RowBatch.State.value.rawValue else {
            writer.null()
            continue
          }
          switch column.attribute.type {
          case .integer16, .integer32, .integer64: unsafe writer.number(batch.integers(index)[row])
          case .double, .float: try unsafe writer.number(batch.reals(index)[row])
          case .boolean: unsafe writer.bool(batch.integers(index)[row] != 0)
          case .decimal: unsafe writer.raw(batch.cellBytes(index, row))
          case .string, .uri: unsafe writer.string(batch.cellBytes(index, row))
          case .transformable:
            if let content = unsafe ArchivedContent(archive: Array(batch.cellBytes(index, row))) {
              StoredValueText.append(content, to: writer)
            } else {
              writer.string(Self.text(batch, index, row, .binary))
            }
          default: writer.string(Self.text(batch, index, row, column.attribute.type))
          }
        }
        writer.endObject()
        try writer.endRecord()
      }
    }
    try writer.finish()
    return rows
  }

  /// Values whose text is not their bytes: Boolean, Date, UUID, Binary as base64, and Transformable as JSON where its
  /// contents can be shown and base64 elsewhere.
  private static func text(_ batch: RowBatch, _ column: Int, _ row: Int, _ type: AttributeType) -> String {
    switch type {
    case .boolean: return unsafe batch.integers(column)[row] != 0 ? "true" : "false"
    case .date: return unsafe DateText.iso8601(Date(timeIntervalSinceReferenceDate: batch.reals(column)[row]))
    case .uuid:
      let bytes = unsafe batch.cellBytes(column, row)
      return bytes.count == 16 ? unsafe UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)).uuidString : ""
    case .transformable:
      let bytes = unsafe Array(batch.cellBytes(column, row))
      return ArchivedContent(archive: bytes)?.json.text(isIndented: false) ?? Data(bytes).base64EncodedString()
    default: return unsafe Data(batch.cellBytes(column, row)).base64EncodedString()
    }
  }
}
