/// A way to write new records while rows of their table are written as finished pages.
struct NewRecordLoading {
  /// Makes the work of decode workers beyond decoding, when the pages have been begun.
  var prepare: () throws -> BulkPreparation? = { nil }
  /// Writes the records of a batch, all of which are new.
  var write: (DecodedBatch) throws -> Void
  /// Writes what was held back, before the pages are finished.
  var finish: () throws -> Void = {}
}
