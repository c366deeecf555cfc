public import Seedbed

/// The cost of a block of a test: time, memory, and requests to the stores.
///
/// Counts are those of one coordinator, so tests that run at the same time do not disturb them as long as each has a
/// stack of its own. Time and memory are the whole process's: to be looked at rather than to be compared.
public struct StackMeasurement<Value> {
  /// The result of the block.
  public var value: Value
  /// How long it took.
  public var duration: Duration
  /// The most memory that the process had resident meanwhile; nil where the system tells only of the time since the
  /// process began, and that was more than the block needed.
  public var peakMemoryBytes: Int?
  /// The requests of contexts to the stores.
  public var counts: PerformanceCounts
  /// The work of the stores; zero for stores that do not count it, such as those in memory.
  public var storeWork: StoreCounts

  /// How often a store was asked for objects: fetches, and each time that faults had to be filled from a store.
  public var requests: Int { counts.requests.count }
  /// How often stores were asked for objects, ids, counts or dictionaries.
  public var fetches: Int { counts.fetches.count }
  /// Faults that were fired: objects and to-many relationships.
  public var faults: Int { counts.faultsFired.count + counts.relationshipFaultsFired.count }
  /// Objects that fired faults had to ask a store for.
  public var cacheMisses: Int { counts.cacheMisses.count }
  /// Saves that reached a store.
  public var saves: Int { counts.saves.count }
  /// SQL statements that ran.
  public var statements: Int { storeWork.statements }
}

extension StackMeasurement: Sendable where Value: Sendable {}

extension StackMeasurement: CustomStringConvertible {
  /// All numbers, in one line.
  public var description: String {
    let memory = peakMemoryBytes.map { "\($0 >> 20) MB at most" } ?? "memory unknown"
    return
      "\(requests) requests (\(fetches) fetches, \(faults) faults, \(cacheMisses) cache misses), \(saves) saves, "
      + "\(statements) statements, \((duration / .seconds(1)).formatted()) s, \(memory)"
  }
}
