/// The readable part of a pipeline file, and its problems.
package struct PipelineReading {
  /// The file; nil where not even the model and the store could be read.
  package var file: PipelineFile?
  /// Every mistake, in the order of the file.
  package var problems: [PipelineProblem]

  /// The file when nothing is wrong with it.
  package func soundFile() throws(PipelineError) -> PipelineFile {
    guard problems.isEmpty, let file else { throw PipelineError(problems) }
    return file
  }
}
