/// Why an archive could not be read, before it is known from which file it came.
struct ArchiveError: Error {
  /// One sentence without a period.
  var message: String
  /// Whether the archive may be sound and only holds something that has no place in a model here.
  var isUnsupported = false

  init(_ message: String) {
    self.message = message
  }

  static func unsupported(_ message: String) -> ArchiveError {
    var error = ArchiveError(message)
    error.isUnsupported = true
    return error
  }

  static var tooMuchWork: ArchiveError {
    ArchiveError("the archive's objects refer to each other so often that it would expand without bound")
  }

  /// The same error, said of an entity or property.
  func said(of subject: String) -> ArchiveError {
    var error = self
    error.message = "\(subject.prefix(128)): \(message)"
    return error
  }
}
