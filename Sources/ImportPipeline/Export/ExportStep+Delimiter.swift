extension ExportStep.Format {
  /// What stands between the columns of the text formats.
  var delimiter: UInt8 { UInt8(ascii: self == .tsv ? "\t" : ",") }
}

extension ExportStep {
  /// What stands between the fields of CSV.
  var fieldDelimiter: UInt8 { delimiter ?? format.delimiter }
}
