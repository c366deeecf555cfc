import CoreDataLayout

/// What was found out about the stored rows with the keys of a batch's records, and about their references.
struct LookedUpRows: Sendable {
  var unresolved: [UnresolvedReference]
  var found: RowComparison.Found
  /// What the rows say that differ from the stored ones, one after the other; nil where there are none, or it is not
  /// wanted or cannot be encoded.
  var changes: EncodedRows?
}
