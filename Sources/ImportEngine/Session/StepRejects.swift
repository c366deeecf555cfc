import ObjectModel
import Pipelines
import Reports
import SeedFormats

/// The rejects of one step: turns the problems of its batches into rejects, and counts them.
final class StepRejects {
  private let index: Int
  private let source: SourceReader
  private let session: ImportSession
  /// How many records were rejected.
  private(set) var count = 0
  /// Settings of files that state their delimiter themselves, by index.
  private var ownSettings: [Int: SourceSettings] = [:]
  private var plan: StepPlan { source.plan }
  private var files: [SourceFile] { source.files }

  /// - Parameter index: the step's number among the run's import steps.
  init(index: Int, source: SourceReader, session: ImportSession) {
    self.index = index
    self.source = source
    self.session = session
  }

  /// Rejects the records of a batch that have problems, and the text that the scanner could not read as records.
  func emit(of decoded: DecodedBatch) throws {
    var faults = decoded.records.faults[...]
    if decoded.faultsAreDone { faults = [] }
    var next = 0
    let sorted = decoded.problems.keys.sorted()
    func flushFaults(before record: Int) throws {
      while let fault = faults.first, fault.beforeRecord <= record {
        let index = faults.startIndex
        faults.removeFirst()
        try unsafe add(
          decoded.reject(fault: fault, index: index, file: files[decoded.file].name, step: plan.step),
          record: unsafe decoded.records.rawBytes(of: fault.place), file: decoded.file)
      }
    }
    while next < sorted.count {
      let record = sorted[next]
      next += 1
      try flushFaults(before: record)
      guard let problems = decoded.problems[record], let first = problems.first else { continue }
      var reject = decoded.reject(
        record: record, problem: first, file: files[decoded.file].name, step: plan.step)
      // All problems of a record are reported together.
      for other in problems.dropFirst() where !reject.message.contains(other.message) {
        reject.message += "; " + other.message
      }
      // Safety: the file copies the record; the records are not filled again before the batch is done with.
      let bytes = unsafe decoded.records.rawBytes(of: decoded.records.place(ofRecord: record))
      try unsafe add(reject, record: bytes, file: decoded.file)
    }
    try flushFaults(before: .max)
    decoded.forgetRejected()
    try session.checkLimit()
  }

  private func add(_ reject: Reject, record: UnsafeRawBufferPointer, file: Int) throws {
    count += 1
    try unsafe session.rejects.add(
      reject, record: record, step: index, name: plan.step.name, source: settings(ofFile: file),
      header: source.headers[file] ?? [])
  }

  /// The source's settings with the delimiter that a file of it states itself: rejects are written as the file is.
  private func settings(ofFile file: Int) -> SourceSettings {
    guard plan.step.source.honorsSeparatorLine else { return plan.step.source }
    if let known = ownSettings[file] { return known }
    var settings = plan.step.source
    if let source = try? SeedFile.open(path: files[file].path, options: self.source.options),
      let reader = try? RecordReader(source: source, options: self.source.options, projection: []),
      let first = reader.delimiter.first
    {
      settings.delimiter = first
      settings.delimiterRest = Array(reader.delimiter.dropFirst())
    }
    ownSettings[file] = settings
    return settings
  }

  /// The error of a restored reference that leads nowhere: the dump is not whole.
  func danglingReference(_ pending: PendingReference) -> RunError {
    let reference = plan.node(pending.node)?.references[pending.reference]
    let key = reference.map { reference in unsafe pending.key.withUnsafeBytes { unsafe reference.shownKey($0) } } ?? ""
    let property = "\(plan.step.entity).\(reference?.property ?? "")"
    return RunError(
      .badData, code: "reference.unresolved",
      "\(place(of: pending)): \"\(key)\" matches no object (\(property))",
      hint: "restore the whole dump, or add missing: null to the reference")
  }

  /// The error of a reference to an object that came later, which would break a rule, with its place.
  func lateFailure(_ error: LateReferenceError) -> RunError {
    let pending = error.reference
    var described = RunError(any: error.underlying, store: "the store")
    described.message = "\(place(of: pending)): \(described.message)"
    if described.code != "reference.count", let reference = plan.node(pending.node)?.references[pending.reference] {
      described.hint =
        "put the step of \(reference.relationship.destination.name) first: then only the records that break a rule are "
        + "rejected"
    }
    return described
  }

  /// Where a reference stands: file, line and column.
  func place(of pending: PendingReference) -> String {
    "\(files[pending.file].name):\(pending.line):\(pending.column)"
  }

  /// Rejects a record that had been written, for a reference that leads nowhere.
  func add(_ pending: PendingReference, of node: NodePlan, for obstacle: LateObstacle) throws {
    let reference = node.references[pending.reference]
    let value = unsafe pending.key.withUnsafeBytes { unsafe reference.shownKey($0) }
    let problem = reference.problem(
      entity: node.entity.name, code: obstacle.code, what: obstacle.text, value: value, rawOffset: nil)
    try unsafe pending.record.withUnsafeBytes { record in
      try unsafe add(
        Reject(
          file: files[pending.file].name, line: pending.line, column: pending.column,
          byteOffset: pending.byteOffset, entity: plan.step.entity, property: problem.property, code: problem.code,
          value: problem.value, message: problem.message, hint: problem.hint,
          pointer: pending.pointer.isEmpty ? nil : pending.pointer), record: record,
        file: pending.file)
    }
  }
}
