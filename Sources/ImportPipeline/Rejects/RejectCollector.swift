import Foundation

/// Receives the rejects of a run in input order: writes them, keeps the first ones to show, and watches the limits.
final class RejectCollector {
  /// How many rejects a report shows.
  static let shownLimit = 20

  private let settings: RejectSettings
  /// Step names, when several steps share the rejects path and each gets a file of its own.
  private let separatesSteps: Bool
  private(set) var shown: [Reject] = []
  private(set) var count = 0
  private var files: [Int: RejectFile] = [:]
  private(set) var paths: [String] = []

  init(settings: RejectSettings, stepCount: Int) {
    self.settings = settings
    self.separatesSteps = stepCount > 1
  }

  /// Where the rejects of a step go; nil when the pipeline states no file.
  ///
  /// One import step: the stated path. Several: the step's number and name before the extension. The extension is that
  /// of the source's format.
  func path(step index: Int, name: String, source: SourceSettings) -> String? {
    guard let stated = settings.file else { return nil }
    var base = stated as NSString
    for ending in ["gz", "csv", "tsv", "ndjson", "json", "jsonl", "txt"] where base.pathExtension == ending {
      base = base.deletingPathExtension as NSString
    }
    let ending: String
    switch source.format {
    case .csv: ending = "csv"
    case .tsv: ending = "tsv"
    case .json, .ndjson: ending = "ndjson"
    }
    let safe = String(name.map { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" ? $0 : "-" })
    return (base as String) + (separatesSteps ? ".\(index + 1)-\(safe)" : "") + ".\(ending)"
  }

  func add(
    _ reject: Reject, record: UnsafeRawBufferPointer, step index: Int, name: String, source: SourceSettings,
    header: [String]
  ) throws(RunError) {
    count += 1
    if shown.count < Self.shownLimit { shown.append(reject) }
    guard let path = path(step: index, name: name, source: source) else { return }
    let file: RejectFile
    if let open = files[index] {
      file = open
    } else {
      file = try RejectFile(path: path, source: source, header: header)
      files[index] = file
    }
    try unsafe file.write(reject, record: record)
  }

  /// Whether the limit by count is already passed, so that the run may stop early.
  var isOverCount: Bool { settings.limit.map { count > $0 } ?? false }

  /// Whether the rejects are over one of the limits, given all records read.
  func isOverLimit(read: Int) -> Bool {
    if isOverCount { return true }
    if let percent = settings.percent, count > 0 { return Double(count) * 100 > percent * Double(read) }
    return false
  }

  /// The limits in words.
  var limitText: String {
    [settings.limit.map { "\($0)" }, settings.percent.map { "\($0) %" }].compactMap { $0 }.joined(separator: " or ")
  }

  /// Closes the files and removes reject files of earlier runs that this run did not write.
  func finish(steps: [ImportStep]) throws(RunError) {
    for (index, step) in steps.enumerated() {
      if let file = files[index] {
        try file.finish()
        paths.append(file.path)
      } else if let path = path(step: index, name: step.name, source: step.source) {
        try? FileManager.default.removeItem(atPath: path)
      }
    }
    files = [:]
  }
}
