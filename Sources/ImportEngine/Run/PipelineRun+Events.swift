public import Logging
import Pipelines
import Reports

/// The messages of a run to swift-log: one line for each event, with its name in the metadata under `event`.
extension PipelineRun {
  /// A logger without output.
  public static let silentLogger = Logger(label: "seedbed", factory: { _ in SwiftLogNoOpLogHandler() })

  func logBegin() {
    logger.info(
      "run begun",
      metadata: ["event": "run.begun", "pipeline": "\(pipeline.path)", "store": "\(pipeline.store.path)"])
  }

  func logWarnings(_ report: RunReport) {
    for warning in report.warnings { logger.warning("\(warning)", metadata: ["event": "run.warning"]) }
  }

  func logEnd(_ report: RunReport) {
    logWarnings(report)
    logger.info(
      "run ended",
      metadata: [
        "event": "run.ended", "result": "\(report.result.rawValue)",
        "durationSeconds": .stringConvertible(report.durationSeconds),
      ].merging(Self.metadata(report.counts)) { $1 })
  }

  func logBegin(_ step: ImportStep, number: Int) {
    logger.info(
      "step begun",
      metadata: [
        "event": "step.begun", "step": "\(step.name)", "number": .stringConvertible(number), "entity": "\(step.entity)",
        "source": "\(step.source.written)",
      ])
  }

  func logEnd(_ report: StepReport, number: Int) {
    logger.info(
      "step ended",
      metadata: [
        "event": "step.ended", "step": "\(report.name)", "number": .stringConvertible(number),
        "strategy": "\(report.strategy.rawValue)", "durationSeconds": .stringConvertible(report.durationSeconds),
      ].merging(Self.metadata(report.counts)) { $1 })
  }

  /// One line for each reason.
  func logRejects(_ rejects: RejectCollector) {
    for group in rejects.groups {
      var metadata: Logger.Metadata = [
        "event": "rejects", "code": "\(group.code)", "entity": "\(group.entity)", "property": "\(group.property)",
        "count": .stringConvertible(group.count), "first": "\(group.first.place)\(group.first.message)",
        "files": .array(group.files.map { .string($0) }),
      ]
      if !group.first.hint.isEmpty { metadata["hint"] = "\(group.first.hint)" }
      logger.notice("records rejected", metadata: metadata)
    }
  }

  /// Logs each single reject; nil unless the level is debug or finer, so that a run pays nothing for it otherwise.
  var rejectLog: ((Reject) -> Void)? {
    guard logger.logLevel <= .debug else { return nil }
    return { [logger] reject in
      logger.debug(
        "record rejected",
        metadata: [
          "event": "reject", "code": "\(reject.code)", "entity": "\(reject.entity)", "property": "\(reject.property)",
          "file": "\(reject.file)", "line": .stringConvertible(reject.line),
          "column": .stringConvertible(reject.column), "byteOffset": .stringConvertible(reject.byteOffset),
          "value": "\(reject.value)", "reason": "\(reject.message)",
        ])
    }
  }

  func logSeal(bytes: Int?) {
    guard let bytes else {
      logger.info("sealing the store", metadata: ["event": "seal.begun"])
      return
    }
    logger.info("store sealed", metadata: ["event": "seal.ended", "bytes": .stringConvertible(bytes)])
  }

  func logEnd(_ export: ExportReport) {
    logger.info(
      "export written",
      metadata: [
        "event": "export.ended", "entity": "\(export.entity)", "path": "\(export.path)",
        "rows": .stringConvertible(export.rows), "durationSeconds": .stringConvertible(export.durationSeconds),
      ])
  }

  private static func metadata(_ counts: OutcomeCounts) -> Logger.Metadata {
    var metadata: Logger.Metadata = ["read": .stringConvertible(counts.total)]
    for outcome in Outcome.allCases { metadata[outcome.rawValue] = .stringConvertible(counts[outcome]) }
    return metadata
  }
}
