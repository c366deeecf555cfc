/// The most memory the process has had resident so far.
package enum PeakMemory {
  /// The peak in bytes; 0 when the system does not tell.
  package static var bytes: Int {
    #if canImport(Darwin)
      var usage = rusage()
      guard unsafe getrusage(RUSAGE_SELF, &usage) == 0 else { return 0 }
      return usage.ru_maxrss
    #else
      return highWaterMark ?? greatestResidentSet
    #endif
  }

  #if !canImport(Darwin)
    /// The greatest resident set of this program, in bytes; nil where `/proc` is not there.
    private static var highWaterMark: Int? {
      // "VmHWM:	   12345 kB"
      guard let file = unsafe fopen("/proc/self/status", "r") else { return nil }
      defer { unsafe fclose(file) }
      var line = [CChar](repeating: 0, count: 256)
      while unsafe fgets(&line, Int32(line.count), file) != nil {
        let text = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        guard text.starts(with: "VmHWM:".utf8) else { continue }
        let digits = text.filter { (0x30...0x39).contains($0) }
        return Int(String(decoding: digits, as: UTF8.self)).map { $0 * 1024 }
      }
      return nil
    }

    /// The greatest resident set of this process, in bytes, which begins with that of the program that started it.
    private static var greatestResidentSet: Int {
      var usage = rusage()
      guard unsafe getrusage(__rusage_who_t(0), &usage) == 0 else { return 0 }
      // Linux counts in kibibytes.
      return usage.ru_maxrss * 1024
    }
  #endif
}
