import Foundation
import Pipelines
import Platform

/// A reference that waits for its destination, with all that is needed to complete or to reject its record later.
struct PendingReference {
  /// Import step, node of its plan, reference of the node.
  var step: Int
  var node: Int
  var reference: Int
  /// The row that refers.
  var row: RowReference
  /// All rows that the record inserted; they go when the record is rejected.
  var recordRows: [RowReference]
  var key: [UInt8]
  /// Of the record's own match key, where the reference is part of it; 0 elsewhere.
  var matchKeyHash: UInt64
  /// Where the record stands.
  var file: Int
  var line: Int
  var column: Int
  var byteOffset: Int
  /// JSON sources: the JSON Pointer of the key; empty otherwise.
  var pointer: String
  /// The record as written.
  var record: [UInt8]

  /// Where the record stands among all of the run.
  var order: OwnerClaims.Order { OwnerClaims.Order(step: step, file: file, byteOffset: byteOffset) }
}

/// Keeps pending references in a file, read in order. The record of references that follow one another is kept
/// once, however many there are.
final class PendingReferenceFile {
  /// What all references of a record have in common. Lists that are handed on share their storage, so that comparing
  /// them takes no time.
  private struct Origin: Equatable {
    var rows: [RowReference] = []
    var record: [UInt8] = []
  }
  private let path: String
  private var handle: FileHandle?
  private var buffer: [UInt8] = []
  private var lastOrigin: Origin?
  private(set) var count = 0
  /// Of the records whose objects cannot be found yet, because a part of their match key waits.
  private(set) var matchKeyHashes: Set<UInt64> = []

  init(path: String) {
    self.path = path
  }

  deinit {
    try? handle?.close()
    try? FileSystem.remove(path)
  }

  var isEmpty: Bool { count == 0 }

  func append(_ reference: PendingReference) throws(RunError) {
    var entry: [UInt8] = []
    for number in [
      reference.step, reference.node, reference.reference, reference.file, reference.line, reference.column,
      reference.byteOffset,
    ] {
      entry.appendWord(UInt64(number))
    }
    entry.appendWord(reference.matchKeyHash)
    if reference.matchKeyHash != 0 { matchKeyHashes.insert(reference.matchKeyHash) }
    entry.appendWord(reference.row.rawValue)
    entry.appendWord(UInt64(reference.key.count))
    entry.append(contentsOf: reference.key)
    entry.appendWord(UInt64(reference.pointer.utf8.count))
    entry.append(contentsOf: reference.pointer.utf8)
    let origin = Origin(rows: reference.recordRows, record: reference.record)
    entry.append(origin == lastOrigin ? 0 : 1)
    if origin != lastOrigin {
      entry.appendWord(UInt64(origin.rows.count))
      for row in origin.rows { entry.appendWord(row.rawValue) }
      entry.append(contentsOf: origin.record)
      lastOrigin = origin
    }
    buffer.appendWord(UInt64(entry.count))
    buffer.append(contentsOf: entry)
    count += 1
    if buffer.count > 1 << 18 { try flush() }
  }

  /// Calls the body for every reference, in the order they were appended.
  func forEach(_ body: (PendingReference) throws(RunError) -> Void) throws(RunError) {
    guard count > 0 else { return }
    try flush()
    guard let reader = FileHandle(forReadingAtPath: path) else { throw failure("cannot be read") }
    defer { try? reader.close() }
    var pending: [UInt8] = []
    var start = 0
    var origin = Origin()
    while true {
      let chunk: Data
      do {
        chunk = try reader.read(upToCount: 1 << 18) ?? Data()
      } catch {
        throw failure(error.localizedDescription)
      }
      if chunk.isEmpty { break }
      pending.removeFirst(start)
      start = 0
      pending.append(contentsOf: chunk)
      while let length = pending.word(at: start), pending.count - start - 8 >= Int(length) {
        try body(Self.decode(pending, start + 8, Int(length), &origin))
        start += 8 + Int(length)
      }
    }
  }

  /// - Parameter origin: of the reference before; gets that of this one.
  private static func decode(
    _ bytes: [UInt8], _ start: Int, _ length: Int, _ origin: inout Origin
  ) -> PendingReference {
    var offset = start
    func word() -> UInt64 {
      defer { offset += 8 }
      return bytes.word(at: offset) ?? 0
    }
    let (step, node, reference) = (Int(word()), Int(word()), Int(word()))
    let (file, line, column, byteOffset) = (Int(word()), Int(word()), Int(word()), Int(word()))
    let matchKeyHash = word()
    let row = RowReference(rawValue: word())
    let keyLength = Int(word())
    let key = Array(bytes[offset..<offset + keyLength])
    offset += keyLength
    let pointerLength = Int(word())
    let pointer = String(decoding: bytes[offset..<offset + pointerLength], as: UTF8.self)
    offset += pointerLength + 1
    if bytes[offset - 1] == 1 {
      origin.rows = (0..<Int(word())).map { _ in RowReference(rawValue: word()) }
      origin.record = Array(bytes[offset..<(start + length)])
    }
    return PendingReference(
      step: step, node: node, reference: reference, row: row, recordRows: origin.rows, key: key,
      matchKeyHash: matchKeyHash, file: file, line: line, column: column, byteOffset: byteOffset, pointer: pointer,
      record: origin.record)
  }

  private func flush() throws(RunError) {
    if handle == nil {
      guard FileManager.default.createFile(atPath: path, contents: nil),
        let opened = FileHandle(forUpdatingAtPath: path)
      else { throw failure("cannot be created") }
      handle = opened
    }
    do {
      try handle?.write(contentsOf: buffer)
      buffer.removeAll(keepingCapacity: true)
    } catch {
      throw failure(error.localizedDescription)
    }
  }

  private func failure(_ reason: String) -> RunError {
    RunError(.inputOutput, code: "pending.io", "the file of pending references \(path): \(reason)")
  }
}

extension [UInt8] {
  fileprivate mutating func appendWord(_ word: UInt64) {
    unsafe Swift.withUnsafeBytes(of: word.littleEndian) { unsafe append(contentsOf: $0) }
  }

  fileprivate func word(at offset: Int) -> UInt64? {
    guard offset + 8 <= count else { return nil }
    return unsafe withUnsafeBytes {
      unsafe UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
  }
}
