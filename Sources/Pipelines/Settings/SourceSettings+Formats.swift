package import SeedFormats

extension ImportStep {
  /// How the reader is told to read the step's source. A restored record may be as long as a store's largest values
  /// make it.
  package var formatOptions: FormatOptions {
    var options = source.formatOptions
    if strategy == .restore { options.limits.recordBytes = 1 << 30 }
    return options
  }
}

extension SourceSettings {
  /// All of the delimiter.
  package var delimiterBytes: [UInt8] { [delimiter] + delimiterRest }

  /// The source's format in the reader's terms.
  package var formatOptions: FormatOptions {
    var options: FormatOptions
    switch format {
    case .csv, .tsv: options = .csv
    case .json: options = .json
    case .ndjson: options = .ndjson
    case .plist:
      options = .json
      options.isPropertyList = true
    }
    options.delimiter = delimiter
    options.delimiterRest = delimiterRest
    options.honorsSeparatorLine = honorsSeparatorLine
    options.skippedLines = skippedLines
    options.isLenient = isLenient
    options.keyedBy = keyedBy
    options.quote = quote
    // An escape that is the quote says that quotes are doubled.
    options.escape = escape == quote ? nil : escape
    options.comment = comment
    options.hasHeader = hasHeader
    options.columns = columns
    // A file of rejects can be read with the step that it comes from.
    options.annotationColumns = RejectFormat.columns
    options.pointer = pointer
    options.requiresObjects = true
    options.expectsArray = !statesPointer
    switch encoding {
    case .utf8: options.encoding = .automatic
    case .utf16: options.encoding = .utf16
    case .utf16LittleEndian: options.encoding = .utf16LittleEndian
    case .utf16BigEndian: options.encoding = .utf16BigEndian
    case .latin1: options.encoding = .latin1
    case .windows1252: options.encoding = .windows1252
    }
    return options
  }
}
