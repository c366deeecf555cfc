/// The bytes of a batch before its records were found in them: whole records from the first byte on.
struct RawRecords {
  /// How they are scanned; nil: they already were.
  var plan: ScanPlan?
  /// Bytes, from the start of the batch's storage.
  var count = 0
  /// Offset of the first byte in the source.
  var byteOffset: UInt64 = 0
  /// 1-based line of the first byte.
  var firstLine: UInt64 = 1
  /// No more records than this are in the bytes.
  var maximumRecords = 0
  /// The last record is longer than any may be, and not all of it is there.
  var isCut = false
}

/// Some consecutive records of one source, as offsets into one byte buffer. Only one thread may use a batch at a time.
/// A reader fills a batch again once its records were used.
///
/// The buffers returned by `bytes`, `fields` and `places` are valid until the batch is read into again; `bytes` also
/// moves when `JSONFields` unescapes text into the batch, so take it anew after such a call. A scanner writes no more
/// records than were reserved, and counts those that it has written whole.
@safe public final class RecordBatch: @unchecked Sendable {
  /// The number of slices per record.
  public let fieldCount: Int
  /// Good records in the batch.
  public private(set) var count = 0
  /// Records that could not be read, in input order.
  public private(set) var faults: [UnreadableRecord] = []
  /// Ordinal (from 0) of the first record or fault of this batch in its source. `RecordReader.next` states it; code
  /// that scans batches apart states it (`number(from:)`) where they are in order again.
  public private(set) var firstOrdinal: UInt64 = 0
  /// The error that ends the input after the batch's records. `RecordReader.next` throws it; code that scans batches
  /// apart throws it once the batch is used.
  public private(set) var failure: SeedFormatError?

  /// The only record is a JSON document as a whole, not an element of an array in it.
  public private(set) var isWholeDocument = false

  let storage = ByteBuffer()
  /// The facts about the raw bytes before they are scanned.
  var raw = RawRecords()
  private(set) var fieldStorage: UnsafeMutablePointer<FieldSlice>
  private(set) var placeStorage: UnsafeMutablePointer<RecordPlace>
  private(set) var recordCapacity: Int
  /// CSV ends lines with CR, LF or CRLF; JSON with LF.
  var countsCarriageReturns = true

  /// An empty batch for readers with as many projected fields.
  public init(fieldCount: Int) {
    self.fieldCount = fieldCount
    recordCapacity = 1024
    unsafe fieldStorage = .allocate(capacity: max(1, fieldCount * recordCapacity))
    unsafe placeStorage = .allocate(capacity: recordCapacity)
  }

  deinit {
    unsafe fieldStorage.deallocate()
    unsafe placeStorage.deallocate()
  }

  /// Raw input followed by unescaped copies of fields that needed it.
  public var bytes: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: storage.base, count: storage.count)
  }
  /// `fieldCount` slices per record, record after record, in projection order.
  public var fields: UnsafeBufferPointer<FieldSlice> {
    unsafe UnsafeBufferPointer(start: fieldStorage, count: count * fieldCount)
  }

  /// States the ordinal of the batch's first record or fault.
  public func number(from ordinal: UInt64) { firstOrdinal = ordinal }

  /// Takes out the plan by which the raw bytes are still to be scanned; nil where they already were.
  func removePlan() -> ScanPlan? {
    defer { raw.plan = nil }
    return raw.plan
  }

  /// Adds a record whose fields are written.
  @inline(__always)
  func appendRecord(at place: RecordPlace) {
    precondition(count < recordCapacity, "a batch has more records than were reserved")
    // Safety: there is room for `recordCapacity` places.
    unsafe placeStorage[count] = place
    count &+= 1
  }

  /// The first `count` records are written whole.
  func commit(records count: Int) {
    precondition(count <= recordCapacity, "a batch has more records than were reserved")
    self.count = count
  }

  /// Adds a record that cannot be read as one.
  func append(_ fault: UnreadableRecord) { faults.append(fault) }

  /// An error ends the input after these records.
  func end(with error: SeedFormatError) { failure = error }

  /// Says that the only record is a whole document.
  func markWholeDocument() { isWholeDocument = true }

  /// Empties the batch.
  func clear() {
    count = 0
    storage.removeAll()
    if !faults.isEmpty { faults.removeAll() }
    failure = nil
    isWholeDocument = false
    raw = RawRecords()
  }

  /// Makes room for `records` records in an empty batch.
  func reserve(records: Int) {
    guard records > recordCapacity else { return }
    unsafe fieldStorage.deallocate()
    unsafe placeStorage.deallocate()
    recordCapacity = records
    unsafe fieldStorage = .allocate(capacity: max(1, fieldCount * recordCapacity))
    unsafe placeStorage = .allocate(capacity: recordCapacity)
  }
}

extension RecordBatch {
  /// The slice of one field of one record.
  public func field(_ index: Int, ofRecord record: Int) -> FieldSlice {
    precondition(0..<fieldCount ~= index && 0..<count ~= record, "no such field in the batch")
    return unsafe fieldStorage[record * fieldCount + index]
  }

  /// The place of one record.
  public func place(ofRecord record: Int) -> RecordPlace {
    precondition(0..<count ~= record, "no such record in the batch")
    return unsafe placeStorage[record]
  }

  /// The bytes that a slice of this batch names; valid as long as those of `bytes`.
  public func bytes(of slice: FieldSlice) -> UnsafeRawBufferPointer {
    // Safety: the slice is one of this batch, and bytes are only ever added behind what it names.
    let end = Int(slice.offset) + Int(slice.length)
    precondition(end <= storage.count, "the slice is of another batch")
    return unsafe UnsafeRawBufferPointer(rebasing: bytes[Int(slice.offset)..<end])
  }

  /// The record as written, without its line end.
  public func rawBytes(of place: RecordPlace) -> UnsafeRawBufferPointer {
    // Safety: the place is one of this batch, whose bytes hold the record as written.
    let start = Int(place.rawOffset)
    precondition(start + Int(place.rawLength) <= storage.count, "the place is of another batch")
    return unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<start + Int(place.rawLength)])
  }

  /// A field's text. For messages and tests: it allocates.
  public func text(of slice: FieldSlice) -> String {
    unsafe String(decoding: bytes(of: slice), as: UTF8.self)
  }

  /// 1-based line and column (in Unicode scalars) of an offset in a record as written.
  /// - Complexity: linear in the offset.
  public func position(of rawOffset: UInt32, in place: RecordPlace) -> (line: UInt64, column: UInt64) {
    let cursor = position(of: rawOffset, in: place, from: nil)
    return (cursor.line, cursor.column)
  }

  /// A position in a record, from which a later one is found sooner.
  package struct PositionCursor: Sendable {
    /// 1-based line.
    package fileprivate(set) var line: UInt64
    /// 1-based column, in Unicode scalars.
    package fileprivate(set) var column: UInt64
    fileprivate var rawOffset = 0
    fileprivate var previous: UInt8 = 0
  }

  /// `position(of:in:)`, counted on from an earlier position in the record.
  /// - Complexity: linear in the distance to the earlier position; in the offset where that lies behind it.
  package func position(of rawOffset: UInt32, in place: RecordPlace, from earlier: PositionCursor?) -> PositionCursor {
    let raw = unsafe rawBytes(of: place)
    let start = earlier.flatMap { $0.rawOffset <= Int(rawOffset) ? $0 : nil }
    let first = start?.rawOffset ?? 0
    var line = start?.line ?? place.line
    var column = start?.column ?? UInt64(place.column)
    var previous: UInt8 = start?.previous ?? 0
    let end = max(first, min(Int(rawOffset), raw.count))
    for index in first..<end {
      let byte = unsafe raw[index]
      if byte == 0x0A {
        if !(countsCarriageReturns && previous == 0x0D) { line += 1 }
        column = 1
      } else if byte == 0x0D && countsCarriageReturns {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
      previous = byte
    }
    return PositionCursor(line: line, column: column, rawOffset: end, previous: previous)
  }
}
