import Foundation
import ObjectModel
import Platform
import Predicates
import SQLite
import SQLitePages
import StoreInterface

/// Makes snapshots of the rows of one entity and its sub-entities.
///
/// The columns and the forms of cells are found out once, so that a row costs its cells and two arrays.
///
/// What its unsafe code relies on: `cells` and `types` belong to the reader and have a place for each of `columns`. The
/// columns in plans are positions in that list, and statements select `columns` first. A row of the builder has as many
/// cells as the widest of the entities has attributes and relationships, and stays good until the next row begins. The
/// reader is used by one thread at a time, inside the session's lock. Bytes of a column are copied, or compared, before
/// the statement goes on or another column is read.
@safe final class SnapshotReader {
  /// What to select, from a table called `t0`.
  let columns: String
  /// The columns by their names.
  private let names: [String]
  let builder: SnapshotBlockBuilder
  /// How the rows are read from the file's pages.
  let pages = PageSnapshotPlan()
  private let cellCount: Int
  private let cells: UnsafeMutablePointer<Int64>
  private let types: UnsafeMutablePointer<UInt8>
  let entity: Entity
  /// The entities of the rows that it reads.
  let entities: [Entity]
  private let file: StoreFile
  private let externalData: ExternalDataFolder
  private var plans: [Int64: Plan] = [:]
  private var lastNumber: Int64 = -1
  private var lastPlan: Plan?

  init(_ session: StoreSession, entity: Entity) {
    self.entity = entity
    file = session.file
    externalData = session.externalData
    let layout = file.layout
    var position: [String: Int32] = [:]
    var names = ["Z_PK", "Z_ENT", "Z_OPT"]
    func place(_ name: String) -> Int32 {
      if let known = position[name] { return known }
      let index = Int32(names.count)
      names.append(name)
      position[name] = index
      return index
    }
    var kinds: [Entity] = []
    for number in layout.numbers(ofKind: entity) {
      guard let kind = layout.entity(number: number) else { continue }
      plans[Int64(number)] = Plan(entity: kind, kind: kinds.count, layout: layout, place: place)
      kinds.append(kind)
    }
    entities = kinds
    columns = names.map { "t0.\($0)" }.joined(separator: ", ")
    self.names = names
    builder = SnapshotBlockBuilder(shape: SnapshotBlock.Shape(entities: kinds, spaces: file.idSpaces.list))
    cellCount = names.count
    unsafe cells = .allocate(capacity: names.count)
    unsafe types = .allocate(capacity: names.count)
  }

  deinit {
    unsafe cells.deallocate()
    unsafe types.deallocate()
  }

  /// Reads the statement's rows to the end.
  func blocks(_ statement: Statement) throws -> [SnapshotBlock] {
    // Rows of a statement that failed may be left.
    _ = builder.finish()
    while try statement.step() { try pack(statement) }
    return builder.finish()
  }

  /// Reads the wanted ones of a statement's rows.
  func blocks(_ statement: Statement, of rows: KeyedPositions) throws -> [SnapshotBlock] {
    _ = builder.finish()
    try rows.scan(statement) { _ in try pack(statement) }
    return builder.finish()
  }

  /// How rows are unpacked from their records; nil where a value needs more than a copy.
  /// - Parameter places: of columns in the table's records.
  func rowKinds(_ places: [String: Int]) -> [PackedRowReader.RowKind]? {
    var kinds: [PackedRowReader.RowKind] = []
    for (number, plan) in plans.sorted(by: { $0.key < $1.key }) {
      var kind = PackedRowReader.RowKind(number: number, form: UInt16(plan.kind), columns: [])
      func add(_ column: Int32, _ value: PackedRowReader.Column.Kind, cell: Int, form: UInt16) -> Bool {
        guard let position = places[names[Int(column)]] else { return false }
        kind.columns.append(PackedRowReader.Column(position: position, kind: value, cell: cell, form: form))
        return true
      }
      for (index, attribute) in plan.attributes.enumerated() {
        let isPossible =
          switch attribute.form {
          case .integer: add(attribute.column, .integer, cell: index, form: SnapshotBlock.Form.integer)
          case .boolean: add(attribute.column, .integer, cell: index, form: SnapshotBlock.Form.boolean)
          case .real: add(attribute.column, .real, cell: index, form: SnapshotBlock.Form.double)
          case .date: add(attribute.column, .real, cell: index, form: SnapshotBlock.Form.date)
          case .string: add(attribute.column, .bytes, cell: index, form: SnapshotBlock.Form.string)
          case .missing: true
          case .converted, .composite: false
          }
        if !isPossible { return nil }
      }
      for (index, toOne) in plan.toOne.enumerated() where toOne.key >= 0 {
        let form = SnapshotBlock.Form.destination + UInt16(plan.destinationIndexes[index])
        guard toOne.number < 0, add(toOne.key, .integer, cell: plan.attributes.count + index, form: form) else {
          return nil
        }
      }
      // A field goes to one cell.
      if Set(kind.columns.map(\.position)).count != kind.columns.count { return nil }
      kinds.append(kind)
    }
    return kinds
  }

  private func pack(_ statement: Statement) throws {
    // Safety: both have a place for each of `columns`, and a plan's columns are positions in that list.
    let cells = unsafe cells
    let types = unsafe types
    unsafe statement.readNumbers(into: cells, types: types, count: cellCount)
    func integer(_ column: Int32) -> Int64 {
      let isNumber = unsafe types[Int(column)] == SnapshotReader.integerType
      return isNumber ? unsafe cells[Int(column)] : statement.int64(at: column)
    }
    func real(_ column: Int32) -> Int64 {
      let isReal = unsafe types[Int(column)] == SnapshotReader.realType
      return isReal ? unsafe cells[Int(column)] : Int64(bitPattern: statement.double(at: column).bitPattern)
    }
    func isNull(_ column: Int32) -> Bool { unsafe types[Int(column)] == SnapshotReader.nullType }
    let plan = try plan(integer(1))
    let row = unsafe builder.beginRow(
      kind: plan.kind, primaryKey: integer(0), version: isNull(2) ? 1 : integer(2))
    let attributeCount = plan.attributes.count
    for index in 0..<attributeCount {
      let attribute = plan.attributes[index]
      if attribute.form == .composite {
        unsafe builder.set(try composite(plan.composites[index], statement), in: row, at: index)
        continue
      }
      if attribute.form == .missing || isNull(attribute.column) {
        unsafe row.forms[index] = SnapshotBlock.Form.null
        continue
      }
      switch attribute.form {
      case .integer:
        unsafe row.forms[index] = SnapshotBlock.Form.integer
        unsafe row.cells[index] = integer(attribute.column)
      case .boolean:
        unsafe row.forms[index] = SnapshotBlock.Form.boolean
        unsafe row.cells[index] = integer(attribute.column)
      case .real, .date:
        unsafe row.forms[index] = attribute.form == .real ? SnapshotBlock.Form.double : SnapshotBlock.Form.date
        unsafe row.cells[index] = real(attribute.column)
      case .string: unsafe builder.setText(statement.rawBytes(at: attribute.column), in: row, at: index)
      case .missing, .composite: break
      case .converted:
        let value = try ValueCoding.read(
          plan.descriptions[index], from: statement, at: attribute.column, externalData: externalData)
        unsafe builder.set(value, in: row, at: index)
      }
    }
    for index in 0..<plan.toOne.count {
      let place = plan.toOne[index]
      if place.key < 0 || isNull(place.key) {
        unsafe row.forms[attributeCount + index] = SnapshotBlock.Form.null
        continue
      }
      var entity = plan.destinationIndexes[index]
      if place.number >= 0, !isNull(place.number) {
        entity = try file.entity(numbered: integer(place.number)).index
      }
      unsafe row.forms[attributeCount + index] = SnapshotBlock.Form.destination + UInt16(entity)
      unsafe row.cells[attributeCount + index] = integer(place.key)
    }
  }

  private static let integerType = UInt8(Statement.StorageClass.integer.rawValue)
  private static let realType = UInt8(Statement.StorageClass.real.rawValue)
  private static let nullType = UInt8(Statement.StorageClass.null.rawValue)

  /// The statement's current row, to be looked at before the statement goes on.
  struct Row {
    fileprivate let reader: SnapshotReader
    fileprivate let plan: Plan
    fileprivate let statement: Statement

    /// The optimistic-lock counter.
    var version: Int64 { statement.isNull(at: 2) ? 1 : statement.int64(at: 2) }

    /// The value of an attribute, by its position.
    func value(attribute index: Int) throws -> Value { try reader.value(plan, index, statement) }

    /// Whether an attribute has this value, to the byte.
    func has(_ value: Value, attribute index: Int) throws -> Bool {
      let attribute = plan.attributes[index]
      switch (attribute.form, value) {
      case (.missing, _), (.composite, _), (_, .null): break
      case (.integer, .integer(let number)):
        return !statement.isNull(at: attribute.column) && statement.int64(at: attribute.column) == number
      case (.boolean, .boolean(let flag)):
        return !statement.isNull(at: attribute.column) && (statement.int64(at: attribute.column) != 0) == flag
      case (.real, .double(let number)):
        return !statement.isNull(at: attribute.column) && statement.double(at: attribute.column) == number
      case (.string, .string(var text)):
        // Safety: SQLite keeps the bytes until the next step or a conversion of this column; both come later.
        let stored = unsafe statement.rawBytes(at: attribute.column)
        let isSame = text.withUTF8 { bytes in
          guard let start = bytes.baseAddress, let storedStart = stored.baseAddress else { return false }
          return unsafe bytes.count == stored.count && memcmp(start, storedStart, stored.count) == 0
        }
        if isSame { return true }
      default: break
      }
      return try self.value(attribute: index).isIdentical(to: value)
    }

    /// Where a to-one relationship leads, by its position.
    func destination(relationship index: Int) throws -> ObjectID? { try reader.destination(plan, index, statement) }
  }

  /// The statement's current row.
  func row(_ statement: Statement) throws -> Row {
    Row(reader: self, plan: try plan(statement.int64(at: 1)), statement: statement)
  }

  /// The snapshot of the statement's current row.
  func snapshot(_ statement: Statement) throws -> Snapshot {
    let plan = try plan(statement.int64(at: 1))
    // Safety, of both arrays: each place is initialized once, in order, and `count` follows, so that an error leaves
    // exactly the initialized ones to be destroyed. A capacity of 0 has no round of the loop.
    let attributes = unsafe try [Value](unsafeUninitializedCapacity: plan.attributes.count) { buffer, count in
      for index in 0..<plan.attributes.count {
        let value = try value(plan, index, statement)
        unsafe (buffer.baseAddress.unsafelyUnwrapped + index).initialize(to: value)
        count = index + 1
      }
    }
    let toOne = unsafe try [ObjectID?](unsafeUninitializedCapacity: plan.toOne.count) { buffer, count in
      for index in 0..<plan.toOne.count {
        let destination = try destination(plan, index, statement)
        unsafe (buffer.baseAddress.unsafelyUnwrapped + index).initialize(to: destination)
        count = index + 1
      }
    }
    return Snapshot(
      objectID: id(plan.entity, statement.int64(at: 0)),
      version: statement.isNull(at: 2) ? 1 : statement.int64(at: 2), attributes: attributes, toOne: toOne)
  }

  private func plan(_ number: Int64) throws -> Plan {
    if number == lastNumber, let lastPlan { return lastPlan }
    guard let plan = plans[number] else {
      throw StoreError.notAStore(path: file.path, message: "a row has the unexpected entity number \(number)")
    }
    lastNumber = number
    lastPlan = plan
    return plan
  }

  private func id(_ entity: Entity, _ key: Int64) -> ObjectID {
    ObjectID(space: file.idSpaces[entity.index], primaryKey: key)
  }

  @inline(__always)
  fileprivate func value(_ plan: Plan, _ index: Int, _ statement: Statement) throws -> Value {
    let attribute = plan.attributes[index]
    if attribute.form == .composite { return try composite(plan.composites[index], statement) }
    if attribute.form == .missing || statement.isNull(at: attribute.column) { return .null }
    switch attribute.form {
    case .integer: return .integer(statement.int64(at: attribute.column))
    case .boolean: return .boolean(statement.int64(at: attribute.column) != 0)
    case .real: return .double(statement.double(at: attribute.column))
    case .date: return .date(Date(timeIntervalSinceReferenceDate: statement.double(at: attribute.column)))
    case .string: return .string(unsafe String(decoding: statement.rawBytes(at: attribute.column), as: UTF8.self))
    case .missing, .composite: return .null
    case .converted:
      return try ValueCoding.read(
        plan.descriptions[index], from: statement, at: attribute.column, externalData: externalData)
    }
  }

  /// The value of a composite, in its normal form: without elements that are null.
  private func composite(_ element: Element?, _ statement: Statement) throws -> Value {
    switch element {
    case nil: return .null
    case .leaf(let attribute, let column)?:
      return try ValueCoding.read(attribute, from: statement, at: column, externalData: externalData)
    case .nested(let elements)?:
      var values: [String: Value] = [:]
      for (name, element) in elements {
        let value = try composite(element, statement)
        if value != .null { values[name] = value }
      }
      return values.isEmpty ? .null : .composite(values)
    }
  }

  @inline(__always)
  fileprivate func destination(_ plan: Plan, _ index: Int, _ statement: Statement) throws -> ObjectID? {
    let place = plan.toOne[index]
    if place.key < 0 || statement.isNull(at: place.key) { return nil }
    var entity = plan.destinations[index]
    if place.number >= 0, !statement.isNull(at: place.number) {
      entity = try file.entity(numbered: statement.int64(at: place.number))
    }
    return id(entity, statement.int64(at: place.key))
  }
}
