import SeedFormats

/// A path that stands where a data file was expected.
public enum DataArgument {
  /// Why a path cannot be a data file, before anything in it is read; nil where nothing speaks against it.
  public static func refusal(of path: String) -> RunError? {
    func refused(_ code: String, _ reason: String, _ hint: String?) -> RunError {
      RunError(.missingInput, code: code, "\(path): \(reason)", hint: hint)
    }
    if UnexpectedFileText.isURL(path) {
      return refused("source.is-url", "this is a URL, not a path", UnexpectedFileText.hint(forURL: path))
    }
    let file = SeedPlace.parts(of: path).file
    guard let nature = UnexpectedFileText(file) else {
      guard SourceKind(file) == .missing else { return nil }
      let isPattern = path.contains("*") || path.contains("?")
      let hint =
        isPattern ? "no file is like it, so the shell left it as it is" : UnexpectedFileText.hint(forMissing: file)
      return refused("source.missing", "there is no such file", hint)
    }
    if nature.name == "a data model" {
      return refused("source.is-model", "this is a data model, not data", "to fill it, name it behind --model")
    }
    if nature.isFolder { return refused("source.is-folder", "this is a folder", folderHint(path)) }
    let name = path.lowercased()
    if name.hasSuffix(".yaml") || name.hasSuffix(".yml") {
      return refused(
        "source.is-pipeline", "this is \(nature.name), not data",
        "a pipeline is run with: seedbed run \(FilePath.argument(path))")
    }
    return nil
  }

  private static func folderHint(_ path: String) -> String {
    var folder = path
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    return "name the files in it: \(folder)/*"
  }
}
