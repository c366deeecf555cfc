import Foundation

/// What a user does wrong, and what the tool has to say about it: a sample project that works, what is changed in it,
/// the command, the exit code and the words that must be in the message.
struct Mistake: Sendable {
  /// A change of the sample project.
  enum Change: Sendable {
    /// A file that is added or written anew.
    case file(String, [UInt8])
    /// A file that is added and packed with gzip.
    case gzip(String, String)
    /// A folder that is added.
    case folder(String)
    /// Lines of a file, and what stands there instead.
    case lines(String, old: String, new: String)
    /// The store that the sample pipeline builds, `Shop.sqlite`.
    case store
    /// The same without the model that it carries.
    case storeWithoutModel
  }

  /// What is wrong, as a sentence or the beginning of one.
  var name: String
  var changes: [Change] = []
  var environment: [String: String] = [:]
  /// The file of the project that is standard input.
  var input: String?
  /// A folder of the project that is a file system of its own, of this size.
  var disk: (folder: String, size: String)?
  var arguments: [String] = []
  var exitCode: Int32?
  /// What the message must contain.
  var words: [String] = []
  /// What the message must not contain.
  var absent: [String] = []

  /// Makes the changes in a copy of the sample project.
  /// - Parameter store: the bytes of the store that the sample pipeline builds.
  func apply(to workspace: Workspace, store: [UInt8]) throws {
    for change in changes {
      switch change {
      case .file(let path, let bytes): try workspace.write(path, bytes)
      case .gzip(let path, let text): try workspace.gzip(path, text)
      case .folder(let path):
        try FileManager.default.createDirectory(at: workspace.url(path), withIntermediateDirectories: true)
      case .lines(let path, let old, let new):
        let parts = try workspace.text(path).components(separatedBy: old)
        guard parts.count == 2 else { throw TableProblem(place: name, problem: "\(path) has not once:\n\(old)") }
        try workspace.write(path, parts.joined(separator: new))
      case .store: try workspace.write("Shop.sqlite", store)
      case .storeWithoutModel:
        try workspace.write("Shop.sqlite", store)
        try workspace.removeCachedModel(of: "Shop.sqlite")
      }
    }
  }

  /// What differs between what the tool did and what it should do.
  func problems(of outcome: Tool.Outcome) -> [String] {
    let said = outcome.text + outcome.talk
    var problems = words.filter { !said.contains($0) }.map { "is not said: \($0)" }
    problems += absent.filter { said.contains($0) }.map { "is said: \($0)" }
    if outcome.exitCode != exitCode { problems.append("the exit code is \(outcome.exitCode)") }
    return problems
  }
}

/// A place of the table that cannot be read or does not fit the sample project.
struct TableProblem: Error {
  var place: String
  var problem: String
}
