import Testing

@testable import SeedFormats

/// One field as a test sees it.
struct Field: Equatable, CustomStringConvertible {
  var kind: FieldSlice.Kind
  var bytes: [UInt8]
  var isQuoted = false

  static func text(_ text: String) -> Field { Field(kind: .string, bytes: Array(text.utf8)) }
  var description: String { "\(kind)\(isQuoted ? "!" : ""):\(String(decoding: bytes, as: UTF8.self).debugDescription)" }
}

/// What a reader delivers, in order.
enum Event: Equatable {
  case record([Field], line: UInt64, byteOffset: UInt64, raw: [UInt8])
  case fault(String, line: UInt64, byteOffset: UInt64, raw: [UInt8])
  case failure(String)
}

/// Everything a reader makes of the bytes; the events do not depend on block and batch sizes.
/// - Parameter blockSize: bytes that the source gives at a time, and that a batch holds where its records allow it.
func events(
  _ bytes: [UInt8], _ options: FormatOptions, _ projection: [String], blockSize: Int = 4096, maximumRecords: Int = 100
) -> [Event] {
  var events: [Event] = []
  do {
    let reader = try reader(bytes, options, projection, blockSize: blockSize)
    let batch = RecordBatch(fieldCount: reader.fieldCount)
    var ordinal: UInt64 = 0
    while try reader.next(batch, maximumRecords: maximumRecords) {
      #expect(batch.firstOrdinal == ordinal)
      #expect(batch.count <= maximumRecords)
      ordinal += UInt64(batch.count + batch.faults.count)
      events += contents(of: batch)
    }
  } catch {
    events.append(.failure(error.code))
  }
  return events
}

/// As `events`, but all batches are read before they are scanned, from the last to the first, by two scanners.
func eventsScannedApart(
  _ bytes: [UInt8], _ options: FormatOptions, _ projection: [String], blockSize: Int = 4096, maximumRecords: Int = 100
) -> [Event] {
  var batches: [RecordBatch] = []
  var last: [Event] = []
  do {
    let reader = try reader(bytes, options, projection, blockSize: blockSize)
    while true {
      let batch = RecordBatch(fieldCount: reader.fieldCount)
      guard try reader.read(batch, maximumRecords: maximumRecords) else { break }
      batches.append(batch)
    }
  } catch {
    last = [.failure(error.code)]
  }
  let scanners = [BatchScanner(), BatchScanner()]
  for (index, batch) in batches.enumerated().reversed() { scanners[index % 2].scan(batch) }
  var events: [Event] = []
  for batch in batches {
    #expect(batch.count + batch.faults.count <= maximumRecords)
    events += contents(of: batch)
    if let failure = batch.failure { return events + [.failure(failure.code)] }
  }
  return events + last
}

private func reader(
  _ bytes: [UInt8], _ options: FormatOptions, _ projection: [String], blockSize: Int
) throws(SeedFormatError) -> RecordReader {
  let source = SeedFile.decoded(MemorySource(bytes, blockSize: blockSize), options: options)
  return try RecordReader(source: source, options: options, projection: projection, file: nil, byteGoal: blockSize)
}

private func contents(of batch: RecordBatch) -> [Event] {
  var events: [Event] = []
  var faults = batch.faults[...]
  for record in 0...batch.count {
    while let fault = faults.first, fault.beforeRecord == record {
      let raw = unsafe Array(batch.rawBytes(of: fault.place))
      #expect(Int(fault.rawOffset) <= raw.count)
      events.append(.fault(fault.code, line: fault.place.line, byteOffset: fault.place.byteOffset, raw: raw))
      faults.removeFirst()
    }
    guard record < batch.count else { break }
    let place = batch.place(ofRecord: record)
    let fields = (0..<batch.fieldCount).map { index in
      let slice = batch.field(index, ofRecord: record)
      return unsafe Field(kind: slice.kind, bytes: Array(batch.bytes(of: slice)), isQuoted: slice.isQuoted)
    }
    events.append(
      unsafe .record(fields, line: place.line, byteOffset: place.byteOffset, raw: Array(batch.rawBytes(of: place))))
  }
  #expect(faults.isEmpty, "every fault stands at one place")
  return events
}

/// The fields of the records as texts, without places; faults and failures as their codes.
func texts(_ text: String, _ options: FormatOptions, _ projection: [String]) -> [[String]] {
  events(Array(text.utf8), options, projection).map { event in
    switch event {
    case .record(let fields, _, _, _):
      fields.map { $0.kind == .absent ? "absent" : String(decoding: $0.bytes, as: UTF8.self) }
    case .fault(let code, _, _, _): ["fault \(code)"]
    case .failure(let code): ["failure \(code)"]
    }
  }
}

/// The error that opening or reading ends with.
func failure(
  _ text: String, _ options: FormatOptions, _ projection: [String] = [], blockSize: Int = 4096
) -> SeedFormatError? {
  do {
    let reader = try RecordReader(
      source: MemorySource(Array(text.utf8), blockSize: blockSize), options: options, projection: projection,
      file: "seed")
    let batch = RecordBatch(fieldCount: reader.fieldCount)
    while try reader.next(batch) {}
    return nil
  } catch {
    return error
  }
}
