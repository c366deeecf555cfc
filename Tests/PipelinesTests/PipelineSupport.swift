import Pipelines
import TestSupport

/// A temporary folder that is its own project root.
final class ProjectFolder: Sendable {
  private let folder: TemporaryFolder
  var path: String { folder.path }

  init(files: [String] = []) throws {
    folder = try TemporaryFolder()
    for file in [".seedbed-root"] + files { try folder.write("", to: file) }
  }

  /// Reads the text as `pipelines/test.yaml` of this project.
  func read(
    _ text: String, environment: [String: String] = [:], allowOutside: Bool = false
  ) throws(PipelineError) -> PipelineFile {
    try PipelineReader.read(
      text: text, path: path + "/pipelines/test.yaml", environment: environment,
      options: .init(allowsOutside: allowOutside))
  }

  /// The problems of the text, each as `line:column message`.
  func problems(_ text: String, environment: [String: String] = [:]) -> [String] {
    do {
      _ = try read(text, environment: environment)
      return []
    } catch {
      return error.problems.map { problem in
        (problem.position.map { "\($0.line):\($0.column) " } ?? "") + problem.message
      }
    }
  }
}
