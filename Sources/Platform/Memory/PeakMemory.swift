/// The most memory the process has had resident so far.
package enum PeakMemory {
  /// In bytes; 0 when the system does not tell.
  package static var bytes: Int {
    var usage = rusage()
    #if canImport(Darwin)
      guard unsafe getrusage(RUSAGE_SELF, &usage) == 0 else { return 0 }
      return usage.ru_maxrss
    #else
      guard unsafe getrusage(__rusage_who_t(0), &usage) == 0 else { return 0 }
      // Linux counts in kibibytes.
      return usage.ru_maxrss * 1024
    #endif
  }
}
