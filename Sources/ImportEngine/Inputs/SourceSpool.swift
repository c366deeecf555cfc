import Dispatch
import Foundation
import Pipelines
import Platform
import Synchronization

/// Keeps streams that can be read only once in files of the run, because a source may be read more than once and by
/// several steps. Endless streams are limited by size and by the length of records.
///
/// Several streams are read side by side: they may be written in any order (`tee a.fifo > b.fifo`).
struct SourceSpool: Sendable {
  /// A stream to be kept.
  struct Stream: Sendable {
    var path: String
    /// The identity of the stream.
    var identity: String
    var name: String
    var recordLimit: RecordLimit
  }

  let folder: String
  /// The most bytes of one stream; nil for the standard.
  let limit: Int?
  let cancellation: Cancellation

  /// The most that is kept of one stream when nothing is stated, unless half of the free space is less.
  static let standardLimit = 64 << 30

  /// Reads streams to their ends, each once.
  /// - Returns: the path of the file with each stream's bytes, by the stream's identity.
  /// - Throws: the first error; the other streams are not waited for.
  func keep(_ streams: [Stream]) throws(RunError) -> [String: String] {
    var kept: [String: String] = [:]
    var distinct: [(stream: Stream, target: String)] = []
    for stream in streams where kept[stream.identity] == nil {
      let target = folder + "/" + (kept.isEmpty ? "standard-input" : "standard-input-\(kept.count + 1)")
      kept[stream.identity] = target
      distinct.append((stream, target))
    }
    let stop = Cancellation()
    let failure = Mutex<RunError?>(nil)
    let readers = DispatchGroup()
    for (stream, target) in distinct {
      readers.enter()
      Thread.detachNewThread {
        defer { readers.leave() }
        do {
          try keep(stream, at: target, stops: [cancellation, stop])
        } catch {
          let error = RunError(any: error, store: target)
          failure.withLock { $0 = $0 ?? error }
          stop.cancel()
        }
      }
    }
    readers.wait()
    if let error = failure.withLock({ $0 }) { throw error }
    return kept
  }

  private func keep(_ stream: Stream, at target: String, stops: [Cancellation]) throws(RunError) {
    let output = unsafe open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard output >= 0 else {
      let error = SystemError("create the file", target)
      throw RunError(
        error.isOfSystem ? .inputOutput : .cannotCreate, code: "source.stream",
        "cannot create \(target): \(error.reason)")
    }
    defer { close(output) }
    let reader = try StreamReader(path: stream.path, name: stream.name, stops: stops)
    var watch = stream.recordLimit
    let limit = allowance
    var total = 0
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
    defer { unsafe block.deallocate() }
    while true {
      let count = try unsafe reader.read(into: block)
      guard count > 0 else { return }
      let bytes = unsafe UnsafeRawBufferPointer(rebasing: block[..<count])
      total += count
      guard total <= limit.bytes else { throw tooLong(stream.name, limit) }
      if let start = unsafe watch.overrun(bytes) {
        throw RunError(
          .badData, code: "source.record-too-long",
          "\(stream.name):byte \(start): a record is longer than \(watch.bytes) bytes",
          hint: "is it text of the stated format?")
      }
      try unsafe write(bytes, to: output, target)
    }
  }

  private var allowance: (bytes: Int, isStated: Bool) {
    if let limit { return (limit, true) }
    let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
    let free = (attributes?[.systemFreeSize] as? NSNumber)?.intValue ?? .max
    return (min(Self.standardLimit, free / 2), false)
  }

  private func tooLong(_ name: String, _ limit: (bytes: Int, isStated: Bool)) -> RunError {
    RunError(
      .badData, code: "source.too-large",
      "\(name): holds more than \(ByteText.text(limit.bytes)), the most that a run keeps of a stream"
        + (limit.isStated ? "" : " unless stated: 64 GiB, or half of the free space"),
      hint: "if it does end, raise --max-input; or import from a file, which is read where it is")
  }

  private func write(_ bytes: UnsafeRawBufferPointer, to output: Int32, _ path: String) throws(RunError) {
    do throws(SystemError) {
      unsafe try FileDescriptor.write(output, bytes, to: path)
    } catch {
      throw RunError(
        .inputOutput, code: "source.stream", "cannot write \(path): \(error.reason)",
        hint: "what can be read only once is kept beside the store while a run lasts")
    }
  }
}
