public import Foundation

/// The folder of shared fixtures beside the package: models and stores that Apple's tools made, and public corpora.
/// Tests that need it are skipped where it is absent.
public enum FixtureFolder {
  /// The package itself.
  public static let packageRoot = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  /// Where the fixtures would be.
  public static let url = packageRoot.deletingLastPathComponent().appendingPathComponent("shared/fixtures")
  /// Whether they are there.
  public static let isAvailable = FileManager.default.fileExists(atPath: path("expected.json"))
  /// What a skipped test says.
  public static let absenceReason = "the folder shared/fixtures beside the package is not there"

  /// What is known of the models and stores; nothing where the folder is absent.
  public static let expected: FixtureExpectations = {
    guard isAvailable else { return FixtureExpectations() }
    do {
      let bytes = try Data(contentsOf: url.appendingPathComponent("expected.json"))
      return try JSONDecoder().decode(FixtureExpectations.self, from: bytes)
    } catch {
      // Tests of every fixture would have no arguments, and pass.
      fatalError("expected.json cannot be read: \(error)")
    }
  }()

  /// The path of a file or folder in it.
  public static func path(_ relative: String) -> String { url.appendingPathComponent(relative).path }

  /// Makes a writable copy of a store with its sidecars, and returns where it is.
  /// - Parameters:
  ///   - relative: the store's path below the fixtures.
  ///   - name: the copy's name; the store's own by default.
  @discardableResult
  public static func copyStore(_ relative: String, to folder: URL, as name: String? = nil) throws -> URL {
    let source = url.appendingPathComponent(relative)
    let copy = folder.appendingPathComponent(name ?? source.lastPathComponent)
    for suffix in ["", "-wal", "-shm"]
    where suffix.isEmpty || FileManager.default.fileExists(atPath: source.path + suffix) {
      try Data(contentsOf: URL(fileURLWithPath: source.path + suffix))
        .write(to: URL(fileURLWithPath: copy.path + suffix))
    }
    return copy
  }
}
