/// How unchanged records are found before anything is written.
struct UnchangedScanSettings: Sendable {
  /// Off only in tests, which compare both ways.
  var isOn = true
  /// Bytes that the table of stored keys may take, 11 to 22 for each row. Larger tables are imported into without it.
  /// Nil: its share of the run's memory.
  var memoryBudget: Int?
  /// Bytes of records that may be kept until the source is read to its end. With more, it is read a second time. Nil:
  /// their share of the run's memory.
  var deferredBudget: Int?
  /// Bits of the keys' hashes that count; all of them, except in tests.
  var hashMask = UInt64.max
  /// Where at least so many records are new, and not fewer than one to `rowsPerNewRecord` stored rows, they are written
  /// as finished pages and the indexes are made anew. Below that it costs less to insert them one by one.
  var leastNewRecords = 20_000
  var rowsPerNewRecord = 5
  /// Where at least so many records change stored rows, and not fewer than one to `rowsPerChangedRecord` of them, the
  /// table is written anew. Below that it costs less to update them one by one.
  var leastChangedRecords = 20_000
  var rowsPerChangedRecord = 33
}
