import ObjectModel
import SQLiteStore
import SeedFormats
import StoreInterface

/// One column of an export: its title, its key path, and the attribute at its end.
struct ExportColumn {
  var name: String
  var keyPath: [String]
  var attribute: AttributeDescription
}

/// Writes the objects of an entity as CSV or NDJSON, columns through to-one relationships included.
struct Exporter {
  let store: SQLiteStore
  let step: ExportStep
  let cancellation: Cancellation

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
    let writer: any BatchWriter
    switch step.format {
    case .csv:
      var options = CSVWriter.Options()
      options.safeForSpreadsheets = step.safeForSpreadsheets
      writer = try CSVExport(columns, of: entity, to: CSVWriter(sink: sink, options: options))
    case .ndjson: writer = NDJSONExport(columns, to: NDJSONWriter(sink: sink))
    }
    return try write(request, columns, to: writer)
  }

  /// Streams the rows in batches to the writer.
  private func write(_ request: FetchRequest, _ columns: [ExportColumn], to writer: any BatchWriter) throws -> Int {
    let worker = ExportWorker(writer)
    var rows = 0
    do {
      try store.scan(request, keyPaths: columns.map(\.keyPath)) { batch in
        if cancellation.isCancelled { throw RunError(.interrupted, code: "run.interrupted", "interrupted") }
        rows += batch.count
        return try worker.exchange(batch)
      }
    } catch {
      try? worker.settle()
      throw error
    }
    try worker.finish()
    return rows
  }

  private func columns(of entity: Entity) throws(RunError) -> [ExportColumn] {
    if step.columns.isEmpty {
      return entity.storedLeaves.map { leaf in
        ExportColumn(name: leaf.path, keyPath: leaf.names, attribute: leaf.attribute)
      }
    }
    return try step.columns.map { column throws(RunError) in
      ExportColumn(name: column.name, keyPath: column.keyPath, attribute: try attribute(at: column.keyPath, of: entity))
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
}
