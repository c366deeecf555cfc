import Foundation
import ObjectModel
import Pipelines
import Synchronization

/// The files that `file()` reads in a run, by any thread, and what they held: part of the digest of the run's inputs.
///
/// For each file only its path and a digest are kept, some 200 bytes.
final class FileValues: ValueFiles {
  /// The largest file that can be a value.
  static let maximumBytes = 64 << 20

  private struct Entry {
    var size: Int?
    var changed: Date?
    /// nil: there was no such file.
    var digest: Data?
  }

  private struct State {
    var entries: [String: Entry] = [:]
    /// A file that was not the same each time it was read.
    var changedPath: String?
  }

  private let paths: ProjectPaths
  private let state = Mutex(State())

  init(paths: ProjectPaths) { self.paths = paths }

  /// The files of a pipeline's project.
  convenience init(_ pipeline: PipelineFile) {
    self.init(paths: ProjectPaths(pipelinePath: pipeline.path, allowsOutside: pipeline.allowsOutside))
  }

  /// The bytes of a file.
  /// - Parameter name: its path, relative to the pipeline file.
  func read(_ name: String) throws(RecordExpressionFailure) -> Data {
    let path: String
    do {
      path = try paths.resolve(EnvironmentExpansion(plain: name))
    } catch {
      throw RecordExpressionFailure(
        code: "file.path", message: "file(): \(error.message)",
        hint: "paths are relative to the pipeline file; move the file into the project, or give --allow-outside")
    }
    let shown = FilePath.shown(path)
    switch SourceKind(path) {
    case .file: break
    case .missing:
      note(name, Entry())
      throw RecordExpressionFailure(
        code: "file.missing", message: "\(shown): there is no such file",
        hint: "paths in file() are relative to the pipeline file")
    case .folder: throw RecordExpressionFailure(code: "file.not-a-file", message: "\(shown) is a folder, no file")
    case .stream, .other: throw RecordExpressionFailure(code: "file.not-a-file", message: "\(shown) is no plain file")
    }
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    var entry = Entry(size: attributes?[.size] as? Int, changed: attributes?[.modificationDate] as? Date)
    guard let size = entry.size, size <= Self.maximumBytes, let data = try? Data(contentsOf: URL(fileURLWithPath: path))
    else {
      let isTooLarge = (entry.size ?? 0) > Self.maximumBytes
      throw RecordExpressionFailure(
        code: isTooLarge ? "file.too-large" : "file.unreadable",
        message: isTooLarge ? "\(shown) has more than 64 MiB, the most for a value" : "\(shown) cannot be read")
    }
    if isKnown(name, entry) { return data }
    var digest = ContentDigest()
    digest.update(content: data)
    entry.digest = digest.finalize()
    note(name, entry)
    return data
  }

  private func isKnown(_ name: String, _ entry: Entry) -> Bool {
    state.withLock { state in
      guard let known = state.entries[name] else { return false }
      return known.digest != nil && known.size == entry.size && known.changed == entry.changed
    }
  }

  private func note(_ name: String, _ entry: Entry) {
    state.withLock { state in
      if let known = state.entries.updateValue(entry, forKey: name), known.digest != entry.digest {
        state.changedPath = name
      }
    }
  }

  /// The digest of everything read so far, in the order of the paths; nil when there was nothing.
  var digest: Data? {
    let entries = state.withLock { $0.entries }
    if entries.isEmpty { return nil }
    var digest = ContentDigest()
    for (name, entry) in entries.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
      digest.update(content: Data(name.utf8))
      digest.update(content: entry.digest ?? Data())
    }
    return digest.finalize()
  }

  /// - Throws: `RunError` when a file changed between two readings.
  func requireUnchanged() throws(RunError) {
    guard let path = state.withLock({ $0.changedPath }) else { return }
    throw RunError(
      .locked, code: "source.changed", "\(path) was changed while it was read", hint: "run again; nothing was replaced")
  }
}
