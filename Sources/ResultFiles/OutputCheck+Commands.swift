public import Pipelines
import SeedFormats

// For commands that write texts of their own.
extension OutputCheck {
  /// Keeps files of a command's own from being, or lying in, what it reads.
  /// - Throws: `RunError` when one does.
  public static func check(paths: [String], reads: [String]) throws(RunError) {
    var inputs = RunInputs()
    for path in reads { inputs.add(model: path) }
    for path in paths where inputs.contain(path) {
      throw RunError(
        .cannotCreate, code: "output.is-input",
        "\(path) is a part of \(reads.joined(separator: " or ")), or lies in it",
        hint: "name another folder")
    }
  }

  /// Looks at a path before anything is written there.
  /// - Parameters:
  ///   - option: its name in messages.
  ///   - reads: stores, models and other files that the command reads.
  ///   - replacesForeign: whether a file that is no earlier result may be replaced.
  ///   - isEarlier: whether the existing file, of which it gets the first 4 KB, is an earlier result.
  /// - Throws: `RunError` when the path names anything else.
  public static func check(
    option: String, path: String, reads: [String], replacesForeign: Bool,
    isEarlier: @escaping @Sendable (String) -> Bool
  ) throws(RunError) {
    var inputs = RunInputs()
    for path in reads { inputs.add(model: path) }
    try check(
      .init(field: option, path: path, kind: .text(.beginning(isEarlier), .csv)), inputs: inputs,
      replacesForeign: replacesForeign)
  }
}
