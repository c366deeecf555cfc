import SeedFormats

/// How the files of a record folder are written.
public enum RecordFileFormat: String, Sendable, Hashable, CaseIterable {
  /// CSV with a header. An empty field is a missing value, a quoted empty one an empty text.
  case csv
  /// One JSON object per line.
  case ndjson

  /// The files' extension.
  public var fileExtension: String { rawValue }

  var options: FormatOptions {
    var options: FormatOptions = self == .csv ? .csv : .ndjson
    options.compression = .none
    options.encoding = .utf8
    return options
  }
}
