# Reads reports of the thread sanitizer and prints those that tell of a race.
#
# A thread that has to wait for a Mutex gets it in the Synchronization library, which is not instrumented: the sanitizer
# does not see that the one before has let go of it. So what two threads do in closures that `withLock` calls is told as
# a race. Those closures take an `inout sending` value, which their mangled names say (`zYu`). A report is a mistake of
# the sanitizer's where both accesses are in such a closure: an access without the lock is told. So is none of the
# storage that all empty arrays share: the standard library sets its count to zero again and again.

function judge() {
  if (report == "") return
  reports++
  if (!isEmptyArray && (stacks < 2 || held[1] == 0 || held[2] == 0)) {
    print report
    races++
  }
  report = ""
}

/WARNING: ThreadSanitizer/ {
  judge()
  stacks = isEmptyArray = 0
  held[1] = held[2] = 0
  report = $0
  next
}
/^==================$/ { judge() }
report != "" {
  report = report "\n" $0
  if ($0 ~ /Location is global '_swiftEmptyArrayStorage'/) isEmptyArray = 1
  if ($1 == "#0") stacks++
  if ($1 ~ /^#[0-9]+$/ && stacks <= 2 && $2 ~ /zYu/) held[stacks] = 1
}
END {
  judge()
  printf "%d reports, %d of them races\n", reports, races
  exit races > 0
}
