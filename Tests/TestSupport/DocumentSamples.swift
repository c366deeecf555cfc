import Foundation

/// The samples of the package's documents, which tests compile.
public enum DocumentSamples {
  /// The blocks of Swift in a Markdown file.
  /// - Parameter path: from the package's root.
  public static func swift(in path: String) throws -> [String] {
    let text = try String(contentsOf: FixtureFolder.packageRoot.appending(path: path), encoding: .utf8)
    return text.components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
  }

  /// The text of a source file beside a test, without the remark that a document has its lines.
  public static func source(_ name: String, beside test: String = #filePath) throws -> String {
    let file = URL(filePath: test).deletingLastPathComponent().appending(path: name)
    return try String(contentsOf: file, encoding: .utf8).replacing(
      /\/\/ The lines from here on stand in .*\n\n/, with: "")
  }
}
