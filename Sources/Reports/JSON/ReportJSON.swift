package import Diagnostics
package import Foundation
package import Pipelines

/// The report of a run as JSON. Keys do not change between versions; new ones may come.
package enum ReportJSON {
  /// - Parameter run: tells this run from others, as its log lines do.
  package static func text(_ report: RunReport, run: String, exitCode: Int32, begin: Date, end: Date) -> String {
    JSONValue.object([
      ("seedbedReport", .integer(1)), ("run", .string(run)),
      ("startedAt", .string(DateText.iso8601(begin))), ("endedAt", .string(DateText.iso8601(end))),
      ("result", .string(report.result.rawValue)), ("exitCode", .integer(Int(exitCode))),
      ("pipeline", .string(report.pipeline)),
      (
        "store",
        .object([
          ("path", .orNullIfEmpty(report.storePath)), ("uuid", .orNullIfEmpty(report.storeIdentifier)),
          ("bytes", .integer(report.storeBytes)), ("externalFiles", .integer(report.externalFiles.count)),
          ("externalBytes", .integer(report.externalFiles.bytes)),
        ])
      ),
      ("steps", .array(report.steps.map(step))),
      ("total", counts(report.counts)),
      ("ownersUpdated", .integer(report.ownersUpdated)),
      (
        "exports",
        .array(
          report.exports.map { export in
            .object([
              ("entity", .string(export.entity)), ("path", .string(export.path)), ("rows", .integer(export.rows)),
              ("durationSeconds", .double(export.durationSeconds)),
            ])
          })
      ),
      ("stages", .array(report.stages.map(stage))),
      ("work", work(report.work)),
      ("expectations", .integer(report.expectations)),
      ("rejects", .array(report.rejects.map(\.json))),
      (
        "rejectGroups",
        .array(
          report.rejectGroups.map { group in
            .object([
              ("code", .string(group.code)), ("entity", .string(group.entity)), ("property", .string(group.property)),
              ("count", .integer(group.count)), ("first", group.first.json),
            ])
          })
      ),
      ("warnings", .strings(report.warnings)),
      ("rejectFiles", .strings(report.rejectFiles)),
      ("error", ErrorJSON.value(report.failure)),
      ("durationSeconds", .double(report.durationSeconds)),
      ("peakMemoryBytes", .integer(report.peakMemoryBytes)), ("allocations", .orNull(report.allocations)),
    ]).text(isIndented: true)
  }

  private static func step(_ step: StepReport) -> JSONValue {
    .object([
      ("name", .string(step.name)), ("entity", .string(step.entity)), ("source", .string(step.source)),
      ("strategy", .string(step.strategy.rawValue)), ("reason", .string(step.reason)),
      ("counts", counts(step.counts)),
      ("nestedInserted", .integer(step.nestedInserted)), ("nestedUpdated", .integer(step.nestedUpdated)),
      ("nestedDeleted", .integer(step.nestedDeleted)),
      (
        "notes",
        .array(
          step.notes.map { note in
            .object([
              ("file", .string(note.file)), ("reason", .string(note.kind.rawValue)), ("text", .string(note.text)),
            ])
          })
      ),
      ("durationSeconds", .double(step.durationSeconds)), ("readings", .integer(step.readings)),
      ("stages", .array(step.stages.map(stage))),
    ])
  }

  private static func stage(_ stage: StageReport) -> JSONValue {
    .object([
      ("stage", .string(stage.stage.rawValue)), ("workers", .integer(stage.workers)),
      ("busySeconds", .double(stage.busySeconds)), ("inputWaitSeconds", .double(stage.inputWaitSeconds)),
      ("outputWaitSeconds", .double(stage.outputWaitSeconds)), ("rows", .integer(stage.rows)),
      ("bytes", .integer(stage.bytes)), ("allocations", .orNull(stage.allocations)),
    ])
  }

  /// The requests to stores.
  package static func work(_ work: RunCounts) -> JSONValue {
    let (store, contexts) = (work.store, work.contexts)
    let parts = [
      contexts.requests, contexts.fetches, contexts.faultsFired, contexts.relationshipFaultsFired,
      contexts.cacheMisses, contexts.saves,
    ]
    return .object(
      members(store)
        + zip(ReportSchema.contextWork, parts).map { named, part in
          (named.0, .object([("count", .integer(part.count)), ("seconds", .double(part.seconds))]))
        })
  }

  /// The work of a store, as members of an object.
  package static func members(_ work: StoreCounts) -> [(String, JSONValue)] {
    [
      ("statements", .integer(work.statements)), ("rows", .integer(work.rows)), ("pages", .integer(work.pages)),
      ("pageRows", .integer(work.pageRows)),
    ]
  }

  /// The records that were read, and how many ended in each outcome.
  private static func counts(_ counts: OutcomeCounts) -> JSONValue {
    .object(
      [("read", .integer(counts.total))] + Outcome.allCases.map { ($0.rawValue, .integer(counts[$0])) })
  }
}
