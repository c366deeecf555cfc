import ImportEngine
import Pipelines

extension PipelineExplanation {
  /// The explanation as text, for people.
  var text: String {
    let asked =
      store.map { "asked: \(FilePath.shown($0))" } ?? "no store of the model is there: an empty one was asked"
    return (["\(FilePath.shown(pipeline)); \(asked)"] + notes.map { "note: \($0)" }).joined(separator: "\n") + "\n\n"
      + parts.map(\.text).joined(separator: "\n\n")
  }
}

extension PipelineExplanation.Part {
  fileprivate var text: String {
    var lines = [title] + notes.map { "  " + $0 }
    for lookup in lookups { lines += ["", lookup.text.indented(by: 2)] }
    return lines.joined(separator: "\n")
  }

  private var title: String {
    switch kind {
    case .begin: return "before the first step"
    case .step:
      let way = [strategy?.rawValue, reason].compactMap { $0 }.joined(separator: "; ")
      return "import \(name)" + (entity == name ? "" : " (\(entity ?? ""))") + ": " + way
    case .expect: return "expect \(name)"
    case .export: return "export \(FilePath.shown(name)) (\(entity ?? ""))"
    }
  }
}

extension PipelineExplanation.Lookup {
  fileprivate var text: String {
    let advice = readsWholeTable ? "every row is wanted, so no index would help" : fetch.adviceText
    return purpose + ":\n" + (fetch.statementText + "\n\n" + advice).indented(by: 2)
  }
}

extension String {
  /// The lines with blanks before those that have anything.
  fileprivate func indented(by width: Int) -> String {
    split(separator: "\n", omittingEmptySubsequences: false).map {
      $0.isEmpty ? "" : String(repeating: " ", count: width) + $0
    }.joined(separator: "\n")
  }
}
