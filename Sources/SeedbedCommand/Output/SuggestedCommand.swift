/// Command lines that one command suggests, to be copied into a shell.
enum SuggestedCommand {
  /// What migrates a store to a version of a model; the current one when nil.
  static func migrate(store: String, model: String, version: String?) -> String {
    let words = ["seedbed", "migrate", quoted(store), "--model", quoted(model)]
    return (words + (version.map { ["--to", quoted($0)] } ?? [])).joined(separator: " ")
  }

  private static func quoted(_ word: String) -> String {
    let isPlain = word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+".contains($0)) }
    return isPlain && !word.isEmpty ? word : "'" + word.replacing("'", with: "'\\''") + "'"
  }
}
