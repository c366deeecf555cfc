import ObjectModel
import SQLite
import StoreInterface

/// Binds the cells of one batch.
///
/// What its unsafe code relies on: it holds the batch's bare pointers, so it lives no longer than the call that has the
/// batch, and nothing is added to the batch meanwhile. Sources are columns of the batch or negative, and rows are less
/// than its count; the plan was made for the batch's columns and refuses a column whose storage is not that of the
/// cell's kind.
@safe package struct RowBinder {
  let plan: RowPlan
  @unsafe private let states: [UnsafeMutablePointer<UInt8>]
  @unsafe private let cells: [UnsafeMutableRawPointer]
  @unsafe private let arena: UnsafeRawPointer
  let externalData: ExternalDataFolder
  private let lookUps: [Statement?]
  /// Holds one external value while it is bound.
  private var scratch: [UInt8] = []

  init(_ batch: RowBatch, plan: RowPlan, session: StoreSession) throws {
    self.plan = plan
    unsafe states = unsafe batch.states
    unsafe cells = batch.columns.indices.map { unsafe batch.rawCells($0) }
    unsafe arena = unsafe UnsafeRawPointer(batch.arena)
    externalData = session.externalData
    lookUps = try plan.cells.map { try $0.lookUp.map { try session.cached($0) } }
  }

  @inline(__always) func state(_ source: Int, _ row: Int) -> UInt8 {
    source < 0 ? RowBatch.State.absent.rawValue : unsafe states[source][row]
  }

  @inline(__always) func integer(_ source: Int, _ row: Int) -> Int64 {
    unsafe cells[source].assumingMemoryBound(to: Int64.self)[row]
  }

  @inline(__always) func real(_ source: Int, _ row: Int) -> Double {
    unsafe cells[source].assumingMemoryBound(to: Double.self)[row]
  }

  /// The bytes of a cell, valid while the batch's arena is.
  @inline(__always) @unsafe func bytes(_ source: Int, _ row: Int) -> UnsafeRawBufferPointer {
    // Safety: only called for kinds of bytes, whose columns have slices into the arena.
    let slice = unsafe cells[source].assumingMemoryBound(to: RowBatch.Slice.self)[row]
    return unsafe UnsafeRawBufferPointer(start: arena + Int(slice.offset), count: Int(slice.length))
  }

  /// Binds the cell of a row to a parameter; an absent cell binds its default.
  /// - Parameter key: the row's primary key, which tells equal external values apart.
  @inline(__always)
  mutating func bind(_ index: Int, row: Int, to statement: Statement, at parameter: Int32, key: Int64) throws {
    let source = plan.cells[index].source
    if plan.cells[index].isDerivedFromForeignKey {
      return try bindDerived(plan.cells[index], index, row, to: statement, at: parameter)
    }
    switch state(source, row) {
    case RowBatch.State.value.rawValue:
      switch plan.cells[index].kind {
      case .integer: try statement.bind(parameter, integer(source, row))
      case .real: try statement.bind(parameter, try number(real(source, row), index))
      case .float: try statement.bind(parameter, Double(Float(try number(real(source, row), index))))
      case .text:
        let value = unsafe bytes(source, row)
        unsafe try statement.bindText(parameter, pointer(value), count: value.count)
      case .decimal:
        let value = unsafe bytes(source, row)
        guard unsafe RowBinder.isDecimal(value) else { throw unsafe malformed(index, value, "a decimal number") }
        unsafe try statement.bindText(parameter, pointer(value), count: value.count)
      case .uuid:
        let value = unsafe bytes(source, row)
        guard value.count == 16 else { throw unsafe malformed(index, value, "16 bytes of a UUID") }
        unsafe try statement.bindBlob(parameter, pointer(value), count: 16)
      case .blob:
        let value = unsafe bytes(source, row)
        unsafe try statement.bindBlob(parameter, pointer(value), count: value.count)
      case .externalBlob:
        unsafe try externalData.encode(
          bytes(source, row), seed: RowBinder.seed(plan.entityNumber, key, index), into: &scratch)
        try statement.bind(parameter, blob: scratch)
      case .entityNumber: try statement.bind(parameter, try entityNumber(integer(source, row)))
      }
    case RowBatch.State.null.rawValue: try statement.bindNull(parameter)
    default:
      try ValueCoding.bind(
        plan.cells[index].defaultValue, kind: plan.cells[index].kind, to: statement, at: parameter,
        externalData: externalData, seed: RowBinder.seed(plan.entityNumber, key, index))
    }
  }

  /// Entity columns and order keys follow the foreign key: null when it is.
  private func bindDerived(
    _ cell: RowPlan.Cell, _ index: Int, _ row: Int, to statement: Statement, at parameter: Int32
  ) throws {
    guard let keySource = cell.foreignKeySource, state(keySource, row) == RowBatch.State.value.rawValue else {
      return try statement.bindNull(parameter)
    }
    if state(cell.source, row) == RowBatch.State.value.rawValue {
      let value = integer(cell.source, row)
      return try statement.bind(parameter, cell.kind == .entityNumber ? try entityNumber(value) : value)
    }
    guard let lookUp = lookUps[index] else { return try statement.bindNull(parameter) }
    try lookUp.bind(1, integer(keySource, row))
    let isKnown = try lookUp.step()
    let found = lookUp.int64(at: 0)
    lookUp.reset()
    if isKnown { return try statement.bind(parameter, found) }
    if case .integer(let assumed) = cell.defaultValue { try statement.bind(parameter, assumed) }
  }

  func entityNumber(_ modelIndex: Int64) throws -> Int64 {
    guard modelIndex >= 0, modelIndex < plan.entityNumbers.count else {
      throw StoreError.failure("\(plan.entity.name): \(modelIndex) is no entity index")
    }
    return plan.entityNumbers[Int(modelIndex)]
  }

  /// SQLite would store a NaN as null.
  @inline(__always) func number(_ value: Double, _ index: Int) throws -> Double {
    if value.isNaN {
      throw StoreError.failure("\(plan.entity.name): NaN cannot be stored in \(plan.cells[index].name)")
    }
    return value
  }

  func malformed(_ index: Int, _ value: UnsafeRawBufferPointer, _ wanted: String) -> StoreError {
    let text = unsafe String(decoding: value.prefix(64), as: UTF8.self)
    return .failure("\(plan.entity.name): \(plan.cells[index].name) needs \(wanted), not \"\(text)\"")
  }

  /// An empty buffer may have no address; SQLite reads none of these bytes then.
  @inline(__always) @unsafe private func pointer(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer {
    unsafe bytes.baseAddress ?? arena
  }

  package static func seed(_ entityNumber: Int, _ key: Int64, _ column: Int) -> UInt64 {
    UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(entityNumber) << 32 ^ UInt64(column)
  }

  /// Whether the text is a plain decimal number, which SQLite then stores as a number.
  static func isDecimal(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var hasDigit = false
    var hasPoint = false
    for unsafe(position, byte) in unsafe bytes.enumerated() {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): hasDigit = true
      case UInt8(ascii: "."):
        if hasPoint { return false }
        hasPoint = true
      case UInt8(ascii: "-"), UInt8(ascii: "+"):
        if position > 0 { return false }
      case UInt8(ascii: "e"), UInt8(ascii: "E"):
        return unsafe hasDigit && isExponent(UnsafeRawBufferPointer(rebasing: bytes[(position + 1)...]))
      default: return false
      }
    }
    return hasDigit
  }

  private static func isExponent(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var digits = unsafe bytes[...]
    if let first = unsafe digits.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
      unsafe digits = unsafe digits.dropFirst()
    }
    return unsafe !digits.isEmpty
      && digits.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
  }
}
