import Foundation
public import ObjectModel
import SQLiteStore

/// An export of a store that stands by itself, outside a pipeline.
public struct StoreExport {
  let storePath: String
  let model: ManagedObjectModel
  let modelPath: String?
  let step: ExportStep

  /// - Parameters:
  ///   - modelPath: where the model came from, which must not be written over; nil when the store carries it.
  ///   - columns: attributes or key paths, each optionally after `title=`; empty: every stored attribute.
  ///   - order: attributes or key paths to sort by, descending after a minus sign.
  ///   - output: a path, or `-` for standard output.
  ///   - format: by the output's name when nil; CSV when that says nothing.
  public init(
    storePath: String, model: ManagedObjectModel, modelPath: String?, entity: String, columns: [String],
    order: [String],
    output: String,
    format: ExportStep.Format?, safeForSpreadsheets: Bool
  ) {
    self.storePath = storePath
    self.model = model
    self.modelPath = modelPath
    let plainName = output.hasSuffix(".gz") ? String(output.dropLast(3)) : output
    let byName: ExportStep.Format = plainName.hasSuffix(".ndjson") || plainName.hasSuffix(".jsonl") ? .ndjson : .csv
    step = ExportStep(
      entity: entity, to: output, format: format ?? byName,
      columns: columns.map { text in
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        let path = parts.last ?? text
        return ExportStep.Column(name: parts.first ?? text, keyPath: path.split(separator: ".").map(String.init))
      },
      order: order.map { text in
        let isDescending = text.hasPrefix("-")
        return ExportStep.Order(
          keyPath: text.drop { $0 == "-" }.split(separator: ".").map(String.init), isAscending: !isDescending)
      }, safeForSpreadsheets: safeForSpreadsheets, position: FilePosition(line: 0, column: 0))
  }

  /// Writes the export; a file takes its place only when it is complete.
  /// - Returns: the number of rows.
  /// - Throws: `RunError`.
  public func run() throws(RunError) -> Int {
    try OutputCheck.check(export: step.to, store: storePath, model: modelPath)
    do {
      var options = SQLiteStore.Options()
      options.isReadOnly = true
      let store = try SQLiteStore.open(path: storePath, model: model, options: options)
      let exporter = Exporter(store: store, step: step, cancellation: Cancellation())
      guard step.to != "-" else { return try exporter.run(to: "-") }
      let temporary = step.temporaryPath
      do {
        let rows = try exporter.run(to: temporary)
        try StoreBuild.rename(temporary, to: step.to)
        return rows
      } catch {
        try? FileManager.default.removeItem(atPath: temporary)
        throw error
      }
    } catch {
      throw RunError(any: error, store: storePath)
    }
  }
}

extension ExportStep {
  /// Where the export is written before it is complete. `.gz` at the end decides about compression, so the mark stands
  /// before the name.
  var temporaryPath: String {
    guard to != "-" else { return to }
    return FilePath.folder(of: to) + "/.partial." + FilePath.name(of: to)
  }
}
