import FileStores
import Foundation
import MemoryStore
import ObjectModel
import StoreInterface
import TestSupport
import Testing

@Suite("Binary stores")
struct BinaryStoreTests {
  private let model: ManagedObjectModel
  private let format = BinaryStoreFormat()
  private let whole: Data

  init() throws {
    let folder = try TemporaryFolder()
    model = try Library.model()
    let store = try AtomicStore(url: folder.file("a.store"), model: model, format: format)
    try Library.fill(store)
    whole = try Data(contentsOf: store.url)
  }

  @Test("the file begins with the magic bytes and the version, and the same contents give the same bytes")
  func form() throws {
    #expect(whole.prefix(12) == Data("SeedBinS".utf8) + Data([1, 0, 0, 0]))
    #expect(format.recognizes(whole.prefix(512)))
    let contents = try format.read(whole, model: model)
    #expect(contents.snapshots.count == 4)
    #expect(try format.write(contents, model: model) == whole)
  }

  @Test("a file cut anywhere is refused")
  func truncated() {
    for count in 0..<whole.count {
      #expect(throws: StoreError.self) { try format.read(whole.prefix(count), model: model) }
    }
    #expect(throws: StoreError.self) { try format.read(whole + Data([0]), model: model) }
  }

  @Test("a file with any byte changed is refused")
  func changed() {
    for index in whole.indices {
      var damaged = whole
      damaged[index] ^= 0x10
      #expect(throws: StoreError.self) { try format.read(damaged, model: model) }
    }
  }

  @Test("a file that lies, with a checksum to match, is refused or is a whole store")
  func lies() throws {
    var random = SeededGenerator(seed: 11)
    var (read, refused) = (0, 0)
    for _ in 0..<1_500 {
      var body = whole[20..<whole.count - 32]
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let index = try #require(body.indices.randomElement(using: &random))
        body[index] = UInt8.random(in: 0...255, using: &random)
      }
      if Bool.random(using: &random) { body = body.dropLast(Int.random(in: 0..<body.count, using: &random)) }
      var length = UInt64(body.count)
      var file = Data(whole.prefix(12))
      for _ in 0..<8 {
        file.append(UInt8(truncatingIfNeeded: length))
        length >>= 8
      }
      file += body
      var digest = ContentDigest()
      digest.update(file)
      file += digest.finalize()
      let folder = try TemporaryFolder()
      try file.write(to: folder.file("a.store"))
      do {
        let store = try AtomicStore(url: folder.file("a.store"), model: model, format: format)
        _ = try Portrait.snapshots(store)
        read += 1
      } catch let error as StoreError {
        switch error {
        case .notAStore, .incompatibleModel: refused += 1
        default: Issue.record("\(error)")
        }
      }
    }
    #expect(read > 0 && refused > 0, "\(read) read, \(refused) refused")
  }

  @Test("Apple's own binary stores are named as such, newer versions too")
  func others() throws {
    #expect { try format.read(Data("bplist00".utf8), model: model) } throws: { "\($0)".contains("Apple") }
    var newer = whole
    newer[8] = 2
    let file = newer
    #expect { try format.read(file, model: model) } throws: { "\($0)".contains("version 2") }
  }
}
