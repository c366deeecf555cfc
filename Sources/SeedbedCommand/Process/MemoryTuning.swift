import Platform
import SQLite

/// How the C library and SQLite treat memory of a run.
enum MemoryTuning {
  /// Makes both settings; to be called before the first store is opened.
  static func prepareRun() {
    raiseTrimThreshold()
    Connection.stopCountingMemory()
  }

  /// Has freed memory kept for the next batch.
  ///
  /// glibc hands freed memory back to the system as soon as 128 KB of it lie at the end of a heap, and asks for the
  /// same pages again a batch later: a third of all page faults of a run. It raises that limit, to 64 MB at the most,
  /// when a block of more than the limit is freed (malloc(3) on M_MMAP_THRESHOLD and M_TRIM_THRESHOLD), so one is. None
  /// of its pages is touched.
  private static func raiseTrimThreshold() {
    #if canImport(Glibc)
      let size = (32 << 20) - (64 << 10)
      guard let block = unsafe malloc(size) else { return }
      // Lets the block out of the optimiser's sight, which would leave it out otherwise.
      // Safety: an address within a page is refused, which does no harm.
      _ = unsafe madvise(block, size, MADV_NORMAL)
      unsafe free(block)
    #endif
  }
}
