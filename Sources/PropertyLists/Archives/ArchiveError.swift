/// Why an archive could not be read, before it is known from which file it came.
package struct ArchiveError: Error {
  /// One sentence without a period.
  package var message: String
  /// Whether the archive may be sound and only holds something that has no place in a model here.
  package var isUnsupported = false

  package init(_ message: String) {
    self.message = message
  }

  package static func unsupported(_ message: String) -> ArchiveError {
    var error = ArchiveError(message)
    error.isUnsupported = true
    return error
  }

  package static var tooMuchWork: ArchiveError {
    ArchiveError("the archive's objects refer to each other so often that it would expand without bound")
  }

  /// The same error, with the name of the entity or property that it is about.
  package func naming(_ subject: String) -> ArchiveError {
    var error = self
    error.message = "\(subject.prefix(128)): \(message)"
    return error
  }
}
