import Foundation
public import ObjectModel
import Predicates

extension FetchedRows {
  /// The kind of a cell. Values from `object` on are objects: the entity's index is added.
  @frozen public struct CellKind: RawRepresentable, Sendable, Hashable {
    /// The kind, or `object` plus the entity's index.
    public var rawValue: UInt16
    /// A kind by its number.
    @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// A cell without a value.
    public static let missing = CellKind(rawValue: 0)
    /// An integer of 64 bits.
    public static let integer = CellKind(rawValue: 1)
    /// A boolean: 0 or 1.
    public static let boolean = CellKind(rawValue: 2)
    /// A double, by its bits.
    public static let real = CellKind(rawValue: 3)
    /// Seconds since 2001-01-01T00:00:00Z.
    public static let date = CellKind(rawValue: 4)
    /// UTF-8 of a text.
    public static let string = CellKind(rawValue: 5)
    /// UTF-8 of a URL's absolute text.
    public static let uri = CellKind(rawValue: 6)
    /// Plain decimal text such as `-10.25`.
    public static let decimal = CellKind(rawValue: 7)
    /// The bytes of binary data.
    public static let data = CellKind(rawValue: 8)
    /// The 16 bytes of a UUID.
    public static let uuid = CellKind(rawValue: 9)
    static let object: UInt16 = 16
  }

  /// The cells of all rows, row after row: a kind and 8 bytes each, and an arena for text and bytes. Cells of one kind
  /// that count up by one, as the keys of a whole table do, are only the first of them.
  ///
  /// Filled by one builder and never changed after, which is what makes the unchecked `Sendable` sound. The memory was
  /// the builder's, and is this object's from `finish` on.
  @safe final class Storage: @unchecked Sendable {
    let cellCount: Int
    private let isRun: Bool
    private let spaces: ObjectID.Spaces
    @unsafe private let kinds: UnsafeMutablePointer<UInt16>
    @unsafe private let cells: UnsafeMutablePointer<UInt64>
    @unsafe private let arena: UnsafeMutableRawPointer

    init(
      cellCount: Int, isRun: Bool, spaces: ObjectID.Spaces, kinds: UnsafeMutablePointer<UInt16>,
      cells: UnsafeMutablePointer<UInt64>, arena: UnsafeMutableRawPointer
    ) {
      self.cellCount = cellCount
      self.isRun = isRun
      self.spaces = spaces
      unsafe self.kinds = kinds
      unsafe self.cells = cells
      unsafe self.arena = arena
    }

    deinit {
      unsafe kinds.deallocate()
      unsafe cells.deallocate()
      unsafe arena.deallocate()
    }

    /// The cell's value; the index is checked by the caller.
    func value(at index: Int) -> ExpressionValue {
      let (kind, cell) = content(at: index)
      switch kind {
      case .missing: return .missing
      case .integer: return .value(.integer(Int64(bitPattern: cell)))
      case .boolean: return .value(.boolean(cell != 0))
      case .real: return .value(.double(Double(bitPattern: cell)))
      case .date: return .value(.date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: cell))))
      case .string: return .value(.string(text(cell)))
      case .uri: return URL(string: text(cell)).map { .value(.uri($0)) } ?? .missing
      case .decimal:
        // A `Decimal` takes the text of an infinity for a 0, or for nothing.
        let text = text(cell)
        return .value(.decimal(text.hasSuffix("inf") ? .nan : Decimal(string: text) ?? .nan))
      case .data: return .value(.data(unsafe Data(bytes(cell))))
      case .uuid:
        let bytes = unsafe bytes(cell)
        if bytes.count != 16 { return .value(.data(unsafe Data(bytes))) }
        return .value(.uuid(UUID(uuid: unsafe bytes.loadUnaligned(as: uuid_t.self))))
      default: return .object(objectID(kind, cell))
      }
    }

    /// The object in a cell; nil where there is none.
    func objectID(at index: Int) -> ObjectID? {
      let (kind, cell) = content(at: index)
      return kind.rawValue < CellKind.object ? nil : objectID(kind, cell)
    }

    /// The objects in `count` cells, each `step` behind the last one.
    func objectIDs(from first: Int, count: Int, step: Int) -> [ObjectID] {
      var last: (kind: CellKind, space: ObjectID.Space)?
      return (0..<count).map { position in
        let (kind, cell) = content(at: first + position * step)
        precondition(kind.rawValue >= CellKind.object, "the cell has no object")
        if let last, last.kind == kind { return ObjectID(space: last.space, primaryKey: Int64(bitPattern: cell)) }
        let id = objectID(kind, cell)
        last = (kind, id.space)
        return id
      }
    }

    private func objectID(_ kind: CellKind, _ cell: UInt64) -> ObjectID {
      ObjectID(space: spaces[Int(kind.rawValue - CellKind.object)], primaryKey: Int64(bitPattern: cell))
    }

    @inline(__always) private func content(at index: Int) -> (CellKind, UInt64) {
      if isRun { return unsafe (CellKind(rawValue: kinds[0]), cells[0] &+ UInt64(index)) }
      return unsafe (CellKind(rawValue: kinds[index]), cells[index])
    }

    // Safety: only for cells of kinds whose content is an offset; the builder wrote the length there, and as many bytes
    // behind it.
    private func bytes(_ offset: UInt64) -> UnsafeRawBufferPointer {
      let start = unsafe arena + Int(offset)
      return unsafe UnsafeRawBufferPointer(start: start + 8, count: start.loadUnaligned(as: Int.self))
    }

    private func text(_ offset: UInt64) -> String {
      unsafe String(decoding: bytes(offset), as: UTF8.self)
    }
  }

  /// Takes cells in, row by row and column by column, without making values of them.
  @safe public struct Builder: ~Copyable {
    private let columns: [String]
    private let spaces: ObjectID.Spaces
    @usableFromInline var cellCount = 0
    /// Whether all cells so far are of one kind and count up by one, so that only the first is there.
    @usableFromInline var isRun: Bool
    @usableFromInline var cellCapacity: Int
    @usableFromInline var arenaCount = 0
    @usableFromInline var arenaCapacity: Int
    @unsafe @usableFromInline var kinds: UnsafeMutablePointer<UInt16>
    @unsafe @usableFromInline var cells: UnsafeMutablePointer<UInt64>
    @unsafe @usableFromInline var arena: UnsafeMutableRawPointer
    private var isFinished = false

    /// No rows yet.
    /// - Parameters:
    ///   - columns: their names, each once.
    ///   - storeIdentifier: of the store whose objects the cells name.
    ///   - model: the store's model; at most 65,519 entities.
    public init(columns: [String], storeIdentifier: String, model: ManagedObjectModel) {
      self.columns = columns
      spaces = model.idSpaces(store: storeIdentifier)
      isRun = columns.count == 1
      cellCapacity = Swift.max(columns.count, 1) * 64
      arenaCapacity = 4_096
      unsafe kinds = .allocate(capacity: cellCapacity)
      unsafe cells = .allocate(capacity: cellCapacity)
      unsafe arena = .allocate(byteCount: arenaCapacity, alignment: 8)
    }

    deinit {
      if isFinished { return }
      unsafe kinds.deallocate()
      unsafe cells.deallocate()
      unsafe arena.deallocate()
    }

    /// Adds a missing cell.
    @inlinable public mutating func appendMissing() { append(.missing, 0) }
    /// Adds an integer, or a boolean as 0 or 1.
    @inlinable public mutating func append(_ value: Int64, kind: CellKind = .integer) {
      append(kind, UInt64(bitPattern: value))
    }
    /// Adds a double, or a date; NaN becomes a missing cell.
    @inlinable public mutating func append(_ value: Double, kind: CellKind = .real) {
      append(value.isNaN ? .missing : kind, value.bitPattern)
    }
    /// Adds an object of the entity with that index (`Entity.index`).
    @inlinable public mutating func append(objectWithKey primaryKey: Int64, entityIndex: Int) {
      append(CellKind(rawValue: 16 + UInt16(truncatingIfNeeded: entityIndex)), UInt64(bitPattern: primaryKey))
    }
    /// Adds a copy of text or bytes.
    @inlinable public mutating func append(_ source: UnsafeRawBufferPointer, kind: CellKind) {
      let length = source.count
      if arenaCount + length + 8 > arenaCapacity { growArena(length + 8) }
      let place = unsafe arena + arenaCount
      unsafe place.storeBytes(of: length, as: Int.self)
      if let base = source.baseAddress { unsafe (place + 8).copyMemory(from: base, byteCount: length) }
      append(kind, UInt64(arenaCount))
      arenaCount += length + 8
    }

    @inlinable mutating func append(_ kind: CellKind, _ cell: UInt64) {
      if isRun && cellCount > 0 {
        // Safety: there is a first cell, and always room for 64.
        if unsafe kinds[0] == kind.rawValue && cells[0] &+ UInt64(cellCount) == cell {
          cellCount += 1
          return
        }
        endRun()
      }
      if cellCount == cellCapacity { growCells() }
      unsafe kinds[cellCount] = kind.rawValue
      unsafe cells[cellCount] = cell
      cellCount += 1
    }

    /// Writes the cells out that were kept only as a first cell and a count.
    @usableFromInline mutating func endRun() {
      isRun = false
      let count = cellCount
      let (kind, first) = unsafe (kinds[0], cells[0])
      cellCount = 1
      while cellCapacity < count { growCells() }
      for index in 1..<Swift.max(count, 1) {
        unsafe kinds[index] = kind
        unsafe cells[index] = first &+ UInt64(index)
      }
      cellCount = count
    }

    @usableFromInline mutating func growCells() {
      let capacity = cellCapacity * 2
      let grownKinds = UnsafeMutablePointer<UInt16>.allocate(capacity: capacity)
      let grownCells = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity)
      unsafe grownKinds.update(from: kinds, count: cellCount)
      unsafe grownCells.update(from: cells, count: cellCount)
      unsafe kinds.deallocate()
      unsafe cells.deallocate()
      unsafe kinds = grownKinds
      unsafe cells = grownCells
      cellCapacity = capacity
    }

    @usableFromInline mutating func growArena(_ needed: Int) {
      let capacity = Swift.max(arenaCapacity * 2, arenaCount + needed)
      let grown = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
      unsafe grown.copyMemory(from: arena, byteCount: arenaCount)
      unsafe arena.deallocate()
      unsafe arena = unsafe grown
      arenaCapacity = capacity
    }

    /// The rows. The number of cells must be a multiple of the number of columns.
    public consuming func finish() -> FetchedRows {
      precondition(columns.isEmpty ? cellCount == 0 : cellCount % columns.count == 0, "the last row is not whole")
      isFinished = true
      let storage = unsafe Storage(
        cellCount: cellCount, isRun: isRun, spaces: spaces, kinds: kinds, cells: cells, arena: arena)
      return FetchedRows(columns: columns, storage: storage)
    }
  }
}
