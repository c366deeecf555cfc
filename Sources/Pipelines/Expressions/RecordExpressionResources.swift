/// The inputs of expressions besides the record: files of the project, and lookup tables by name.
package struct RecordExpressionResources: Sendable {
  /// Nil where there is no pipeline file that paths could be relative to.
  package var files: (any ValueFiles)?
  /// The tables by the names of their lookups.
  package var lookups: [String: LookupTable]

  /// - Parameter files: those of the pipeline's project.
  package init(files: (any ValueFiles)? = nil, lookups: [String: LookupTable] = [:]) {
    self.files = files
    self.lookups = lookups
  }
}
