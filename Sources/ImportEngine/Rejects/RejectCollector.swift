import Foundation
import Pipelines
import Platform
import Reports

/// Receives the rejects of a run in input order: writes them, keeps the first ones to show, and watches the limits.
final class RejectCollector {
  /// How many rejects a report shows.
  static let shownLimit = 20

  private let settings: RejectSettings
  /// Step names, when several steps share the rejects path and each gets a file of its own.
  private let separatesSteps: Bool
  private(set) var shown: [Reject] = []
  private(set) var count = 0
  private var grouping = RejectGrouping()
  /// All rejects by their reason, in the order of their first records.
  var groups: [RejectGroup] { grouping.groups }
  /// The files by step; several where the files of one source differ in their columns.
  private var files: [Int: [RejectFile]] = [:]
  private(set) var paths: [String] = []
  /// `path(step:name:source:)` of each step that has rejects.
  private var pathsByStep: [Int: String?] = [:]

  /// Whether files that are no files of rejects may be replaced.
  private let replacesForeign: Bool
  /// Called with every single reject; nil where that is not needed.
  private let onReject: ((Reject) -> Void)?

  init(
    settings: RejectSettings, stepCount: Int, replacesForeign: Bool = false, onReject: ((Reject) -> Void)? = nil
  ) {
    self.settings = settings
    self.replacesForeign = replacesForeign
    self.onReject = onReject
    self.separatesSteps = stepCount > 1
  }

  /// Where the rejects of a step go; nil when the pipeline states no file.
  ///
  /// One import step: the stated path. Several: the step's number and name before the extension. The extension is that
  /// of the source's format.
  func path(step index: Int, name: String, source: SourceSettings) -> String? {
    guard let stated = settings.file else { return nil }
    var base = stated as NSString
    for ending in ["gz", "csv", "tsv", "ndjson", "json", "jsonl", "txt", "plist"] where base.pathExtension == ending {
      base = base.deletingPathExtension as NSString
    }
    let ending: String
    switch source.format {
    case .csv: ending = "csv"
    case .tsv: ending = "tsv"
    case .json, .ndjson, .plist: ending = "ndjson"
    }
    let safe = String(name.map { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" ? $0 : "-" })
    return (base as String) + (separatesSteps ? ".\(index + 1)-\(safe)" : "") + ".\(ending)"
  }

  func add(
    _ reject: Reject, record: UnsafeRawBufferPointer, step index: Int, name: String, source: SourceSettings,
    header: [String]
  ) throws(RunError) {
    count += 1
    onReject?(reject)
    if shown.count < Self.shownLimit { shown.append(reject) }
    let known = pathsByStep[index] ?? path(step: index, name: name, source: source)
    pathsByStep[index] = .some(known)
    guard let path = known else { return grouping.add(reject, file: nil) }
    let open = files[index, default: []]
    let file: RejectFile
    defer {
      let written = files[index]?.last { $0.header == header && $0.delimiter == source.delimiterBytes }
      grouping.add(reject, file: written?.path)
    }
    if let known = open.first(where: { $0.header == header && $0.delimiter == source.delimiterBytes }) {
      file = known
    } else {
      let path = Self.numbered(path, open.count + 1)
      guard replacesForeign || RejectFile.isFree(path, source) else {
        throw RunError(
          .cannotCreate, code: "output.exists", "rejects would be written to \(path), which is no file of rejects",
          hint: "give rejects.file another name, or replace the file with --force: what is in it is lost then")
      }
      file = try RejectFile(path: path, source: source, header: header)
      files[index, default: []].append(file)
    }
    try unsafe file.write(reject, record: record)
  }

  /// The path of a step's first, second, … reject file: the number stands before the extension.
  private static func numbered(_ path: String, _ number: Int) -> String {
    guard number > 1 else { return path }
    let path = path as NSString
    return path.deletingPathExtension + ".\(number)." + path.pathExtension
  }

  /// Whether the limit by count is already passed, so that the run may stop early.
  var isOverCount: Bool { settings.limit.map { count > $0 } ?? false }

  /// Whether the rejects are over one of the limits, given all records read.
  func isOverLimit(read: Int) -> Bool {
    if isOverCount { return true }
    if let percent = settings.percent, count > 0 { return Double(count) * 100 > percent * Double(read) }
    return false
  }

  /// The files that rejects are written to, those included that are still open.
  var allPaths: [String] { paths + files.sorted { $0.key < $1.key }.flatMap { $0.value.map(\.path) } }

  /// The limits in words.
  var limitText: String {
    [settings.limit.map { "\($0)" }, settings.percent.map { "\($0) %" }].compactMap { $0 }.joined(separator: " or ")
  }

  /// Closes the files and removes reject files of earlier runs that this run did not write.
  func finish(steps: [ImportStep]) throws(RunError) {
    for (index, step) in steps.enumerated() {
      guard let path = path(step: index, name: step.name, source: step.source) else { continue }
      let written = files[index] ?? []
      for file in written {
        try file.finish()
        paths.append(file.path)
      }
      var stale = written.count + 1
      while FileSystem.exists(Self.numbered(path, stale)),
        RejectFile.isFree(Self.numbered(path, stale), step.source)
      {
        try? FileSystem.remove(Self.numbered(path, stale))
        stale += 1
      }
    }
    files = [:]
  }
}
