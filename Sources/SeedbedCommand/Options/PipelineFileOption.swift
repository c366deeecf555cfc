import Foundation
import ImportEngine
import Pipelines

extension PipelineCheck {
  /// Reads a pipeline file that a command line names.
  static func read(_ path: String, allowsOutside: Bool) throws(PipelineError) -> PipelineFile {
    try read(
      path: path, environment: ProcessInfo.processInfo.environment,
      options: PipelineReader.Options(allowsOutside: allowsOutside))
  }
}
