import Foundation
import TestSupport

/// The shared fixtures beside the package, for tests with the real tool. Tests that need them are skipped where they
/// are absent.
enum SharedFixtures {
  static let folder = FixtureFolder.url
  static let areAvailable = FixtureFolder.isAvailable
  static let reason = FixtureFolder.absenceReason

  static func path(_ relative: String) -> String { folder.appendingPathComponent(relative).path }

  static let stores: [String] = (try? expectedStores().keys.sorted()) ?? []

  /// Path of a store → what is known of it.
  static func expectedStores() throws -> [String: [String: Any]] {
    let data = try Data(contentsOf: folder.appendingPathComponent("expected.json"))
    let top = try JSONSerialization.jsonObject(with: data) as? [String: Any]
    return top?["stores"] as? [String: [String: Any]] ?? [:]
  }
}

extension Workspace {
  /// Copies a fixture store with its sidecars, and returns the copy's name.
  func copyStore(_ relative: String) throws -> String {
    let name = (relative as NSString).lastPathComponent
    for suffix in ["", "-wal", "-shm"] {
      let source = SharedFixtures.path(relative + suffix)
      if FileManager.default.fileExists(atPath: source) {
        try write(name + suffix, Array(try Data(contentsOf: URL(fileURLWithPath: source))))
      }
    }
    return name
  }
}
