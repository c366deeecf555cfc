/// Command lines that one command suggests, to be copied into a shell.
enum SuggestedCommand {
  /// What migrates a store to a version of a model; the current one when nil.
  static func migrate(store: String, model: String, version: String?) -> String {
    let words = ["seedbed", "migrate", path(store), "--model", path(model)]
    return (words + (version.map(option) ?? [])).joined(separator: " ")
  }

  /// A path that no shell and no command takes for anything else: `./` stands before one that looks like an option.
  private static func path(_ path: String) -> String { quoted(path.hasPrefix("-") ? "./" + path : path) }

  /// The option with a version, which may begin like an option itself.
  private static func option(_ version: String) -> [String] {
    version.hasPrefix("-") ? [quoted("--to=" + version)] : ["--to", quoted(version)]
  }

  private static func quoted(_ word: String) -> String {
    let isPlain = word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+=".contains($0)) }
    return isPlain && !word.isEmpty ? word : "'" + word.replacing("'", with: "'\\''") + "'"
  }
}
