import Diagnostics
import Logging
import ObjectModel
import Pipelines
import Reports
import StoreInterface

/// The result of `delete` and `update`.
struct BatchRequestResult {
  let store: String
  let entity: String
  let isDryRun: Bool
  /// What happened to the objects.
  let verb: String
  let outcome: BatchOutcome
  let work: StoreCounts
  let warnings: [String]

  private var count: Int { outcome.deletedCount + outcome.updatedCount }

  /// The result as a sentence, for people.
  var text: String {
    var line = "\(count.counted("object")) \(verb)"
    if outcome.relatedCount > 0 { line += ", relationships of \(outcome.relatedCount) others changed" }
    return isDryRun ? "Dry run, nothing was changed: \(line)." : "\(line)."
  }

  /// Prints the result, and the warnings on standard error.
  func print(asJSON: Bool) {
    for warning in warnings { LogLine.say(warning, .warning, event: "batch.warning") }
    Terminal.print(asJSON ? json : text)
  }

  /// The result as JSON, for programs.
  var json: String {
    let members: [(String, JSONValue)] = [
      ("store", .string(store)), ("entity", .string(entity)), ("dryRun", .boolean(isDryRun)),
      (verb, .integer(count)), ("related", .integer(outcome.relatedCount)),
      ("work", .object(ReportJSON.members(work))), ("warnings", .strings(warnings)),
    ]
    return JSONValue.object(members).text(isIndented: true)
  }
}
