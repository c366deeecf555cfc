import Foundation
import ObjectModel
import SQLitePages
import StoreInterface

/// How the records of one table are made from row batches of one shape. Worked out once, then shared by all workers.
public struct RowShape: Sendable {
  /// The kind of a column's values.
  enum Kind: UInt8, Sendable {
    /// The same in every row.
    case constant
    case integer, real, float, text, blob, uuid, decimal, externalBlob
    /// A model index that becomes an entity number; null where the foreign key is.
    case entityNumber
    /// An order key; null where the foreign key is.
    case orderKey
  }

  struct Field: Sendable {
    var kind: Kind
    /// Column of the batch; -1 for constants and for what follows a foreign key without being given.
    var source = -1
    /// Entity numbers and order keys: the foreign key's column of the batch.
    var keySource = -1
    /// The cell of the row plan, which is part of what tells external values apart.
    var cell = 0
    /// Whether the column's affinity is real: large integral numbers stay reals there.
    var isReal = false
    /// An entity number must be given with its foreign key.
    var isDemanded = false
    /// The value that is stored where there is no cell or it is absent.
    var absent = Constant()
    /// External attributes: the default, which may need a file of its own in every row.
    var externalDefault: [UInt8]?
  }

  /// A stored value: its type in a record's header, and its bytes.
  struct Constant: Sendable {
    var type: UInt64 = 0
    var bytes: [UInt8] = []

    /// The integer or null that is stored; nil where it is something else.
    var wholeNumber: Int64?? {
      switch type {
      case 0: .some(nil)
      case 8, 9: Int64(type - 8)
      case 1...6: bytes.reduce((bytes.first ?? 0) < 0x80 ? 0 : -1) { $0 << 8 | Int64($1) }
      default: nil
      }
    }
  }

  let entityName: String
  let fields: [Field]
  /// Names of the columns, for messages.
  let names: [String]
  let entityNumber: Int
  /// Entity number by model index.
  let entityNumbers: [Int64]
  /// Columns of a batch of this shape.
  let columns: [RowBatch.Column]
  /// Whether the rows need no more than their batch, so that any thread can encode them: no file is written for a
  /// value, and no order key is given later.
  let isSelfContained: Bool

  init(_ plan: RowPlan, columns: [RowBatch.Column]) throws {
    entityName = plan.entity.name
    entityNumber = plan.entityNumber
    entityNumbers = plan.entityNumbers
    self.columns = columns
    names = plan.table.columns.map(\.name)
    fields = try plan.table.columns.map { column in
      let isReal = column.sqlType == "FLOAT"
      if let cell = plan.cells.firstIndex(where: { $0.name == column.name }) {
        return try RowShape.field(plan.cells[cell], cell, isReal)
      }
      switch column.role {
      case .primaryKey: return Field(kind: .constant)
      case .entityNumber: return Field(kind: .constant, absent: RowShape.number(Int64(plan.entityNumber)))
      case .version: return Field(kind: .constant, absent: RowShape.number(1))
      default:
        guard let unmapped = plan.unmapped.first(where: { $0.name == column.name }) else {
          return Field(kind: .constant)
        }
        if unmapped.kind == .externalBlob, case .data(let data) = unmapped.value {
          return Field(kind: .externalBlob, isReal: isReal, externalDefault: Array(data))
        }
        return Field(
          kind: .constant,
          absent: try RowShape.stored(unmapped.value, kind: unmapped.kind, isReal: isReal))
      }
    }
    isSelfContained = !fields.contains { $0.kind == .externalBlob } && plan.unordered.isEmpty
  }

  /// The shape of changes: a field for each of some cells of the plan, and
  /// `RowChanges.absentType` for what a row says nothing of.
  init(changesBy plan: RowPlan, columns: [RowBatch.Column], cells: [Int]) throws {
    entityName = plan.entity.name
    entityNumber = plan.entityNumber
    entityNumbers = plan.entityNumbers
    self.columns = columns
    names = cells.map { plan.cells[$0].name }
    fields = try cells.map { index in
      let cell = plan.cells[index]
      let isReal = plan.table.columns.contains { $0.name == cell.name && $0.sqlType == "FLOAT" }
      var field = try RowShape.field(cell, index, isReal)
      field.absent = Constant(type: RowChanges.absentType)
      field.externalDefault = nil
      return field
    }
    isSelfContained = !fields.contains { $0.kind == .externalBlob } && plan.unordered.isEmpty
  }

  private static func field(
    _ cell: RowPlan.Cell, _ index: Int, _ isReal: Bool
  ) throws -> Field {
    var field = Field(kind: .constant, source: cell.source, cell: index, isReal: isReal)
    if cell.isDerivedFromForeignKey {
      field.kind = cell.kind == .entityNumber ? .entityNumber : .orderKey
      field.keySource = cell.foreignKeySource ?? -1
      field.isDemanded = cell.lookUp != nil
      return field
    }
    field.kind =
      switch cell.kind {
      case .integer: .integer
      case .real: .real
      case .float: .float
      case .text: .text
      case .decimal: .decimal
      case .uuid: .uuid
      case .blob: .blob
      case .externalBlob: .externalBlob
      case .entityNumber: .entityNumber
      }
    if cell.kind == .externalBlob, case .data(let data) = cell.defaultValue {
      field.externalDefault = Array(data)
    } else {
      field.absent = try stored(cell.defaultValue, kind: cell.kind, isReal: isReal)
    }
    return field
  }

  // MARK: - Values of the model

  private static func number(_ value: Int64) -> Constant {
    // Safety: `RecordEncoding` writes at most 8 bytes; those that count are copied before the scratch memory goes.
    unsafe withUnsafeTemporaryAllocation(byteCount: 8, alignment: 8) { scratch in
      guard let base = scratch.baseAddress else { return Constant() }
      let (type, count) = unsafe RecordEncoding.write(value, to: base)
      return Constant(type: UInt64(type), bytes: unsafe Array(UnsafeRawBufferPointer(start: base, count: count)))
    }
  }

  private static func number(_ value: Double, isReal: Bool) -> Constant {
    // Safety: `RecordEncoding` writes at most 8 bytes; those that count are copied before the scratch memory goes.
    unsafe withUnsafeTemporaryAllocation(byteCount: 8, alignment: 8) { scratch in
      guard let base = scratch.baseAddress else { return Constant() }
      let (type, count) = unsafe RecordEncoding.write(value, isReal: isReal, to: base)
      return Constant(type: UInt64(type), bytes: unsafe Array(UnsafeRawBufferPointer(start: base, count: count)))
    }
  }

  /// A default of the model as it is stored.
  private static func stored(
    _ value: Value, kind: RowPlan.Kind, isReal: Bool
  ) throws -> Constant {
    func blob(_ bytes: [UInt8]) -> Constant { Constant(type: RecordEncoding.blobType(bytes.count), bytes: bytes) }
    func text(_ text: String) -> Constant {
      Constant(type: RecordEncoding.textType(text.utf8.count), bytes: Array(text.utf8))
    }
    switch (value, kind) {
    case (.null, _): return Constant()
    case (.double(let value), .float): return number(Double(Float(value)), isReal: isReal)
    case (.integer(let value), .real), (.integer(let value), .float): return number(Double(value), isReal: isReal)
    case (.integer(let value), .integer), (.integer(let value), .entityNumber): return number(value)
    case (.boolean(let value), .integer): return number(value ? 1 : 0)
    case (.double(let value), .real): return number(value, isReal: isReal)
    case (.date(let value), .real): return number(value.timeIntervalSinceReferenceDate, isReal: isReal)
    case (.decimal(let value), .decimal):
      let (type, bytes) = try NumericText().stored(Array(value.description.utf8))
      return Constant(type: type, bytes: bytes)
    case (.integer(let value), .decimal): return number(value)
    case (.string(let value), .text): return text(value)
    case (.uri(let value), .text): return text(value.absoluteString)
    case (.data(let value), .blob): return blob(Array(value))
    case (.uuid(let value), .uuid): return unsafe withUnsafeBytes(of: value.uuid) { blob(unsafe Array($0)) }
    default: throw StoreError.failure("\(value) does not fit its attribute's type")
    }
  }
}
