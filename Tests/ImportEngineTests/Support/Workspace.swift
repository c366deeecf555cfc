import Foundation
import TestSupport

/// A folder of one test, removed with its object.
final class Workspace: Sendable {
  private let files: TemporaryFolder
  var folder: URL { files.url }

  init() throws { files = try TemporaryFolder() }

  func path(_ name: String) -> String { files.path(name) }
  func names() throws -> [String] { try files.names() }
  func bytes(_ name: String) throws -> Data { try Data(contentsOf: files.file(name)) }
  func write(_ name: String, _ text: String) throws { try files.write(text, to: name) }
}
