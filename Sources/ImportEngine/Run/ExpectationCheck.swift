import CoreDataLayout
import Foundation
import ObjectModel
import Pipelines
import Platform
import Reports
import StoreInterface

/// Compares what a run has done with what its pipeline expects, before any result is put in place.
struct ExpectationCheck {
  let pipeline: PipelineFile
  let model: ManagedObjectModel
  /// Rows of the store that is there by entity, where they were counted when the run began.
  private(set) var rowsBefore: [String: Int] = [:]

  var hasExpectations: Bool {
    !pipeline.expectations.isEmpty || pipeline.imports.contains { $0.expectation != nil }
  }

  /// Counts the rows of the store that is there now, before it is imported into in place: to read the file during that
  /// would release SQLite's lock on it.
  mutating func countBefore() throws {
    guard FileSystem.exists(pipeline.store.path) else { return }
    for step in pipeline.imports where step.expectation?.shrink != nil {
      rowsBefore[step.entity] = try rowCount(of: step.entity)
    }
  }

  /// - Parameters:
  ///   - steps: the reports of the import steps.
  ///   - unread: steps of which a dry run has left a file unread; they are not checked, and neither is the store.
  ///   - storePath: the finished store, which is not in place yet.
  ///   - open: the store where it is open.
  /// - Returns: how many expectations were met.
  /// - Throws: `RunError` with all that were not.
  func check(_ steps: [StepReport], unread: [Bool], storePath: String, open: SQLiteStore? = nil) throws -> Int {
    guard hasExpectations else { return 0 }
    var options = SQLiteStore.Options()
    options.isReadOnly = true
    let store = try open ?? SQLiteStore.open(path: storePath, model: model, options: options)
    defer { if open == nil { try? store.close() } }
    var failures: [PipelineProblem] = []
    var count = 0
    for (index, step) in pipeline.imports.enumerated() {
      guard let expectation = step.expectation, !unread[index] else { continue }
      count += 1
      func fail(_ field: String, _ message: String) {
        failures.append(
          problem("step \(step.name): \(message)", at: expectation.fieldPositions[field] ?? step.position))
      }
      check(expectation, steps[index].counts, fail)
      if let shrink = expectation.shrink, let message = try shrinkage(step, shrink, store) { fail("shrink", message) }
    }
    if !unread.contains(true) {
      for expectation in pipeline.expectations {
        count += 1
        if let message = try failure(of: expectation, store) {
          failures.append(problem(message, at: expectation.position))
        }
      }
    }
    guard let first = failures.first else { return count }
    var error = RunError(
      .badData, code: Self.code, failures.map { $0.place + $0.message }.joined(separator: "\n"),
      hint: "mend the sources, or change expect:; the previous store is as it was")
    error.position = RunError.Position(
      file: first.file, line: first.position?.line, column: first.position?.column)
    error.problems = failures
    throw error
  }

  private static let code = "expect.failed"

  /// An expectation that is not met.
  private func problem(_ message: String, at position: FilePosition) -> PipelineProblem {
    PipelineProblem(code: Self.code, message: message, file: FilePath.shown(pipeline.path), position: position)
  }

  private func check(_ expectation: StepExpectation, _ counts: OutcomeCounts, _ fail: (String, String) -> Void) {
    let taken = counts.inserted + counts.updated + counts.unchanged
    let records = "\(taken) of \(counts.total) records were taken up"
    if let minimum = expectation.minimum, taken < minimum {
      fail("min", "\(records), at least \(minimum) are expected")
    }
    if let maximum = expectation.maximum, taken > maximum {
      fail("max", "\(records), at most \(maximum) are expected")
    }
    let rejects = "\(counts.rejected) of \(counts.total) records were rejected"
    switch expectation.rejects {
    case .count(let limit)? where counts.rejected > limit:
      fail("rejects", "\(rejects), at most \(limit) are expected")
    case .percent(let limit)? where Double(counts.rejected) * 100 > limit * Double(counts.total):
      fail("rejects", "\(rejects), at most \(FieldType.short(limit))% are expected")
    default: break
    }
  }

  /// The problem with the number of rows compared with the existing store.
  private func shrinkage(_ step: ImportStep, _ percent: Double, _ store: SQLiteStore) throws -> String? {
    guard FileSystem.exists(pipeline.store.path) else { return nil }
    let before = try rowsBefore[step.entity] ?? rowCount(of: step.entity)
    let after = try store.count(FetchSpecification(try entity(step.entity)))
    guard before > 0, Double(before - after) * 100 > percent * Double(before) else { return nil }
    let loss = Double(before - after) * 100 / Double(before)
    return "\(step.entity) has \(after) rows, \(String(format: "%.1f", loss))% fewer than the \(before) of "
      + "\(FilePath.shown(pipeline.store.path)); at most \(FieldType.short(percent))% fewer are expected"
  }

  /// The rows of an entity and its sub-entities in the store that is there, which may have been made with another
  /// model.
  private func rowCount(of name: String) throws -> Int {
    let known = try StoreInspection.read(path: pipeline.store.path).entities
    guard let root = known.first(where: { $0.name == name }) else { return 0 }
    var numbers: Set<Int> = [root.number]
    var count = 0
    repeat {
      count = numbers.count
      for entity in known where numbers.contains(entity.parent) { numbers.insert(entity.number) }
    } while numbers.count > count
    return known.reduce(0) { $0 + (numbers.contains($1.number) ? $1.count ?? 0 : 0) }
  }

  private func failure(of expectation: StoreExpectation, _ store: SQLiteStore) throws -> String? {
    let count = try store.count(try expectation.request(try entity(expectation.entity)))
    guard count < expectation.minimum || count > expectation.maximum ?? .max else { return nil }
    let what = expectation.entity + (expectation.predicate.map { " with \($0)" } ?? "")
    let wanted: String
    switch expectation.maximum {
    case 0?: wanted = "none"
    case nil: wanted = "at least \(expectation.minimum)"
    case expectation.minimum?: wanted = "exactly \(expectation.minimum)"
    case let maximum?: wanted = expectation.minimum == 0 ? "at most \(maximum)" : "\(expectation.minimum) to \(maximum)"
    }
    let name = expectation.name.map { "\($0): " } ?? ""
    return "\(name)the store has \(count) \(what), \(wanted) are expected"
  }

  private func entity(_ name: String) throws(RunError) -> Entity {
    try model.entity(named: name, code: "pipeline.unknown-entity")
  }
}
