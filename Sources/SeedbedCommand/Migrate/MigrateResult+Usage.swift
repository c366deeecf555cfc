import ImportEngine
import Pipelines

extension MigrateResult {
  /// The options of `migrate` that a value follows.
  private static let valued: Set<String> = [
    "--model", "--to", "--mapping", "--policy", "--duplicates", "--log-format",
  ]

  /// The JSON of a migration whose command line is wrong.
  /// - Parameters:
  ///   - arguments: without the program's name.
  ///   - message: what is wrong.
  /// - Returns: nil where the command is another, or no JSON is asked for.
  static func answer(toWrong arguments: [String], _ message: String, hint: String?) -> String? {
    guard arguments.first == "migrate", arguments.contains("--json") else { return nil }
    let rest = Array(arguments.dropFirst())
    let store = rest.indices.first { index in
      !rest[index].hasPrefix("-") && (index == 0 || !valued.contains(rest[index - 1]))
    }
    let target = rest.firstIndex(of: "--to").flatMap { rest.indices.contains($0 + 1) ? rest[$0 + 1] : nil }
    var result = MigrateResult(
      store: store.map { rest[$0] } ?? "", target: target ?? "", isDryRun: rest.contains("--dry-run"))
    result.note(refusal: RunError(.badPipeline, code: "usage", message, hint: hint))
    return result.json
  }
}
