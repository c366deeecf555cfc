public import Foundation

/// The files that `file()` reads.
@usableFromInline package protocol ValueFiles: Sendable {
  /// The bytes of a file.
  /// - Parameter name: its path, relative to the pipeline file.
  func read(_ name: String) throws(RecordExpressionFailure) -> Data
}
