/// Which records of a batch have keys that no stored row has, so that they need not be looked up.
struct KnownNewRecords: Sendable {
  let records: RecordSet
  /// Number of the batch's first record in its source.
  let first: Int

  func contains(_ record: Int) -> Bool { records.contains(first + record) }
}

extension DecodedBatch {
  /// Whether a first reading has found that no stored row has the key of a row.
  func isKnownNew(_ node: DecodedNode, row: Int) -> Bool {
    knownNew?.contains(Int(node.records[row])) ?? false
  }
}
