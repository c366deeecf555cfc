import Pipelines

/// Command lines that one command suggests, to be copied into a shell.
enum SuggestedCommand {
  /// The command that migrates a store to a version of a model; the current one when nil.
  static func migrate(store: String, model: String, version: String?) -> String {
    let words = ["seedbed", "migrate", FilePath.argument(store), "--model", FilePath.argument(model)]
    return (words + (version.map(option) ?? [])).joined(separator: " ")
  }

  /// The option with a version, which may begin like an option itself.
  private static func option(_ version: String) -> [String] {
    version.hasPrefix("-") ? [FilePath.quoted("--to=" + version)] : ["--to", FilePath.quoted(version)]
  }
}
