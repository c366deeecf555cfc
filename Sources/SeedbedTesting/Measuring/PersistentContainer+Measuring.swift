public import Seedbed

extension PersistentContainer {
  /// Measures what work costs.
  ///
  ///     let screen = try container.measure { try JournalScreen(container).load() }
  ///     #expect(screen.requests == 3, "\(screen)")
  ///
  /// - Throws: what the work throws.
  public func measure<Value, Failure: Error>(
    _ work: () throws(Failure) -> Value
  ) throws(Failure) -> StackMeasurement<Value> {
    let start = MeasurementStart(persistentStoreCoordinator)
    let value = try work()
    return start.measurement(value)
  }

  /// Measures what work costs, without what it takes to get ready for it.
  /// - Parameters:
  ///   - setUp: makes what the work begins with. It does not count.
  ///   - work: what is measured.
  /// - Throws: what either throws.
  public func measure<Subject, Value, Failure: Error>(
    setUp: () throws(Failure) -> Subject, _ work: (Subject) throws(Failure) -> Value
  ) throws(Failure) -> StackMeasurement<Value> {
    let subject = try setUp()
    return try measure { () throws(Failure) -> Value in try work(subject) }
  }

  /// As `measure(_:)`, of work that waits.
  public func measure<Value>(
    isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Value
  ) async rethrows -> StackMeasurement<Value> {
    let start = MeasurementStart(persistentStoreCoordinator)
    let value = try await work()
    return start.measurement(value)
  }
}

/// The counters at the beginning of a measurement.
private struct MeasurementStart {
  private let coordinator: PersistentStoreCoordinator
  private let counts: PerformanceCounts
  private let storeWork: StoreCounts
  private let memory: PeakMemoryMeasurement
  private let instant: ContinuousClock.Instant

  init(_ coordinator: PersistentStoreCoordinator) {
    self.coordinator = coordinator
    counts = coordinator.counters.current
    storeWork = coordinator.storeWork
    memory = PeakMemoryMeasurement()
    instant = .now
  }

  func measurement<Value>(_ value: Value) -> StackMeasurement<Value> {
    let duration = ContinuousClock.now - instant
    return StackMeasurement(
      value: value, duration: duration, peakMemoryBytes: memory.bytes,
      counts: coordinator.counters.current.since(counts), storeWork: coordinator.storeWork.since(storeWork))
  }
}
