import Foundation
import Platform

/// Turns the paths of a pipeline file into absolute ones, inside the project.
package struct ProjectPaths: Sendable {
  package struct Failure: Error {
    package var message: String
    package var hint: String?
    package var kind = PipelineProblem.Kind.configuration

    package init(message: String, hint: String? = nil, kind: PipelineProblem.Kind = .configuration) {
      self.message = message
      self.hint = hint
      self.kind = kind
    }
  }

  /// The use of a path. A source and a target may be a stream that the operator gave to the process.
  package enum Use {
    case file, source, target

    /// Whether a path, exactly as written, is one of these streams. No other device is.
    func isStream(_ path: String) -> Bool {
      let descriptor = "/dev/fd/"
      if self != .file, path.hasPrefix(descriptor) {
        let digits = path.utf8.dropFirst(descriptor.utf8.count)
        return (1...9).contains(digits.count) && digits.allSatisfy { (0x30...0x39).contains($0) }
      }
      switch self {
      case .file: return false
      case .source: return path == "/dev/stdin"
      case .target: return ["/dev/stdout", "/dev/stderr", "/dev/null"].contains(path)
      }
    }
  }

  /// The pipeline file's folder.
  package let folder: String
  /// The folder that paths may not leave.
  let root: String
  private let realRoot: String
  private let allowsOutside: Bool

  /// The project root is the nearest folder above the pipeline file with a `.git`, `Package.swift` or
  /// `.seedbed-root`; else the folder above `pipelines`, when the file is in a folder of that name; else its own.
  package init(pipelinePath: String, allowsOutside: Bool) {
    folder = Self.parent(of: pipelinePath)
    self.allowsOutside = allowsOutside
    var candidate = folder
    var found: String?
    while found == nil {
      let hasMarker = [".git", "Package.swift", ".seedbed-root"].contains { marker in
        FileSystem.exists(candidate == "/" ? "/" + marker : candidate + "/" + marker)
      }
      if hasMarker { found = candidate }
      if candidate == "/" { break }
      candidate = Self.parent(of: candidate)
    }
    let isInPipelines = folder.split(separator: "/").last == "pipelines"
    root = found ?? (isInPipelines ? Self.parent(of: folder) : folder)
    realRoot = Self.real(root)
  }

  /// The absolute path of a path in the file.
  /// - Throws: `Failure` when it leaves the project root and neither an option nor an absolute value of an
  ///   environment variable at its start allows it.
  package func resolve(_ path: EnvironmentExpansion, for use: Use = .file) throws(Failure) -> String {
    let text = path.text
    guard !text.isEmpty else { throw Failure(message: "the path is empty") }
    guard !text.utf8.contains(0) else { throw Failure(message: "the path holds a NUL character") }
    if UnexpectedFileText.isURL(text) {
      throw Failure(message: "\"\(text)\" is a URL, not a path", hint: UnexpectedFileText.hint(forURL: text))
    }
    if text.hasPrefix("~/"), !FileSystem.exists(folder + "/~") {
      throw Failure(
        message: "\"~\" is no folder here: only a shell knows it", hint: "write ${HOME}\(text.dropFirst())")
    }
    let absolute = FilePath.normalized(text.hasPrefix("/") ? text : folder + "/" + text)
    if allowsOutside || use.isStream(text) { return absolute }
    if let given = path.leadingValue, given.hasPrefix("/"),
      Self.contains(FilePath.normalized(given), absolute)
        || Self.contains(Self.parent(of: FilePath.normalized(given)), absolute) && text.hasPrefix(given)
          && !text.dropFirst(given.count).contains("/")
    {
      return absolute
    }
    guard Self.contains(root, absolute), Self.contains(realRoot, Self.real(absolute)) else {
      throw Failure(
        message: "the path \"\(text)\" leaves the project folder \(root)",
        hint:
          "put the pipeline into a folder pipelines/ beside the files, make an empty .seedbed-root where the project begins, "
          + "name the folder by an environment variable (${NAME}/...), or give --allow-outside")
    }
    return absolute
  }

  /// The sources of a path or pattern, sorted by path, those in an archive by archive and member. A path without
  /// wildcards is given back as it is, there or not.
  func files(_ path: EnvironmentExpansion) throws(Failure) -> [String] {
    if let (archive, member) = try archiveParts(path) {
      var sources: [String] = []
      for file in try files(archive) { sources += try members(member, of: file) }
      return sources
    }
    let pattern = try resolve(path, for: .source)
    guard pattern.contains(where: { "*?[".contains($0) }), !FileSystem.exists(pattern) else {
      return [pattern]
    }
    let files = FilePattern.files(matching: pattern)
    guard !files.isEmpty else {
      throw Failure(
        message: "no file matches \"\(path.text)\"", hint: "looked in \(Self.parent(of: pattern))", kind: .missing)
    }
    if !allowsOutside, path.leadingValue?.hasPrefix("/") != true {
      for file in files where !Self.contains(realRoot, Self.real(file)) {
        throw Failure(
          message: "the file \"\(file)\" is a link that leaves the project folder \(root)", hint: "give --allow-outside"
        )
      }
    }
    return files
  }

  static func parent(of path: String) -> String { FilePath.normalized(path + "/..") }

  /// Whether an absolute path lies in the project, links followed.
  fileprivate func holds(_ path: String) -> Bool {
    Self.contains(root, path) && Self.contains(realRoot, Self.real(path))
  }

  private static func contains(_ folder: String, _ path: String) -> Bool {
    folder == "/" || path == folder || path.hasPrefix(folder + "/")
  }

  /// The path with the symbolic links of its existing part followed.
  private static func real(_ path: String) -> String {
    var existing = path
    while existing != "/", !FileSystem.exists(existing) { existing = parent(of: existing) }
    let resolved = URL(fileURLWithPath: existing).resolvingSymlinksInPath().path
    return FilePath.normalized(resolved + "/" + path.dropFirst(existing.count))
  }
}

/// The project that a pipeline file belongs to.
public enum ProjectFolder {
  /// Whether a pipeline may name a file without `--allow-outside`.
  /// - Parameters:
  ///   - path: of the file, absolute or from the current folder.
  ///   - pipeline: path of the pipeline file, which need not be there yet.
  public static func holds(_ path: String, ofPipeline pipeline: String) -> Bool {
    func absolute(_ path: String) -> String {
      FilePath.normalized(path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path)
    }
    return ProjectPaths(pipelinePath: absolute(pipeline), allowsOutside: false).holds(absolute(path))
  }
}
