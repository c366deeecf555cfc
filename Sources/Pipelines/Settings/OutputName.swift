import Platform
import SeedFormats

/// The content that the ending of a file's name promises.
enum OutputName {
  /// Endings of what is not written here, and what they stand for.
  private static let foreign: [String: String] = [
    "json": "a JSON document", "geojson": "a JSON document", "xlsx": "an Excel workbook", "xls": "an Excel workbook",
    "xlsm": "an Excel workbook", "ods": "a spreadsheet", "numbers": "a spreadsheet", "sqlite": "an SQLite database",
    "sqlite3": "an SQLite database", "db": "an SQLite database", "store": "a store", "xml": "XML",
    "plist": "a property list", "yaml": "YAML", "yml": "YAML", "parquet": "Parquet", "avro": "Avro", "html": "HTML",
    "htm": "HTML", "pdf": "a PDF", "sql": "SQL", "md": "Markdown", "zip": "a zip archive", "bz2": "bzip2", "xz": "xz",
    "zst": "Zstandard", "lz4": "LZ4", "br": "Brotli", "7z": "a 7z archive", "tar": "a tar archive",
    "tgz": "a tar archive",
  ]

  /// The content that the name promises, when other content is written; nil otherwise. Unknown endings promise nothing.
  static func otherMeaning(_ path: String, _ format: ExportStep.Format, delimiter: UInt8) -> String? {
    // Endings of compressions that are read but not written.
    if path.lowercased().hasSuffix(".zst") { return foreign["zst"] }
    guard let ending = FilePath.ending(path) else { return nil }
    let hasTabs = delimiter == UInt8(ascii: "\t")
    switch ending {
    case "csv": return format == .csv ? nil : "CSV"
    case "tsv", "tab": return format != .ndjson && hasTabs ? nil : "tab-separated values"
    case "txt": return nil
    case "ndjson", "jsonl": return format == .ndjson ? nil : "NDJSON"
    default: return foreign[ending]
    }
  }
}

extension ExportStep {
  /// Whether the result is not a file that takes its place when it is complete, but is written to as it is: standard
  /// output, a FIFO or a device.
  package var isDirect: Bool {
    if to == "-" || FileSink.openDescriptor(to) != nil { return true }
    switch PathContent(at: to) {
    case .fifo, .device: return true
    case .nothing, .file, .folder, .socket, .brokenLink, .unknown: return false
    }
  }

  /// The problem with the name of the result; nil where it fits the content, or where there is no file.
  package var nameMismatch: (message: String, hint: String)? {
    guard !isDirect, let other = OutputName.otherMeaning(to, format, delimiter: fieldDelimiter) else { return nil }
    let written: String
    let endings: String
    switch format {
    case .csv where fieldDelimiter == UInt8(ascii: ","): (written, endings) = ("CSV", ".csv or .csv.gz")
    case .csv,
      .tsv where format == .csv || fieldDelimiter != UInt8(ascii: "\t"):
      (written, endings) = ("CSV with another delimiter", ".csv, .txt or one with .gz")
    case .tsv: (written, endings) = ("tab-separated values", ".tsv, .tab or one with .gz")
    case .ndjson: (written, endings) = ("NDJSON", ".ndjson, .jsonl or one with .gz")
    }
    return (
      "\(FilePath.shown(to)), which means \(other), and \(written) would be written",
      "give it a name that ends with \(endings), or choose another format: csv, tsv or ndjson"
    )
  }
}
