import SeedFormats

/// How the files of a record folder are written.
public enum RecordFileFormat: String, Sendable, Hashable, CaseIterable {
  /// CSV with a header. An empty field is a missing value, a quoted empty one an empty text.
  case csv
  /// One JSON object per line.
  case ndjson
  /// One JSON array of objects.
  case json

  /// The extension of the files, without a dot.
  public var fileExtension: String { rawValue }

  var options: FormatOptions {
    var options: FormatOptions =
      switch self {
      case .csv: .csv
      case .ndjson: .ndjson
      case .json: .json
      }
    options.compression = .none
    options.encoding = .utf8
    return options
  }
}
