/// Which primary keys are given out.
enum PrimaryKeyRange {
  /// The greatest `Z_MAX` that is accepted. The rest of 64 bits is more than any import takes, so that adding to a
  /// counter never overflows.
  static let greatestCounter: Int64 = 1 << 62
}
