/// Which primary keys are given out.
package enum PrimaryKeyRange {
  /// The greatest `Z_MAX` that is accepted. The rest of 64 bits is more than any import takes, so that adding to a
  /// counter never overflows.
  package static let greatestCounter: Int64 = 1 << 62

  /// `Z_MAX` in SQL: 0 for what is no integer. SQLite takes a text for greater than any number.
  package static let counter = "CASE typeof(Z_MAX) WHEN 'integer' THEN Z_MAX ELSE 0 END"
}
