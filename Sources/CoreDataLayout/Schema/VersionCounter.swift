import StoreInterface

/// The counter `Z_OPT` in statements.
enum VersionCounter {
  /// The value after a change; a row without a counter has had one change.
  static let next = after("IFNULL(Z_OPT, 1)")

  /// `Snapshot.version(after:)` in SQL, where a sum beyond 64 bits would be a real. A text counts as the number that it
  /// begins with, or as 0.
  static func after(_ version: String) -> String { "(\(version) & \(Snapshot.versionBits)) + 1" }
}
