package import CoreDataLayout
package import Diagnostics
import Foundation
public import ObjectModel
public import Pipelines
import ResultFiles
import SeedFormats
package import StoreInterface

/// An export of a store that stands by itself, outside a pipeline.
public struct StoreExport {
  let storePath: String
  let model: ManagedObjectModel
  let modelPath: String?
  let replacesForeign: Bool
  let step: ExportStep
  let deletionsPath: String?
  /// Gives what is written to `deletionsPath`; nil: nothing is.
  package var deletionsText: (([PersistentHistoryChange]) -> String)?
  /// Called with the work of the store, when it is closed.
  package var didWork: ((StoreCounts) -> Void)?

  /// - Parameters:
  ///   - modelPath: where the model came from, which must not be written over; nil when the store carries it.
  ///   - columns: attributes or key paths, each optionally after `title=`; empty: every stored attribute.
  ///   - order: attributes or key paths to sort by, descending after a minus sign.
  ///   - output: a path, or `-` for standard output.
  ///   - format: by the output's name when nil; CSV when that says nothing.
  ///   - replacesForeign: replaces a file at `output` that is no earlier export of these columns, too.
  ///   - predicate: which objects, in the format language; nil: all.
  ///   - limit: the most objects; nil: all.
  ///   - delimiter: an ASCII character between the fields of CSV; nil: what the format says.
  ///   - hasByteOrderMark: whether CSV begins with one.
  ///   - deletionsPath: where `deletionsText` of the deletions that `run(changedSince:)` finds is written; checked like
  ///     the output.
  public init(
    storePath: String, model: ManagedObjectModel, modelPath: String?, entity: String, columns: [String],
    order: [String],
    output: String,
    format: ExportStep.Format?, safeForSpreadsheets: Bool, replacesForeign: Bool = false, predicate: String? = nil,
    limit: Int? = nil, delimiter: UInt8? = nil, hasByteOrderMark: Bool = false,
    deletionsPath: String? = nil
  ) {
    self.deletionsPath = deletionsPath
    self.storePath = storePath
    self.model = model
    self.modelPath = modelPath
    self.replacesForeign = replacesForeign
    let byName = FilePath.ending(output).flatMap { ExportStep.Format.byEnding[$0] } ?? .csv
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
        }, safeForSpreadsheets: safeForSpreadsheets, position: FilePosition(line: 0, column: 0), predicate: predicate,
        limit: limit, delimiter: delimiter, hasByteOrderMark: hasByteOrderMark
      ).followed
  }

  /// Writes the export; a file takes its place only when it is complete. A FIFO or device is written to as it is.
  /// - Returns: the number of rows.
  /// - Throws: `RunError`.
  public func run() throws(RunError) -> Int { try run { _ in nil } }

  /// - Parameters:
  ///   - objectIDs: which objects are written, of the open store; nil: all that the step selects.
  ///   - texts: files that take their places together with the export; asked for after the objects.
  func run(
    _ objectIDs: (SQLiteStore) throws -> [ObjectID]?, beside texts: () -> [(path: String, text: String)] = { [] }
  ) throws(RunError) -> Int {
    try check()
    do {
      let store = try open()
      defer { close(store) }
      var exporter = Exporter(store: store, step: step, cancellation: Cancellation())
      exporter.objectIDs = try objectIDs(store)
      // Where one cannot be written, no object has been either.
      let waiting = try WaitingTexts(texts())
      defer { waiting.remove() }
      if step.isDirect {
        let rows = try store.requiringUnchanged { try exporter.run(to: step.to) }
        try waiting.put()
        return rows
      }
      try ResultPlace.createFolder(of: step.to)
      let work = try WorkFolder(for: step.to)
      defer { work.remove() }
      let rows = try store.requiringUnchanged { try exporter.run(to: step.temporaryPath(in: work)) }
      if waiting.isEmpty {
        try ResultPlace.rename(step.temporaryPath(in: work), to: step.to)
      } else {
        try waiting.put(after: [(from: step.temporaryPath(in: work), to: step.to)])
      }
      return rows
    } catch {
      throw RunError(any: error, store: storePath)
    }
  }

  /// Gives the lines of a table for people, instead of a file. Values longer than `TableExport.longestValue` are cut.
  /// - Parameter show: given one or more lines at a time.
  /// - Returns: the number of rows.
  /// - Throws: `RunError`.
  public func table(_ show: @escaping (String) -> Void) throws(RunError) -> Int {
    do {
      let store = try open()
      defer { close(store) }
      let exporter = Exporter(store: store, step: step, cancellation: Cancellation())
      return try store.requiringUnchanged { try exporter.run { TableExport($0, show: show) } }
    } catch {
      throw RunError(any: error, store: storePath)
    }
  }

  /// How the objects would be found, and which indexes would help. Nothing is written.
  /// - Throws: `RunError`.
  public func explanation() throws(RunError) -> ExplainedFetch {
    do {
      let store = try open()
      defer { try? store.close() }
      let (request, keyPaths) = try step.selection(in: store.model)
      let fetch = try store.explanation(of: request, scanning: keyPaths)
      return try ExplainedFetch(fetch, advisor: IndexAdvisor(store))
    } catch {
      throw RunError(any: error, store: storePath)
    }
  }

  private func open() throws -> SQLiteStore {
    try SQLiteStore.open(path: storePath, model: model, options: .reading)
  }

  private func close(_ store: SQLiteStore) {
    try? store.close()
    didWork?(store.work)
  }

  /// - Throws: `RunError` when the export would replace the store, the model that it is read with, or anything else but
  ///   an export of the same columns.
  private func check() throws(RunError) {
    var names: Set<String> = []
    if let twice = step.columns.first(where: { !names.insert($0.name).inserted })?.name {
      throw RunError(
        .badPipeline, code: "output.columns", "there are two columns \"\(twice)\"",
        hint: "give one another title: title=key.path")
    }
    var inputs = RunInputs()
    inputs.add(store: storePath)
    if let modelPath { inputs.add(model: modelPath) }
    let deletions = deletionsPath.map { path in
      // As `seedbed history --json` writes a deletion.
      OutputCheck.Result(
        field: "--deleted", path: path,
        kind: .text(.keys(["type", "entity", "primaryKey", "uri", "tombstone"]), .ndjson))
    }
    if let deletions { try OutputCheck.check(deletions, inputs: inputs, replacesForeign: replacesForeign) }
    if step.isDirect { return }
    if let mismatch = step.nameMismatch {
      throw RunError(
        .cannotCreate, code: "output.name", "--output names \(mismatch.message)", hint: mismatch.hint)
    }
    let mark: TextMark
    do { mark = try step.mark(model) } catch { throw RunError(any: error, store: storePath) }
    let output = OutputCheck.Result(field: "--output", path: step.to, kind: .text(mark, .csv))
    if let deletions { try OutputCheck.checkPlaces([output, deletions], inputs, store: nil) }
    try OutputCheck.check(output, inputs: inputs, replacesForeign: replacesForeign)
  }
}

extension ExportStep {
  /// Where the export is written before it is complete: under its own name, whose ending decides about compression.
  package func temporaryPath(in work: WorkFolder) -> String { work.path + "/" + FilePath.name(of: to) }
}
