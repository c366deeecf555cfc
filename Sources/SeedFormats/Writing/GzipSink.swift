import CZlib
import Dispatch
import Foundation
import Platform

/// Compresses into another sink, on several workers.
///
/// The stream is cut into blocks of a fixed size, which are compressed at once and joined to one gzip member. So the
/// same bytes give the same file on every day, with any number of workers, and in whatever pieces they are written: the
/// header has no time and no name. Little output takes no worker.
public final class GzipSink: ByteSink {
  private let downstream: any ByteSink
  private let file: String?
  private let blockLimit: Int
  private let queue = DispatchQueue(label: "seedbed.deflate", attributes: .concurrent)
  private var current = DeflateBlock()
  private var blockCount = 1
  /// Blocks being compressed, in the stream's order.
  private var pending: [DeflateBlock] = []
  private var hasHeader = false
  private var checksum: UInt = 0
  private var byteCount: UInt64 = 0
  private var isFinished = false

  /// - Parameters:
  ///   - file: the name that errors carry.
  ///   - workers: how many blocks are compressed at once, besides the one being filled; each takes about
  ///     800 KB. As many as there are processors when nil.
  public init(downstream: any ByteSink, file: String? = nil, workers: Int? = nil) {
    self.downstream = downstream
    self.file = file
    blockLimit = min(max(workers ?? Workers.processorCount, 1), 64) + 1
  }

  /// - Throws: the downstream sink's errors, and `gzip.compress` when memory runs out.
  public func write(_ bytes: UnsafeRawBufferPointer) throws(SeedFormatError) {
    guard !isFinished else { throw failure("the gzip stream was already finished") }
    var start = 0
    while start < bytes.count {
      // A full block is sent off only when more follows, so that the last one is never empty without need.
      if current.isFull { try advance() }
      start += unsafe current.append(UnsafeRawBufferPointer(rebasing: bytes[start...]))
    }
  }

  /// Ends the gzip member and the downstream sink.
  public func finish() throws(SeedFormatError) {
    guard !isFinished else { return }
    isFinished = true
    current.compress(isLast: true)
    for block in pending {
      block.wait()
      try emit(block)
    }
    pending = []
    try emit(current)
    let trailer = ByteBuffer(capacity: 8)
    for shift in stride(from: 0, to: 32, by: 8) { trailer.append(UInt8(truncatingIfNeeded: checksum >> shift)) }
    for shift in stride(from: 0, to: 32, by: 8) { trailer.append(UInt8(truncatingIfNeeded: byteCount >> shift)) }
    try unsafe downstream.write(UnsafeRawBufferPointer(start: trailer.base, count: trailer.count))
    try downstream.finish()
  }

  /// Has the full block compressed and makes an empty one the current.
  private func advance() throws(SeedFormatError) {
    let full = current
    let next: DeflateBlock
    if blockCount < blockLimit {
      next = DeflateBlock()
      blockCount += 1
    } else {
      next = pending.removeFirst()
      next.wait()
      try emit(next)
    }
    next.begin(after: full)
    full.compress(on: queue)
    pending.append(full)
    current = next
  }

  /// Writes a compressed block, the next one of the stream.
  private func emit(_ block: DeflateBlock) throws(SeedFormatError) {
    guard block.isComplete else { throw failure("no memory left to compress") }
    if !hasHeader {
      hasHeader = true
      let header = ByteBuffer(capacity: 10)
      // The mark of gzip, deflate, no flags, no time, no extra flags, system unknown.
      for byte: UInt8 in [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF] { header.append(byte) }
      try unsafe downstream.write(UnsafeRawBufferPointer(start: header.base, count: header.count))
    }
    checksum = UInt(crc32_combine(checksum, block.checksum, numericCast(block.count)))
    byteCount &+= UInt64(block.count)
    // Safety: the block is complete, and filled again only after this.
    try unsafe downstream.write(block.compressed)
  }

  private func failure(_ message: String) -> SeedFormatError {
    SeedFormatError(code: "gzip.compress", kind: .io, message: message, file: file)
  }
}
