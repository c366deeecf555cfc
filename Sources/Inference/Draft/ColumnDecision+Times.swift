import ObjectModel
import Pipelines

/// Counts of seconds and milliseconds since 1970.
extension ColumnDecision {
  /// Words in the names of points in time.
  private static let timeWords: Set<String> = [
    "time", "timestamp", "ts", "date", "datetime", "epoch", "at", "when", "created", "updated", "modified", "changed",
    "since", "until", "start", "started", "end", "ended", "seen", "ms", "millis",
  ]

  /// From 2001, when they got their thirteenth digit, to 2039.
  private static let milliseconds: ClosedRange<Int64> = 1_000_000_000_000...2_208_988_799_999
  private static let microseconds: ClosedRange<Int64> = 1_000_000_000_000_000...2_208_988_799_999_999
  private static let seconds: ClosedRange<Int64> = 1_000_000_000...2_208_988_799

  /// Makes dates of whole numbers that are milliseconds since 1970 by their name and their size. Where only the size
  /// says so, and for microseconds and seconds, the comment says how to.
  mutating func lookForTimes(_ column: ColumnProfile, takesValues: Bool) {
    guard type.isInteger, !KeyChoice.isKeyName(column.name) else { return }
    let isNamed = !Self.timeWords.isDisjoint(with: NameWords.words(column.name))
    let range = column.smallest...max(column.smallest, column.greatest)
    if Self.milliseconds.contains(range) {
      guard isNamed, takesValues else {
        evidence += "; they may be milliseconds since 1970, which `date: epoch-ms` reads into a Date"
        return
      }
      type = .date
      datePattern = "epoch-ms"
      evidence = "milliseconds since 1970 in all \(column.triedValues.grouped)"
      rewritten = "an export writes its dates in ISO 8601, UTC"
    } else if Self.microseconds.contains(range), isNamed {
      evidence += "; they may be microseconds since 1970, of which x / 1000000 with `date: epoch` makes a Date"
    } else if Self.seconds.contains(range), isNamed {
      evidence += "; they may be seconds since 1970, which `date: epoch` reads into a Date"
    }
  }
}
