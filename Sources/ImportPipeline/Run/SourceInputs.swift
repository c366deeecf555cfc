import Foundation
import ObjectModel
import SeedFormats

/// The files of all sources of a run, checked to be there; standard input is kept in a file, because a source may be
/// read more than once.
struct SourceInputs {
  /// Per import step: its files.
  let files: [[SourceFile]]
  private let keptInput: String?
  /// Sizes and times of change, when the run began.
  private let stamps: [String: Stamp]

  private struct Stamp: Equatable {
    var size: Int?
    var changed: Date?

    init(_ path: String) {
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      size = attributes?[.size] as? Int
      changed = attributes?[.modificationDate] as? Date
    }
  }

  init(_ steps: [ImportStep], temporaryFolder: String) throws(RunError) {
    var kept: String?
    var all: [[SourceFile]] = []
    for step in steps {
      var files: [SourceFile] = []
      for path in step.source.paths {
        if path == "-" {
          let keptPath: String
          if let known = kept {
            keptPath = known
          } else {
            keptPath = try Self.keepStandardInput(in: temporaryFolder)
          }
          kept = keptPath
          files.append(SourceFile(path: keptPath, name: "-"))
          continue
        }
        var isFolder: ObjCBool = false
        guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else {
          throw RunError(
            .missingInput, code: "source.missing",
            "\(FilePath.shown(path)): \(isFolder.boolValue ? "is a folder" : "there is no such file")",
            hint: "step \(step.name) reads it; paths are relative to the pipeline file")
        }
        guard FileManager.default.isReadableFile(atPath: path) else {
          throw RunError(.missingInput, code: "source.unreadable", "\(FilePath.shown(path)): cannot be read")
        }
        files.append(SourceFile(path: path, name: FilePath.shown(path)))
      }
      all.append(files)
    }
    files = all
    keptInput = kept
    var stamps: [String: Stamp] = [:]
    for file in all.joined() { stamps[file.path] = Stamp(file.path) }
    self.stamps = stamps
  }

  /// - Throws: `RunError` when a file is not what it was when the run began: it may have been read in part before and in
  ///   part after the change.
  func requireUnchanged() throws(RunError) {
    for file in files.joined() where stamps[file.path] != Stamp(file.path) {
      throw RunError(
        .locked, code: "source.changed", "\(file.name) was changed while it was read",
        hint: "run again; nothing was replaced")
    }
  }

  private static func keepStandardInput(in folder: String) throws(RunError) -> String {
    let path = folder + "/standard-input"
    guard FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forWritingAtPath: path)
    else { throw RunError(.cannotCreate, code: "source.standard-input", "cannot create \(path)") }
    do {
      while let chunk = try FileHandle.standardInput.read(upToCount: 1 << 20), !chunk.isEmpty {
        try file.write(contentsOf: chunk)
      }
      try file.close()
    } catch {
      throw RunError(.inputOutput, code: "source.standard-input", "standard input: \(error.localizedDescription)")
    }
    return path
  }

  /// Bytes of some files together.
  static func bytes(of files: [SourceFile]) -> Int {
    files.reduce(0) { sum, file in
      let size = try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
      return sum + (size ?? 0)
    }
  }

  /// Adds the contents of a file to a digest, piece by piece.
  static func digest(_ path: String, into digest: inout ContentDigest) throws(RunError) {
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw RunError(.missingInput, code: "source.unreadable", "\(path): cannot be read")
    }
    defer { try? file.close() }
    do {
      digest.update(length: Int(try file.seekToEnd()))
      // One block again and again: memory that is used for the first time costs more than the digest.
      let source = try FileBlockSource(path: path)
      let block = ByteBlock()
      while try block.fill(from: source) { unsafe digest.update(block.bytes) }
    } catch {
      let reason = (error as? SeedFormatError)?.message ?? error.localizedDescription
      throw RunError(.inputOutput, code: "source.unreadable", "\(path): \(reason)")
    }
  }
}

extension SourceSettings {
  /// The source's format in the reader's terms.
  var formatOptions: FormatOptions {
    var options: FormatOptions
    switch format {
    case .csv, .tsv: options = .csv
    case .json: options = .json
    case .ndjson: options = .ndjson
    }
    options.delimiter = delimiter
    options.quote = quote
    // Said in other words, the quote is doubled.
    options.escape = escape == quote ? nil : escape
    options.comment = comment
    options.hasHeader = hasHeader
    options.columns = columns
    // A file of rejects can be read with the step that it comes from.
    options.annotationColumns = RejectFile.columns
    options.pointer = pointer
    options.requiresObjects = true
    options.expectsArray = !statesPointer
    switch encoding {
    case .utf8: options.encoding = .automatic
    case .utf16: options.encoding = .utf16
    case .utf16LittleEndian: options.encoding = .utf16LittleEndian
    case .utf16BigEndian: options.encoding = .utf16BigEndian
    case .latin1: options.encoding = .latin1
    }
    return options
  }
}
