/// What may still come that a record refers to.
enum Arrivals {
  /// Objects of records that are not read yet, or wait.
  case anything
  /// Only the objects of records that are held back.
  case held(HeldObjectKeys, HeldRecordPass)
  case nothing

  /// Whether these wait: a reference to a row that may still be rejected, and a new record whose nested objects are
  /// those of other records too.
  var waitsForProvisional: Bool {
    switch self {
    case .anything, .held(_, .ready): true
    case .held, .nothing: false
    }
  }

  /// Whether records are held behind others about the same object.
  var keepsOrder: Bool {
    switch self {
    case .anything, .held(_, .ready), .held(_, .circles): true
    case .held(_, .outOfOrder), .nothing: false
    }
  }

  /// Whether nothing will come.
  var areOver: Bool {
    if case .nothing = self { true } else { false }
  }

  /// Whether an object may come that a table will have under a key.
  func mayBring(_ table: KeyTable, _ key: UnsafeRawBufferPointer) -> Bool {
    switch self {
    case .anything: true
    case .held(let keys, _): unsafe keys.contains(table, Array(key))
    case .nothing: false
    }
  }
}

/// The passes in which held records are written once only held records can still bring anything, the most certain
/// first.
enum HeldRecordPass: CaseIterable {
  /// Records whose needs are met; one that needs what no record brings is rejected.
  case ready
  /// Also records that need each other. Their references to rows that may still go are set: those rows stand with the
  /// same records.
  case circles
  /// Also records that wait behind others about the same object.
  case outOfOrder
}
