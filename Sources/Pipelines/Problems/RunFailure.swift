/// An error of a higher module that can be turned into a `RunError`.
package protocol RunFailure: Error {
  /// The same error as a `RunError`.
  /// - Parameter path: the path of the store that the run used.
  func runError(store path: String) -> RunError
}
