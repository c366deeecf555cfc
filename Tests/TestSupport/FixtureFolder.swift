public import Foundation

/// The folder of shared fixtures beside the package: models and stores that Apple's tools made, and public corpora. Tests that
/// need it are skipped where it is absent.
public enum FixtureFolder {
  /// The package itself.
  public static let packageRoot = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  /// Where the fixtures would be.
  public static let url = packageRoot.deletingLastPathComponent().appendingPathComponent("shared/fixtures")
  /// Whether they are there.
  public static let isAvailable = FileManager.default.fileExists(
    atPath: url.appendingPathComponent("expected.json").path)
  /// What a skipped test says.
  public static let absenceReason = "the folder shared/fixtures beside the package is not there"
}
