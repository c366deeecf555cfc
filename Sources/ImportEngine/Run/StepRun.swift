import Foundation
import ObjectModel
import Pipelines
import Reports
import SeedFormats

/// Runs one import step: chooses the way in which it writes, imports its source, and reports.
final class StepRun {
  let scope: StepScope
  private var choice: StrategyChoice?
  private var strategy: (any WritingStrategy)?
  private var durationSeconds = 0.0
  private var notes: [SourceNote] = []
  private var warnings: [String] = []
  private var plan: StepPlan { scope.plan }
  private var session: ImportSession { scope.session }

  init(index: Int, plan: StepPlan, files: [SourceFile], options: FormatOptions, session: ImportSession) {
    scope = StepScope(index: index, plan: plan, files: files, options: options, session: session)
  }

  /// The report of the step so far.
  var report: StepReport {
    let outcomes = scope.outcomes
    var report = StepReport(
      name: plan.step.name, entity: plan.step.entity, source: plan.step.source.written,
      strategy: choice?.strategy ?? plan.step.strategy,
      reason: ([choice?.reason ?? ""] + outcomes.remarks).joined(separator: "; "))
    report.counts = outcomes.counts(rejected: scope.rejects.count)
    report.nestedInserted = outcomes.nestedInserted
    report.nestedUpdated = outcomes.nestedUpdated
    report.nestedDeleted = outcomes.nestedDeleted
    report.notes = notes
    report.warnings = warnings
    report.durationSeconds = durationSeconds
    report.stages = scope.source.meters.reports
    report.readings = scope.source.meters.readingCount
    return report
  }

  /// Imports the source. Records may be held back.
  func run() throws {
    let start = ContinuousClock.now
    // Of a step that fails, too.
    defer { durationSeconds = (ContinuousClock.now - start) / .seconds(1) }
    let choice = try StrategyChoice.choose(
      plan, preferred: session.strategy, isEmpty: { session.isEmpty($0) }, wasEmpty: { session.wasEmpty($0) },
      isHeld: { session.heldObjects.hasNew($0) })
    self.choice = choice
    let strategy = choice.makeStrategy(scope)
    self.strategy = strategy
    try strategy.begin()
    do {
      try strategy.importRecords()
    } catch let error as RunError where error.code == RunError.overLimitCode {
      // A field that no record has may be the reason of many rejects.
      warnings = scope.source.fieldWarnings(isWhole: false)
      throw error
    }
    scope.keys.end()
    session.noteRows(in: plan)
    session.releaseTables(after: scope.index)
    try strategy.finish()
    notes = scope.source.sourceNotes()
    warnings = scope.source.fieldWarnings(isWhole: true) + warningsOfLists
  }

  /// A warning where lists were left out: of several records about one object only one counts, so a file of pairs, with
  /// a record for each member, loses members.
  private var warningsOfLists: [String] {
    let count = scope.outcomes.duplicate
    let lists =
      plan.root.references.filter(\.relationship.isToMany).map(\.property)
      + plan.root.children.filter(\.relationship.isToMany).map(\.property)
    guard count > 0, !lists.isEmpty else { return [] }
    return [
      "\(plan.step.name): \(count.counted("record")) left out, as others are about the same objects, and with them what "
        + "they say of \(lists.joined(separator: ", ")): each record gives a whole list, and no member of one "
        + "(members: add says that it does)"
    ]
  }

  /// The records that are held back.
  var held: HeldRecords? { strategy?.held }

  /// Writes the held records that need not wait any more.
  func writeHeld(_ arrivals: Arrivals) throws {
    guard let strategy, let held = strategy.held, held.count > 0 else { return }
    let before = held.count
    let batches = held.release()
    let isLate = !arrivals.waitsForProvisional
    let provisional = isLate ? session.pendingReferences.provisionalRows : RootRows()
    for decoded in batches {
      try strategy.importBatch(decoded, arrivals)
      scope.noteLeftOut(of: decoded)
    }
    guard held.count < before else { return }
    try strategy.finish()
    if isLate { for decoded in batches { try scope.noteReliance(of: decoded, on: provisional) } }
  }

  /// Completes the report, once all records are written or rejected.
  func finish() { notes += scope.leftOutNotes }
}
