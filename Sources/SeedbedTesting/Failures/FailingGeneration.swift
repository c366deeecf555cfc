import Seedbed

/// A generation of a store that fails.
final class FailingGeneration: StoreGeneration, ReadForwarding {
  private let base: any StoreGeneration
  private let failures: StoreFailures

  init(_ base: any StoreGeneration, _ failures: StoreFailures) {
    self.base = base
    self.failures = failures
  }

  var identifier: String { base.identifier }
  var model: ManagedObjectModel { base.model }
  func close() { base.close() }

  func reading<Result>(_ body: (any StoreReading) throws -> Result) throws -> Result {
    try failures.check(.fetch)
    return try body(base)
  }
}
