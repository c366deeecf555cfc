import Foundation
import Pipelines
import Platform
import SeedFormats

/// The files of all sources of a run, checked for existence. A stream that can be read only once is kept in a file,
/// because a source may be read more than once.
struct SourceInputs {
  /// Per import step: its files.
  let files: [[SourceFile]]
  /// Per import step: the names of FIFOs that a dry run leaves to the run itself.
  let unread: [[String]]
  /// Sizes and times of change, when the run began.
  private let stamps: [String: Stamp]

  private struct Stamp: Equatable {
    var ofFile: FileSystem.Stamp?

    init(_ path: String) { ofFile = try? FileSystem.stamp(SeedPlace.parts(of: path).file) }
  }

  /// - Parameters:
  ///   - spool: keeps streams.
  ///   - isDryRun: FIFOs are not opened: another process may wait for what is in them.
  init(_ steps: [ImportStep], spool: SourceSpool, isDryRun: Bool) throws(RunError) {
    var all: [[SourceFile]] = []
    var unread: [[String]] = []
    // Missing files are reported before waiting for a stream.
    try Self.requireReadable(steps)
    var streams: [SourceSpool.Stream] = []
    for step in steps {
      let limit = RecordLimit(format: step.source.format, bytes: step.formatOptions.limits.recordBytes)
      for path in step.source.paths {
        guard case .stream(let identity, let isNamed) = SourceKind(path), !(isNamed && isDryRun) else { continue }
        let name = path == "-" ? path : FilePath.shown(path)
        streams.append(SourceSpool.Stream(path: path, identity: identity, name: name, recordLimit: limit))
      }
    }
    let kept = try spool.keep(streams)
    for step in steps {
      var files: [SourceFile] = []
      var left: [String] = []
      for path in step.source.paths {
        let name = path == "-" ? path : FilePath.shown(path)
        switch SourceKind(path) {
        case .stream(_, isNamed: true) where isDryRun: left.append(name)
        case .stream(let identity, _): files.append(SourceFile(path: kept[identity] ?? path, name: name))
        case .file, .folder, .other, .missing: files.append(SourceFile(path: path, name: name))
        }
      }
      all.append(files)
      unread.append(left)
    }
    files = all
    self.unread = unread
    var stamps: [String: Stamp] = [:]
    for file in all.joined() { stamps[file.path] = Stamp(file.path) }
    self.stamps = stamps
  }

  /// A hint for a variable that is written as in a shell.
  private static func variableHint(_ written: String) -> String? {
    guard let match = written.firstMatch(of: /\$([A-Za-z_][A-Za-z0-9_]*)/) else { return nil }
    return "variables are written ${\(match.output.1)};"
  }

  /// A hint for a path that is relative to the folder above the pipeline's.
  private static func outerHint(_ path: String) -> String? {
    let (folder, name) = (FileSystem.parent(path), FilePath.name(of: path))
    return FileSystem.exists("\(folder)/../\(name)") ? "did you mean ../\(name)?" : nil
  }

  /// - Throws: the error of the first source that cannot be read, with the names of the others.
  private static func requireReadable(_ steps: [ImportStep]) throws(RunError) {
    var failures: [RunError] = []
    for step in steps {
      for path in step.source.paths {
        do throws(RunError) {
          try requireReadable(path, step: step)
        } catch {
          // Several steps may read one source.
          if !failures.contains(where: { $0.message == error.message }) { failures.append(error) }
        }
      }
    }
    guard var failure = failures.first else { return }
    let others = failures.dropFirst().map(\.message)
    if !others.isEmpty {
      failure.message += "; also " + others.prefix(10).joined(separator: "; ")
      if others.count > 10 { failure.message += "; and \(others.count - 10) more" }
    }
    throw failure
  }

  static func requireReadable(_ path: String, step: ImportStep) throws(RunError) {
    guard path != "-" else { return }
    let path = SeedPlace.parts(of: path).file
    let reason: String
    switch SourceKind(path) {
    case .missing: reason = "there is no such file"
    case .folder: reason = "is a folder"
    case .other: reason = "is no file, FIFO or device"
    case .file, .stream:
      guard FileManager.default.isReadableFile(atPath: path) else {
        throw RunError(.missingInput, code: "source.unreadable", "\(FilePath.shown(path)): cannot be read")
      }
      return
    }
    throw RunError(
      .missingInput, code: "source.missing", "\(FilePath.shown(path)): \(reason)",
      hint: ((variableHint(step.source.written) ?? UnexpectedFileText.hint(forMissing: path) ?? outerHint(path)).map {
        $0 + " "
      }
        ?? "")
        + "step \(step.name) reads it; paths are relative to the pipeline file")
  }

  /// - Throws: `RunError` when a file has changed since the run began, because it may have been read partly before and
  ///   partly after the change.
  func requireUnchanged() throws(RunError) {
    for file in files.joined() where stamps[file.path] != Stamp(file.path) {
      throw RunError(
        .locked, code: "source.changed", "\(file.name) was changed while it was read",
        hint: "run again; nothing was replaced")
    }
  }

  /// Bytes of some files together, as they are read: compressed.
  static func bytes(of files: [SourceFile]) -> Int {
    var directories = ZipDirectories()
    return files.reduce(0) { sum, file in
      let parts = SeedPlace.parts(of: file.path)
      if parts.member != nil || parts.file.lowercased().hasSuffix(".zip") {
        let place = try? SeedPlace(path: file.path, directories: &directories)
        return sum + Int(clamping: place?.member?.compressedSize ?? 0)
      }
      return sum + Int(clamping: (try? FileSystem.stamp(file.path))?.size ?? 0)
    }
  }
}
