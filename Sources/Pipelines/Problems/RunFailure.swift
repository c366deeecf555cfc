/// An error of a module above that says by itself what it is in a run's terms.
package protocol RunFailure: Error {
  /// The error as a run has it.
  /// - Parameter path: of the store that the run was at.
  func runError(store path: String) -> RunError
}
