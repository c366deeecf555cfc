/// A problem of one record before its position is known.
struct RecordProblem: Sendable {
  /// Where in the record as written, in bytes from its start; nil: the whole record.
  var rawOffset: UInt32?
  /// Whose property it is; nil: an object of the step.
  var entity: String? = nil
  var property: String
  var code: String
  var value: String
  var message: String
  var hint: String
}
