extension ExportStep.Format {
  /// What stands between the columns of the text formats.
  var delimiter: UInt8 { UInt8(ascii: self == .tsv ? "\t" : ",") }
}
