import ObjectModel
import StoreInterface
import Synchronization

/// An in-memory store as it was at one moment, until the generation is closed.
final class InMemoryGeneration: StoreGeneration {
  let identifier: String
  let model: ManagedObjectModel
  /// Nil when it is closed.
  private let reader: Mutex<InMemoryReader?>

  init(_ reader: InMemoryReader) {
    identifier = reader.identifier
    model = reader.model
    self.reader = Mutex(reader)
  }

  /// The contents are released here, so that saves need not copy them before they change them.
  func close() { reader.withLock { $0 = nil } }

  func snapshots(_ request: FetchSpecification) throws -> [Snapshot] { try open().snapshots(request) }

  func snapshots(_ request: FetchSpecification, monitor: FetchMonitor) throws -> [Snapshot] {
    try open().snapshots(request, monitor: monitor)
  }

  func count(_ request: FetchSpecification) throws -> Int { try open().count(request) }

  func rows(_ request: FetchSpecification) throws -> FetchedRows { try open().rows(request) }

  func members(of owner: ObjectID, relationship: Relationship) throws -> [ObjectID] {
    try open().members(of: owner, relationship: relationship)
  }

  private func open() throws(StoreError) -> InMemoryReader {
    guard let reader = reader.withLock({ $0 }) else { throw .failure("the query generation was closed") }
    return reader
  }
}
