/// The scanner of one source's batches.
protocol BatchScanning: AnyObject {
  var plan: ScanPlan { get }
  /// Finds the records in the raw bytes of a batch that has none yet. When it throws, the records before are in it.
  func scan(_ batch: RecordBatch) throws(SeedFormatError)
}
