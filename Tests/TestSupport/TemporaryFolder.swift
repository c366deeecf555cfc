public import Foundation

/// A folder of one test's own, removed with the last reference to it.
public final class TemporaryFolder: Sendable {
  /// Where it is, without symbolic links on the way.
  public let url: URL

  /// Makes a new folder.
  public init() throws {
    let place = FileManager.default.temporaryDirectory.appendingPathComponent("seedbed-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    #if canImport(Darwin)
      // Resolving symbolic links takes "/private" away there, which the system's own paths have.
      let path = try place.resourceValues(forKeys: [.canonicalPathKey]).canonicalPath
      url = path.map { URL(fileURLWithPath: $0, isDirectory: true) } ?? place
    #else
      url = place.resolvingSymlinksInPath()
    #endif
  }

  deinit {
    // A test may have taken away the right to write.
    try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: url.path)
    try? FileManager.default.removeItem(at: url)
  }

  /// The folder's path.
  public var path: String { url.path }

  /// The URL of a file in it.
  public func file(_ name: String) -> URL { url.appendingPathComponent(name) }

  /// The path of a file in it.
  public func path(_ name: String) -> String { file(name).path }

  /// The names of what is in it, sorted.
  public func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }

  /// The names of the files beside a store that hold its long values, sorted.
  /// - Parameter store: its name without the extension.
  public func externalFiles(of store: String) throws -> [String] {
    let path = path(".\(store)_SUPPORT/_EXTERNAL_DATA")
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
  }

  /// What a file in it holds.
  public func bytes(_ name: String) throws -> Data { try Data(contentsOf: file(name)) }

  /// Writes a file below it, making the folders on its way, and returns its path.
  @discardableResult
  public func write(_ text: String, to name: String) throws -> String { try write(Data(text.utf8), to: name) }

  /// As `write(_:to:)` of text, with bytes.
  @discardableResult
  public func write(_ bytes: Data, to name: String) throws -> String {
    let url = file(name)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try bytes.write(to: url)
    return url.path
  }
}
