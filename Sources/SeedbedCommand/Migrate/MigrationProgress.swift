import Diagnostics
import Migration
import SQLMigration
import Synchronization

/// How far a migration is, for the line on the terminal.
final class MigrationProgress: Sendable {
  private struct State {
    var number = 0
    var step = ""
    var stage: StoreMigration.Stage?
    var work = StoreCounts()
    var reports: [Int: MigrationReport] = [:]
  }
  private let state = Mutex(State())
  private let stepCount: Int

  init(stepCount: Int) { self.stepCount = stepCount }

  func begin(_ step: MigrationChain.Step) {
    state.withLock { state in
      state.number += 1
      state.step = step.description
      state.stage = nil
    }
  }

  func end(_ report: MigrationReport) {
    state.withLock { $0.reports[$0.number] = report }
  }

  func add(_ work: StoreCounts) { state.withLock { $0.work = $0.work + work } }

  /// The requests of the steps to their stores.
  var work: StoreCounts { state.withLock(\.work) }

  /// The reports of steps that were done by statements, by their numbers from 1.
  var reports: [Int: MigrationReport] { state.withLock(\.reports) }

  func begin(_ stage: StoreMigration.Stage) { state.withLock { $0.stage = stage } }

  /// Such as `step 1 of 2: Shop → Shop 2: inferred · writing rows · 0:12`.
  func text(after elapsed: Duration) -> String {
    let state = state.withLock { $0 }
    let step = state.number == 0 ? nil : "step \(state.number) of \(stepCount): \(state.step)"
    return [step ?? "migrating", state.stage?.rawValue, ReadableText.duration(elapsed / .seconds(1))].compactMap { $0 }
      .joined(separator: " · ")
  }
}
