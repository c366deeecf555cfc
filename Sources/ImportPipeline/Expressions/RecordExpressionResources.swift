/// What expressions read besides the record: files of the project, and lookup tables by name.
struct RecordExpressionResources: Sendable {
  /// nil where there is no pipeline file that paths could be relative to.
  var files: FileValues?
  var lookups: [String: LookupTable] = [:]
}
