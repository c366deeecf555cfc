import Platform

/// Tells the end of memory from a mistake in the program.
///
/// Swift ends a process that cannot get memory by a fatal signal, as it does after a mistake. Where no memory can be
/// had when the signal comes, this says so and ends with 74; otherwise the signal takes its course.
enum OutOfMemory {
  /// Address space that workers need for their stacks and heaps; without, the system's queues wait for ever for
  /// threads.
  private static let leastByteCount = 192 << 20

  /// Listens to the signals, and looks whether a limit (`ulimit -v`) leaves enough to begin.
  static func watch() {
    for number in [SIGILL, SIGTRAP, SIGABRT, SIGSEGV] {
      _ = signal(number) { number in
        // Nothing but system calls may be made here.
        if !OutOfMemory.isThere(256 << 20) { OutOfMemory.end() }
        // The instruction is run again, or `abort` goes on, without this handler.
        _ = signal(number, SIG_DFL)
      }
    }
    if !isThere(leastByteCount) { end() }
  }

  /// Whether there is so much address space, which costs nothing to find out.
  private static func isThere(_ byteCount: Int) -> Bool {
    #if canImport(Darwin)
      let flags = MAP_PRIVATE | MAP_ANON
    #else
      let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    #endif
    guard let probe = unsafe mmap(nil, byteCount, PROT_READ | PROT_WRITE, flags, -1, 0), unsafe probe != MAP_FAILED
    else { return false }
    unsafe munmap(probe, byteCount)
    return true
  }

  private static func end() -> Never {
    let text: StaticString =
      "error: out of memory\n  hint: allow the process more, or have run use less with --memory\n"
    _ = unsafe write(2, text.utf8Start, text.utf8CodeUnitCount)
    _exit(74)
  }
}
