/// A stored row: its primary key and the model index of its own entity, in one word.
struct RowReference: Hashable, Sendable {
  /// The greatest primary key that a row may have: half of the 48 bits, so that a run cannot reach their end.
  static let greatestPrimaryKey: Int64 = 1 << 47

  let rawValue: UInt64

  init(primaryKey: Int64, entityIndex: Int) {
    rawValue = UInt64(bitPattern: primaryKey) & 0x0000_FFFF_FFFF_FFFF | UInt64(entityIndex) << 48
  }

  init(rawValue: UInt64) { self.rawValue = rawValue }

  var primaryKey: Int64 { Int64(rawValue & 0x0000_FFFF_FFFF_FFFF) }
  var entityIndex: Int { Int(rawValue >> 48) }
}
