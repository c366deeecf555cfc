import Dispatch

/// Reads a gzip file ahead, in segments that start where a member seems to, and has them inflated by several workers.
///
/// Some bytes look like the start of a member and are none: then the segment before them is no whole member, nobody uses
/// what was inflated, and the bytes are read as they would have been without any guess.
@safe final class GzipReadAhead {
  /// What bounds the memory: per segment no more input and output than these.
  struct Limits {
    /// A segment ends at the first likely start of a member after so many bytes,
    var minimumBytes = 64 << 10
    /// or after so many, and is then not inflated ahead.
    var maximumBytes = 1 << 20
    var maximumOutputBytes = 4 << 20
  }

  private let upstream: any BlockSource
  private let limits: Limits
  private let queue = DispatchQueue(label: "seedbed.inflate-members", attributes: .concurrent)
  private var free: [GzipSegment]
  private var segments: [GzipSegment] = []
  /// The segment that is being read, and from where its bytes were not yet looked at.
  private var open: GzipSegment
  private var isAtEnd = false
  private var pendingError: SeedFormatError?

  /// - Parameters:
  ///   - start: the bytes that were read and not yet inflated; a member starts with them.
  ///   - workers: as many segments are inflated at a time.
  init(upstream: any BlockSource, start: UnsafeBufferPointer<UInt8>, workers: Int, limits: Limits) {
    self.upstream = upstream
    self.limits = limits
    free = (0..<workers + 1).map { _ in GzipSegment() }
    open = GzipSegment()
    if let base = start.baseAddress { unsafe open.bytes.append(base, count: start.count) }
  }

  /// The next segment, nil at the end of the file. The one before it must have been given back.
  func next() throws(SeedFormatError) -> GzipSegment? {
    while !free.isEmpty, readSegment() {}
    if segments.isEmpty {
      guard let error = pendingError else { return nil }
      throw error
    }
    return segments.removeFirst()
  }

  func giveBack(_ segment: GzipSegment) {
    segment.clear()
    free.append(segment)
  }

  /// Reads up to the next likely start of a member and lets the bytes before it be inflated.
  /// - Returns: false when nothing is left.
  private func readSegment() -> Bool {
    let bytes = open.bytes
    var position = limits.minimumBytes
    while true {
      if let start = unsafe GzipReadAhead.findMember(bytes.base, from: position, to: bytes.count) {
        close(at: start, isLikely: true)
        return true
      }
      if bytes.count >= limits.maximumBytes {
        close(at: bytes.count, isLikely: false)
        return true
      }
      if isAtEnd {
        guard bytes.count > 0 else { return false }
        close(at: bytes.count, isLikely: pendingError == nil)
        return true
      }
      // The last bytes may be the beginning of a start.
      position = max(limits.minimumBytes, bytes.count - GzipReadAhead.headerBytes + 1)
      do {
        isAtEnd = try !bytes.append(from: upstream, maximum: ByteBlock.defaultCapacity / 4)
      } catch {
        pendingError = error
        isAtEnd = true
      }
    }
  }

  private func close(at end: Int, isLikely: Bool) {
    let segment = open
    open = free.removeLast()
    unsafe open.bytes.append(segment.bytes.base + end, count: segment.bytes.count - end)
    segment.bytes.count = end
    segments.append(segment)
    if isLikely { segment.start(on: queue, maximumOutputBytes: limits.maximumOutputBytes) }
  }

  private static let headerBytes = 10

  /// Where the fixed part of a member's header (RFC 1952: magic bytes, method, flags, time, extra flags, system) seems
  /// to stand.
  static func findMember(_ base: UnsafePointer<UInt8>, from start: Int, to end: Int) -> Int? {
    var position = start
    while let at = unsafe LineEnds.find(0x1F, base, position, end - headerBytes + 1) {
      let isLikely =
        unsafe base[at + 1] == 0x8B && base[at + 2] == 8 && base[at + 3] & 0xE0 == 0
        && (base[at + 8] == 0 || base[at + 8] == 2 || base[at + 8] == 4)
      if isLikely { return at }
      position = at + 1
    }
    return nil
  }
}
