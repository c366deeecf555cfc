import Foundation
import SeedFormats
import TestSupport

/// Public test corpora beside the package; tests of them are skipped where they are absent.
enum Corpora {
  static let root = FixtureFolder.url.appendingPathComponent("corpora")
  static var areAvailable: Bool { FileManager.default.fileExists(atPath: root.path) }

  /// The files of a folder with an extension, by name.
  static func files(_ folder: String, _ suffix: String) -> [URL] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path)) ?? []
    return names.filter { $0.hasSuffix(suffix) }.sorted().map {
      root.appendingPathComponent(folder).appendingPathComponent($0)
    }
  }
}

/// Runs a test with a directory of its own.
func withDirectory<Result>(_ body: (URL) throws -> Result) throws -> Result {
  let folder = try TemporaryFolder()
  return try withExtendedLifetime(folder) { try body(folder.url) }
}

/// The bytes as one gzip member.
func gzip(_ bytes: [UInt8]) throws -> [UInt8] {
  let memory = MemorySink()
  let sink = GzipSink(downstream: memory)
  try unsafe bytes.withUnsafeBytes { bytes in try unsafe sink.write(bytes) }
  try sink.finish()
  return memory.bytes
}

/// All bytes of a source, read so many at a time, or the error it ends with.
func drain(_ source: any BlockSource, atATime count: Int = 4096) -> (bytes: [UInt8], error: SeedFormatError?) {
  var bytes: [UInt8] = []
  let block = ByteBlock(capacity: count)
  do {
    while try block.fill(from: source) { unsafe bytes.append(contentsOf: block.bytes) }
    return (bytes, nil)
  } catch {
    return (bytes, error)
  }
}
