extension ExportStep.Format {
  /// The format by the ending of a result's name.
  package static let byEnding: [String: Self] = [
    "csv": .csv, "tsv": .tsv, "tab": .tsv, "ndjson": .ndjson, "jsonl": .ndjson,
  ]

  /// The delimiter between the columns of the text formats.
  var delimiter: UInt8 { UInt8(ascii: self == .tsv ? "\t" : ",") }
}

extension ExportStep {
  /// The delimiter between the fields of CSV.
  package var fieldDelimiter: UInt8 { delimiter ?? format.delimiter }

  /// Whether a byte can stand between the fields of an export: a tab or an ASCII sign that no number, no `true` and no
  /// quoted text has, since numbers and booleans are written without quotes.
  public static func canDelimit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\t"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      false
    case UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "\""): false
    default: (0x20..<0x7F).contains(byte)
    }
  }
}
