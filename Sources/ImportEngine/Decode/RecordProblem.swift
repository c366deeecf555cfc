import SeedFormats

/// A problem of one record before its position is known.
struct RecordProblem: Sendable {
  /// Where in the record as written, in bytes from its start; nil: the whole record.
  var rawOffset: UInt32?
  /// The entity of the property; nil: the step's.
  var entity: String? = nil
  var property: String
  var code: String
  var value: String
  var message: String
  var hint: String
}

extension RecordProblem {
  /// A part of the record that cannot be read.
  init(_ error: SeedFormatError, rawOffset: UInt32?, property: String, value: String = "") {
    self.init(
      rawOffset: rawOffset, property: property, code: error.code, value: value, message: error.message,
      hint: error.hint ?? "")
  }
}
