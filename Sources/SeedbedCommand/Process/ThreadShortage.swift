import Platform

/// Ends a process that waits for ever for threads.
///
/// Where no thread can be made (`ulimit -v`, `ulimit -u`), the system's queues try again every second without end, and
/// then signals have no effect either, because a queue handles them. What a run will need is not known before, so a
/// thread of its own looks.
enum ThreadShortage {
  /// How many looks in a row must find that no thread can be made, and that nothing was done since the look before.
  private static let patience = 5
  /// Less processor time than this means that the process is waiting.
  private static let idleMicroseconds = 20_000

  /// Begins to look, once a second, where one of the limits is set.
  static func watch() {
    #if canImport(Glibc)
      let limits = [__rlimit_resource_t(RLIMIT_AS.rawValue), __rlimit_resource_t(__RLIMIT_NPROC.rawValue)]
      if limits.contains(where: isLimited) { makeThread() }
    #endif
  }

  #if canImport(Glibc)
    /// A thread of Foundation's would take longer to make.
    private static func makeThread() {
      var attributes = pthread_attr_t()
      guard unsafe pthread_attr_init(&attributes) == 0 else { return }
      defer { unsafe pthread_attr_destroy(&attributes) }
      // Where memory is limited, it is the addresses that count.
      guard unsafe pthread_attr_setstacksize(&attributes, 256 << 10) == 0 else { return }
      var thread = pthread_t()
      guard unsafe pthread_create(&thread, &attributes, lookForThreads, nil) == 0 else { return lookByAlarm() }
      pthread_detach(thread)
    }

    /// Not even the thread that looks can be made, so a signal does it.
    private static func lookByAlarm() {
      var action = sigaction()
      unsafe action.__sigaction_handler.sa_handler = { _ in ThreadShortage.lookOnce() }
      action.sa_flags = SA_RESTART
      guard unsafe sigaction(SIGALRM, &action, nil) == 0 else { return }
      // The parent of this process may have blocked the signal.
      var alarm = sigset_t()
      unsafe sigemptyset(&alarm)
      unsafe sigaddset(&alarm, SIGALRM)
      unsafe pthread_sigmask(SIG_UNBLOCK, &alarm, nil)
      var second = itimerval()
      second.it_interval.tv_sec = 1
      second.it_value.tv_sec = 1
      unsafe _ = setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &second, nil)
    }

    // Only the handler uses these two, and it does not interrupt itself.
    nonisolated(unsafe) private static var idleLooks = 0
    nonisolated(unsafe) private static var usedBefore = 0

    /// Runs in a signal handler, where memory and locks, which a new thread takes, are not allowed. The process has
    /// been idle for seconds then, so the signal interrupts nothing that uses them.
    fileprivate static func lookOnce() {
      let used = usedMicroseconds()
      unsafe idleLooks = unsafe used - usedBefore < idleMicroseconds ? idleLooks + 1 : 0
      unsafe usedBefore = used
      if unsafe idleLooks < patience { return }
      if !canMakeThread() { end() }
      unsafe idleLooks = 0
    }

    fileprivate static func look() {
      var count = 0
      var used = usedMicroseconds()
      while count < patience {
        _ = sleep(1)
        let now = usedMicroseconds()
        count = now - used < idleMicroseconds && !canMakeThread() ? count + 1 : 0
        used = usedMicroseconds()
      }
      end()
    }

    private static func isLimited(_ resource: __rlimit_resource_t) -> Bool {
      var limit = rlimit()
      return unsafe getrlimit(resource, &limit) == 0 && limit.rlim_cur != rlim_t.max
    }

    private static func canMakeThread() -> Bool {
      var thread = pthread_t()
      guard unsafe pthread_create(&thread, nil, { _ in nil }, nil) == 0 else { return false }
      pthread_join(thread, nil)
      return true
    }

    private static func usedMicroseconds() -> Int {
      var usage = rusage()
      _ = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1_000_000 + usage.ru_utime.tv_usec
        + usage.ru_stime.tv_usec
    }

    private static func end() -> Never {
      let text: StaticString = """
        error: out of memory: no more threads can be made
          hint: allow the process more memory (ulimit -v) or threads (ulimit -u), or give it less to do with --memory and --jobs

        """
      _ = unsafe write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
      _exit(74)
    }
  #endif
}

#if canImport(Glibc)
  private func lookForThreads(_: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    ThreadShortage.look()
    return nil
  }
#endif
