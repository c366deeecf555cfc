import Diagnostics
import Exports
import Pipelines
import Reports

/// The report of `export` and `query` with `--json`: the objects they wrote, and their requests to the store.
final class ObjectsReport {
  private let store: String
  private let entity: String
  /// `-` is standard output.
  private let output: String
  private let begin = ContinuousClock.now
  private var work = StoreCounts()

  init(store: String, entity: String, output: String) {
    self.store = store
    self.entity = entity
    self.output = output
  }

  /// The export, with its requests to the store counted in this report.
  func following(_ export: StoreExport) -> StoreExport {
    var export = export
    export.didWork = { self.work = self.work + $0 }
    return export
  }

  /// Writes the report: to standard error where standard output has the objects.
  /// - Parameter changes: of an export of changed objects.
  func write(rows: Int, changes: ChangedExport? = nil) {
    var members: [(String, JSONValue)] = [
      ("store", .string(store)), ("entity", .string(entity)), ("output", .string(output)), ("rows", .integer(rows)),
    ]
    if let changes {
      members += [("deleted", .integer(changes.deletions.count)), ("token", .string("\(changes.token)"))]
    }
    members += [
      ("durationSeconds", .double((ContinuousClock.now - begin) / .seconds(1))),
      ("work", .object(ReportJSON.members(work))),
    ]
    let report = JSONValue.object(members)
    // Each message on standard error is one line.
    if output == "-" {
      Terminal.say(report.text(isIndented: false))
    } else {
      Terminal.print(report.text(isIndented: true))
    }
  }
}
