import StoreInterface
import TestStores
import TestSupport
import Testing

@Suite("Query generations of file stores")
struct FileGenerationTests {
  /// Everything that a reader sees, in one order.
  private func portrait(_ reader: any StoreReading) throws -> [String] {
    try ["Work", "Artist", "Tag", "Room"].flatMap { name in
      try reader.snapshots(FetchSpecification(try reader.model.required(name))).map { "\($0)" }.sorted()
    }
  }

  @Test(
    "a generation stays what it was while the store is saved and its file is written anew",
    arguments: [StoreKind.inMemory, .binary, .xml], [1, 2, 3])
  func unchanging(kind: StoreKind, seed: Int) throws {
    let folder = try TemporaryFolder()
    let store = try #require(try kind.open(in: folder, try Museum.model()) as? any QueryGenerations)
    var museum = RandomMuseum(seed: UInt64(seed))
    var open: [(generation: any StoreGeneration, portrait: [String])] = []
    for _ in 0..<8 {
      try museum.next().apply(to: store)
      let seen = try portrait(store)
      open.append((try store.openGeneration(), seen))
      for (generation, seen) in open { #expect(try portrait(generation) == seen) }
    }
    #expect(Set(open.map(\.portrait)).count > 4)
    let closed = open.removeFirst()
    closed.generation.close()
    closed.generation.close()
    #expect(throws: (any Error).self) { try portrait(closed.generation) }
    for (generation, seen) in open { #expect(try portrait(generation) == seen) }
  }
}
