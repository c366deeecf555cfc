/// Makes new records from old ones, by the rules of a `RowTranslation`.
///
/// All memory here is allocated by the initializer and given back by `deinit`: `fields` for the greatest position that
/// a rule names, `pieces` and `raised` for each field of a new record, `countByKind` for each number that may stand for
/// a kind. The initializer refuses positions below zero and kinds of differing widths, so a step's index is always
/// under these.
@safe final class RowTranslator {
  /// A field of the new records of one kind.
  private struct Step {
    enum Action: UInt8 { case field, constant, fieldOr, raised }
    var action: Action
    /// The position of the old field.
    var position = 0
    /// The constant: its type, and where its bytes are.
    var type: UInt64 = 0
    var start = 0
    var count = 0
    var addend: Int64 = 0
  }

  /// A field of the record at hand: its bytes are in the old record, `raised` or `constants`, and good only until the
  /// `translate` that found them returns.
  @unsafe private struct Piece {
    var type: UInt64
    var bytes: UnsafeRawPointer
    var count: Int
  }

  /// Entries of `starts` that are not the place of steps: for a number that is no kind, and for a kind whose rows go.
  private static let unknown = -1, goes = -2

  /// The last record that was made.
  @unsafe private(set) var record: UnsafeMutableRawPointer
  private let scratch = RecordScratch()
  private let kindPosition: Int
  /// By kind: where its steps begin.
  private let starts: [Int]
  private let steps: [Step]
  private let width: Int
  @unsafe private let fields: UnsafeMutableBufferPointer<StoredRecord.Field>
  @unsafe private let pieces: UnsafeMutablePointer<Piece>
  /// Numbers that were raised, 8 bytes for each field.
  @unsafe private let raised: UnsafeMutableRawPointer
  @unsafe private let constants: UnsafeMutableRawPointer
  @unsafe private let countByKind: UnsafeMutablePointer<Int>
  private let kinds: [Int64]

  /// The greatest number that may stand for a kind.
  static let greatestKind: Int64 = 1 << 16

  /// - Throws: `PageError` of kind `unsuitable` for kinds that are no small natural numbers.
  init(_ translation: RowTranslation) throws(PageError) {
    kinds = (Array(translation.cells.keys) + translation.dropped).sorted()
    if let odd = kinds.first(where: { $0 < 0 || $0 > Self.greatestKind }) {
      throw PageError(kind: .unsuitable, message: "\(odd) stands for no kind of row")
    }
    kindPosition = translation.kindPosition
    guard kindPosition >= 0 else {
      throw PageError(kind: .unsuitable, message: "\(kindPosition) is the position of no field")
    }
    let width = translation.cells.values.first?.count ?? 0
    self.width = width
    var starts = [Int](repeating: Self.unknown, count: Int(kinds.last ?? 0) + 1)
    for kind in translation.dropped { starts[Int(kind)] = Self.goes }
    var steps: [Step] = []
    var bytes: [UInt8] = []
    var last = translation.kindPosition
    for (kind, cells) in translation.cells.sorted(by: { $0.key < $1.key }) {
      guard cells.count == width else {
        throw PageError(kind: .unsuitable, message: "kinds of rows have \(width) and \(cells.count) fields")
      }
      starts[Int(kind)] = steps.count
      for cell in cells {
        let step = Self.step(cell, constants: &bytes)
        guard step.position >= 0 else {
          throw PageError(kind: .unsuitable, message: "\(step.position) is the position of no field")
        }
        last = max(last, step.position)
        steps.append(step)
      }
    }
    self.starts = starts
    self.steps = steps
    unsafe countByKind = .allocate(capacity: starts.count)
    unsafe countByKind.initialize(repeating: 0, count: starts.count)
    unsafe fields = .allocate(capacity: last + 1)
    unsafe pieces = .allocate(capacity: max(width, 1))
    unsafe raised = .allocate(byteCount: max(width, 1) * 8, alignment: 8)
    unsafe constants = .allocate(byteCount: max(bytes.count, 1), alignment: 8)
    unsafe record = scratch.reserve(0)
    unsafe bytes.withUnsafeBytes { bytes in
      if let base = bytes.baseAddress { unsafe constants.copyMemory(from: base, byteCount: bytes.count) }
    }
  }

  deinit {
    unsafe countByKind.deallocate()
    unsafe fields.deallocate()
    unsafe pieces.deallocate()
    unsafe raised.deallocate()
    unsafe constants.deallocate()
  }

  private static func step(_ cell: RowTranslation.Cell, constants: inout [UInt8]) -> Step {
    func constant(_ action: Step.Action, _ position: Int, _ value: RecordValue) -> Step {
      defer { constants += value.bytes }
      return Step(
        action: action, position: position, type: value.type, start: constants.count, count: value.bytes.count)
    }
    return switch cell {
    case .field(let position): Step(action: .field, position: position)
    case .constant(let value): constant(.constant, 0, value)
    case .fieldOr(let position, let value): constant(.fieldOr, position, value)
    case .raised(let position, let addend): Step(action: .raised, position: position, addend: addend)
    }
  }

  /// Rows that were translated, by kind.
  var counts: RowTranslation.Counts {
    Dictionary(uniqueKeysWithValues: kinds.map { ($0, unsafe countByKind[Int($0)]) })
  }

  /// Makes the new record of a row.
  /// - Returns: bytes of the new record, which is at `record`; nil where the row goes.
  /// - Throws: `PageError` of kind `malformed` for what is no record, `unsuitable` for a row of no known kind.
  @inline(__always)
  @unsafe func translate(_ old: UnsafeRawPointer, count: Int, rowID: Int64) throws(PageError) -> Int? {
    guard unsafe StoredRecord.locate(old, count: count, fields: fields) else {
      throw PageError(kind: .malformed, message: "row \(rowID) holds no record")
    }
    let start = try unsafe self.start(fields[kindPosition], old, rowID)
    if start == Self.goes { return nil }
    var typeBytes = 0
    var bodyCount = 0
    for index in 0..<width {
      let piece = try unsafe piece(start + index, index, old, rowID)
      unsafe pieces[index] = unsafe piece
      typeBytes &+= unsafe Varint.size(piece.type)
      bodyCount &+= unsafe piece.count
    }
    let headerSize = RecordEncoding.headerSize(typeBytes: typeBytes)
    let target = unsafe scratch.reserve(headerSize + bodyCount)
    unsafe record = target
    var header = unsafe target + Varint.write(UInt64(headerSize), to: target)
    var body = unsafe target + headerSize
    // Fields that lie one behind the other are copied together.
    // Safety: a run grows only while the next piece begins where it ends, so it never leaves the memory that its first
    // piece is in; pieces of the old record lie within `count`, as `locate` checked. The target was reserved for the
    // sum of all pieces.
    var runStart = unsafe old
    var runCount = 0
    for index in 0..<width {
      let piece = unsafe pieces[index]
      unsafe header += Varint.write(piece.type, to: header)
      if unsafe piece.count == 0 { continue }
      if unsafe piece.bytes != runStart + runCount {
        unsafe body.copyMemory(from: runStart, byteCount: runCount)
        unsafe body += runCount
        unsafe runStart = piece.bytes
        runCount = 0
      }
      runCount &+= unsafe piece.count
    }
    unsafe body.copyMemory(from: runStart, byteCount: runCount)
    return headerSize + bodyCount
  }

  /// Where the steps of a row's kind begin.
  @inline(__always)
  @unsafe private func start(
    _ field: StoredRecord.Field, _ old: UnsafeRawPointer, _ rowID: Int64
  ) throws(PageError) -> Int {
    if field.type > 0, field.type < 10, field.type != 7 {
      let kind = unsafe StoredRecord.integer(old + field.offset, type: field.type)
      if kind >= 0, kind < Int64(starts.count), starts[Int(kind)] != Self.unknown {
        unsafe countByKind[Int(kind)] &+= 1
        return starts[Int(kind)]
      }
    }
    throw PageError(kind: .unsuitable, message: "row \(rowID) is of no known kind")
  }

  @inline(__always)
  @unsafe private func piece(
    _ index: Int, _ place: Int, _ old: UnsafeRawPointer, _ rowID: Int64
  ) throws(PageError) -> Piece {
    let step = steps[index]
    let field = unsafe fields[step.position]
    switch step.action {
    case .field: break
    case .constant: return unsafe Piece(type: step.type, bytes: constants + step.start, count: step.count)
    case .fieldOr where field.type == 0:
      return unsafe Piece(type: step.type, bytes: constants + step.start, count: step.count)
    case .fieldOr: break
    case .raised where field.type != 0:
      guard field.type < 10, field.type != 7 else {
        throw PageError(kind: .unsuitable, message: "row \(rowID) has no whole number where one is raised")
      }
      let (sum, overflows) = unsafe StoredRecord.integer(old + field.offset, type: field.type)
        .addingReportingOverflow(step.addend)
      if overflows { throw PageError(kind: .unsuitable, message: "row \(rowID) has too great a number") }
      let (type, count) = unsafe RecordEncoding.write(sum, to: raised + place * 8)
      return unsafe Piece(type: UInt64(type), bytes: raised + place * 8, count: count)
    case .raised: break
    }
    return unsafe Piece(type: field.type, bytes: old + field.offset, count: field.count)
  }
}
