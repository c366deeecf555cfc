package import CoreDataLayout
import ObjectModel
package import Pipelines
import Predicates
import ResultFiles
package import SeedFormats
import StoreInterface

/// Writes the objects of an entity as CSV or NDJSON, columns through to-one relationships included.
package struct Exporter {
  let store: SQLiteStore
  let step: ExportStep
  let cancellation: Cancellation
  /// The objects that are written, as far as the step selects them; nil: all.
  var objectIDs: [ObjectID]?

  /// An export of an open store.
  package init(store: SQLiteStore, step: ExportStep, cancellation: Cancellation) {
    self.store = store
    self.step = step
    self.cancellation = cancellation
  }

  /// - Parameter path: where to write; the step's own path, or a temporary one beside it.
  /// - Returns: the number of rows.
  package func run(to path: String) throws -> Int {
    if path != "-" { try ResultPlace.createFolder(of: path) }
    let cancellation = self.cancellation
    do {
      return try run(into: try FileSink.open(path: path, isCancelled: { cancellation.isCancelled }))
    } catch let error as SeedFormatError {
      // `FileSink` throws this error when a cancellation ends its wait for the reader of a FIFO.
      try cancellation.check(nil)
      throw error
    }
  }

  /// - Returns: the number of rows.
  package func run(into sink: any ByteSink) throws -> Int {
    let entity = try step.entity(in: store.model)
    let columns = try step.columns(of: entity)
    let request = try request(entity)
    var sink = sink
    if let file = sink as? FileSink, file.isTerminal { sink = TerminalSink(file, isJSON: step.format == .ndjson) }
    let writer: any RowBatchWriter
    switch step.format {
    case .csv, .tsv:
      var options = CSVWriter.Options()
      options.delimiter = step.fieldDelimiter
      options.safeForSpreadsheets = step.safeForSpreadsheets
      if step.hasByteOrderMark {
        let bytes: [UInt8] = [0xEF, 0xBB, 0xBF]
        try unsafe bytes.withUnsafeBytes { mark throws in try unsafe sink.write(mark) }
      }
      writer = try CSVExport(columns, of: entity, to: CSVWriter(sink: sink, options: options))
    case .ndjson: writer = NDJSONExport(columns, to: NDJSONWriter(sink: sink))
    }
    return try write(request, columns, to: writer)
  }

  /// Hands the objects to a writer of the caller's.
  /// - Parameter makeWriter: given the columns.
  /// - Returns: the number of rows.
  func run(_ makeWriter: ([ExportColumn]) -> any RowBatchWriter) throws -> Int {
    let entity = try step.entity(in: store.model)
    let columns = try step.columns(of: entity)
    return try write(request(entity), columns, to: makeWriter(columns))
  }

  private func request(_ entity: Entity) throws -> FetchSpecification {
    var request = try step.request(entity)
    if let objectIDs { request.predicate = .and([request.predicate, .selfIsIn(objectIDs)]) }
    return request
  }

  /// Streams the rows in batches to the writer.
  private func write(_ request: FetchSpecification, _ columns: [ExportColumn], to writer: any RowBatchWriter) throws
    -> Int
  {
    let worker = ExportWorker(writer)
    var rows = 0
    do {
      try store.scan(request, keyPaths: columns.map(\.keyPath)) { batch in
        try cancellation.check(nil)
        rows += batch.count
        return try worker.exchange(batch)
      }
    } catch {
      try? worker.drain()
      throw error
    }
    try worker.finish()
    return rows
  }
}
