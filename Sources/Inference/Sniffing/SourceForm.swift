import SeedFormats

/// How a file is written, as far as its bytes tell, with the reasons.
struct SourceForm: Sendable {
  var options: FormatOptions
  /// The format's name in pipeline files.
  var word: String { options.isPropertyList ? "plist" : options.format.word }
  /// A line for each thing that was found out and is not what a reader would take for granted, after the key of the
  /// setting that it is the reason of, or after `file`.
  var notes: [String] = []
  /// Whether blanks that stand around values are left out of them.
  var trims = false
  /// Whether the file does not name the last column, which is left out where it has no values.
  var isLastNameless = false

  static let titleNote = "what stands above the header"
  static let namelessNote = "in the header a column has no name"

  init(_ format: FormatOptions.Format) {
    options = FormatOptions(format: format)
  }
}

extension FormatOptions.Format {
  /// The format's name in pipeline files.
  var word: String {
    switch self {
    case .csv: "csv"
    case .json: "json"
    case .ndjson: "ndjson"
    }
  }
}
