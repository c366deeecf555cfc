import Foundation
public import ObjectModel
import SQLiteStore
import SeedFormats

/// An export of a store that stands by itself, outside a pipeline.
public struct StoreExport {
  let storePath: String
  let model: ManagedObjectModel
  let modelPath: String?
  let replacesForeign: Bool
  let step: ExportStep

  /// - Parameters:
  ///   - modelPath: where the model came from, which must not be written over; nil when the store carries it.
  ///   - columns: attributes or key paths, each optionally after `title=`; empty: every stored attribute.
  ///   - order: attributes or key paths to sort by, descending after a minus sign.
  ///   - output: a path, or `-` for standard output.
  ///   - format: by the output's name when nil; CSV when that says nothing.
  ///   - replacesForeign: replaces a file at `output` that is no earlier export of these columns, too.
  public init(
    storePath: String, model: ManagedObjectModel, modelPath: String?, entity: String, columns: [String],
    order: [String],
    output: String,
    format: ExportStep.Format?, safeForSpreadsheets: Bool, replacesForeign: Bool = false
  ) {
    self.storePath = storePath
    self.model = model
    self.modelPath = modelPath
    self.replacesForeign = replacesForeign
    let byName = FilePath.ending(output).flatMap { SectionReader.exportFormats[$0] } ?? .csv
    step =
      ExportStep(
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
        }, safeForSpreadsheets: safeForSpreadsheets, position: FilePosition(line: 0, column: 0)
      ).followed
  }

  /// Writes the export; a file takes its place only when it is complete. A FIFO or device is written to as it is.
  /// - Returns: the number of rows.
  /// - Throws: `RunError`.
  public func run() throws(RunError) -> Int {
    try check()
    do {
      var options = SQLiteStore.Options()
      options.isReadOnly = true
      options.leavesSidecarsAlone = true
      let store = try SQLiteStore.open(path: storePath, model: model, options: options)
      let exporter = Exporter(store: store, step: step, cancellation: Cancellation())
      defer { try? store.close() }
      if step.isDirect { return try exporter.run(to: step.to) }
      try RejectFile.createFolder(of: step.to)
      let work = try WorkFolder(for: step.to)
      defer { work.remove() }
      let rows = try exporter.run(to: step.temporaryPath(in: work))
      try StoreBuild.rename(step.temporaryPath(in: work), to: step.to)
      return rows
    } catch {
      throw RunError(any: error, store: storePath)
    }
  }

  /// - Throws: `RunError` when the export would replace the store, the model that it is read with, or anything else but
  ///   an export of the same columns.
  private func check() throws(RunError) {
    if step.isDirect { return }
    var inputs = RunInputs()
    inputs.add(store: storePath)
    if let modelPath { inputs.add(model: modelPath) }
    let mark: TextMark
    do { mark = try step.mark(model) } catch { throw RunError(any: error, store: storePath) }
    try OutputCheck.check(
      .init(field: "--output", path: step.to, kind: .text(mark, .csv)), inputs: inputs, replacesForeign: replacesForeign
    )
  }
}

extension ExportStep {
  /// Where the export is written before it is complete: under its own name, whose ending decides about compression.
  func temporaryPath(in work: WorkFolder) -> String { work.path + "/" + FilePath.name(of: to) }
}
