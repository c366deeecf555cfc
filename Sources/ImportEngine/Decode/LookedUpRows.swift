import CoreDataLayout

/// Findings about the stored rows with the keys of a batch's records, and about the records' references.
struct LookedUpRows: Sendable {
  var unresolved: [UnresolvedReference]
  var found: RowComparison.Found
  /// The encoded values of the rows that differ from the stored ones, one row after the other; nil where no row
  /// differs, or the values are not wanted or cannot be encoded.
  var changes: EncodedRows?
}
