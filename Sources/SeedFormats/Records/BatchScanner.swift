/// Scans batches that `RecordReader.read` filled: finds their records and fields. One per worker; batches of several
/// sources may come in any order.
public final class BatchScanner {
  private var scanner: (any BatchScanning)?

  /// A scanner for any batch.
  public init() {}

  /// Finds the records, faults and fields of a batch; does nothing with one that is scanned already. An error that ends
  /// the input is `batch.failure` afterwards, and the batch has the records before it.
  public func scan(_ batch: RecordBatch) {
    guard let plan = batch.removePlan() else { return }
    batch.reserve(records: batch.raw.maximumRecords)
    do {
      try scanner(for: plan).scan(batch)
    } catch {
      batch.end(with: error)
    }
  }

  private func scanner(for plan: ScanPlan) throws(SeedFormatError) -> any BatchScanning {
    if let scanner, scanner.plan === plan { return scanner }
    let scanner: any BatchScanning =
      plan.options.format == .csv ? CSVBatchScanner(plan: plan) : try NDJSONBatchScanner(plan: plan)
    self.scanner = scanner
    return scanner
  }
}
