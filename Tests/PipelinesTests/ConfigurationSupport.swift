import Foundation
import Pipelines

/// A temporary folder that is its own project root, removed with the last reference.
final class ProjectFolder: Sendable {
  let path: String

  init(files: [String] = []) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("seedbed-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.resolvingSymlinksInPath().path
    for file in [".seedbed-root"] + files {
      let url = URL(fileURLWithPath: path + "/" + file)
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data().write(to: url)
    }
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Reads the text as `pipelines/test.yaml` of this project.
  func read(
    _ text: String, environment: [String: String] = [:], allowOutside: Bool = false
  ) throws(PipelineError) -> PipelineFile {
    try PipelineReader.read(
      text: text, path: path + "/pipelines/test.yaml", environment: environment,
      options: .init(allowOutside: allowOutside))
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
