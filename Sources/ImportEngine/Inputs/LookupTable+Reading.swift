import Foundation
import Pipelines
import SeedFormats

extension LookupTable {
  /// Reads a table.
  /// - Throws: `RunError` for a record that cannot be read, and for a key that is empty or comes twice.
  init(_ settings: LookupSettings) throws(RunError) {
    self.init()
    let files = settings.source.paths.map { SourceFile(path: $0, name: FilePath.shown($0)) }
    let columns = try settings.source.columns(in: files)
    let key = settings.key.preferringColumns(columns)
    let value = settings.value.preferringColumns(columns)
    var slots = SlotList()
    var table: [String: Int] = [:]
    for path in key.fieldPaths + value.fieldPaths { table[path] = slots.slot(of: path) }
    let dates =
      (try? DateParser(format: settings.source.dateFormat, timeZone: settings.source.timeZone)) ?? .iso8601
    do {
      let evaluators = (
        key: try RecordExpressionEvaluator(key, slots: table, dates: dates),
        value: try RecordExpressionEvaluator(value, slots: table, dates: dates)
      )
      for file in files { try read(file, settings, slots.paths, evaluators) }
    } catch let error as RecordExpressionError {
      throw Self.failure(settings, error.message, hint: error.hint)
    } catch {
      throw RunError(any: error, store: "")
    }
  }

  private mutating func read(
    _ file: SourceFile, _ settings: LookupSettings, _ projection: [String],
    _ evaluators: (key: RecordExpressionEvaluator, value: RecordExpressionEvaluator)
  ) throws {
    var options = settings.source.formatOptions
    options.optionalFields = Set(settings.source.optionalColumns)
    let nulls = settings.source.nulls.map { Array($0.utf8) }
    let isText = settings.source.format == .csv || settings.source.format == .tsv
    let reader = try RecordReader(
      source: try SeedFile.open(path: file.path, options: options), options: options, projection: projection,
      file: file.name)
    let batch = RecordBatch(fieldCount: projection.count)
    while try reader.next(batch) {
      if let fault = batch.faults.first {
        throw Self.failure(settings, fault.message, hint: fault.hint, at: "\(file.name):\(fault.place.line)")
      }
      // Safety: the table is used up before the batch is filled again.
      let fields = unsafe FieldTable(
        records: batch, slices: batch.fields, fieldCount: projection.count, respectsQuotes: isText)
      for record in 0..<batch.count {
        let place = "\(file.name):\(batch.place(ofRecord: record).line)"
        let one = unsafe RecordFields(table: fields, entry: record, nulls: nulls)
        do {
          try unsafe add(key: evaluators.key.evaluate(one), evaluators.value.evaluate(one))
        } catch {
          throw Self.failure(settings, error.message, hint: error.hint, at: place)
        }
      }
    }
  }

  private static func failure(
    _ settings: LookupSettings, _ message: String, hint: String?, at place: String? = nil
  ) -> RunError {
    RunError(
      .badData, code: "lookup.record", (place.map { $0 + ": " } ?? "") + message + " (lookup \(settings.name))",
      hint: hint)
  }
}

extension RecordExpressionResources {
  /// Reads what a pipeline's expressions need.
  /// - Returns: also why tables could not be read; they are there, but empty.
  static func load(
    _ file: PipelineFile, files: FileValues
  ) -> (resources: Self, failures: [(lookup: LookupSettings, error: RunError)]) {
    var resources = RecordExpressionResources(files: files)
    var failures: [(lookup: LookupSettings, error: RunError)] = []
    for lookup in file.lookups {
      resources.lookups[lookup.name] = LookupTable()
      do throws(RunError) {
        resources.lookups[lookup.name] = try LookupTable(lookup)
      } catch {
        failures.append((lookup, error))
      }
    }
    return (resources, failures)
  }
}
