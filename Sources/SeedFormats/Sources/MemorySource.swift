package import Foundation

/// Bytes in memory as a source, handed out in pieces of at most a stated size.
package final class MemorySource: BlockSource {
  private var rest: Data
  private let blockSize: Int

  package init(_ data: Data, blockSize: Int = .max) {
    rest = data
    self.blockSize = blockSize
  }

  package convenience init(_ bytes: [UInt8], blockSize: Int = .max) { self.init(Data(bytes), blockSize: blockSize) }

  package func read(into target: UnsafeMutableRawBufferPointer) throws(SeedFormatError) -> Int {
    let part = rest.prefix(min(blockSize, target.count))
    // Safety: the part has no more bytes than the target, which is the caller's for this call.
    unsafe target.copyBytes(from: part)
    rest = rest.dropFirst(part.count)
    return part.count
  }
}
