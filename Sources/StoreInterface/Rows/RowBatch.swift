public import ObjectModel

/// Up to `capacity` rows of one entity, column by column: the unit in which rows cross module boundaries.
///
/// A batch has one owner at a time. It is handed from worker to worker and reused, never shared, which is what
/// makes the unchecked `Sendable` sound. Rows are numbered from 0.
///
/// States and cells are allocated for the whole capacity and stay where they are until the batch goes; the arena moves.
/// Callers keep rows under `capacity`, and a slice within `arenaCount`.
@safe public final class RowBatch: @unchecked Sendable {
  /// What a column holds.
  public enum Source: Sendable, Hashable {
    /// An attribute by name; a composite's element by dotted path.
    case attribute(String)
    /// Primary key of the destination of a to-one relationship.
    case toOne(String)
    /// Model index (`Entity.index`) of that destination's own entity. Only needed where the destination entity has
    /// sub-entities.
    case toOneEntity(String)
    /// Order key of this row inside the ordered to-many inverse of the to-one relationship.
    case toOneOrder(String)
  }

  /// How a column's cells are kept.
  public enum Storage: UInt8, Sendable, Hashable {
    /// Int64: Integer 16/32/64, Boolean (0/1), keys, entity indexes, order keys.
    case integer
    /// Double: Double, Float, Date (seconds since 2001-01-01T00:00:00Z).
    case real
    /// Bytes in the arena: String and URI (UTF-8), Decimal (plain decimal text such as `-10.25`), UUID (16 bytes),
    /// Binary, Transformable (stored bytes).
    case bytes
  }

  /// State of a cell. Absent is not null: an absent cell leaves what is stored, or takes the default on insert.
  public enum State: UInt8, Sendable, Hashable {
    case absent = 0
    case null = 1
    case value = 2
  }

  /// Where a `bytes` cell lies in the arena.
  public struct Slice: Sendable {
    /// Bytes from the start of the arena.
    public var offset: UInt32
    /// The number of bytes.
    public var length: UInt32
    /// The `length` bytes from `offset` on.
    @inlinable public init(offset: UInt32, length: UInt32) {
      self.offset = offset
      self.length = length
    }
  }

  /// One column: what it says and how its cells are kept.
  public struct Column: Sendable, Hashable {
    /// The property that the column fills.
    public var source: Source
    /// The form of its cells; it must fit the property's type.
    public var storage: Storage
    /// A column for a property.
    public init(_ source: Source, _ storage: Storage) {
      self.source = source
      self.storage = storage
    }
  }

  /// The entity of every row.
  public let entity: Entity
  /// Fixed for the life of the batch; functions take a column's position here.
  public let columns: [Column]
  /// The greatest number of rows.
  public let capacity: Int
  /// Number of rows in use.
  public var count = 0
  /// One `State` raw value per row, per column.
  @unsafe public let states: [UnsafeMutablePointer<UInt8>]
  @unsafe @usableFromInline let cells: [UnsafeMutableRawPointer]
  /// The arena. It is in memory outside the object, because each access to a stored property of an object is checked
  /// for exclusivity.
  @unsafe @usableFromInline let bytes: UnsafeMutablePointer<Arena>

  /// Memory that grows at its end.
  @usableFromInline @unsafe struct Arena {
    @usableFromInline var base: UnsafeMutableRawPointer
    @usableFromInline var count = 0
    @usableFromInline var capacity: Int

    init(capacity: Int) {
      unsafe base = .allocate(byteCount: capacity, alignment: 8)
      unsafe self.capacity = capacity
    }
  }

  /// The bytes of all `bytes` cells. It moves when it grows: never keep it across an append.
  @inlinable @unsafe public var arena: UnsafeMutableRawPointer { unsafe bytes.pointee.base }
  /// Bytes of the arena in use.
  @inlinable public var arenaCount: Int { unsafe bytes.pointee.count }

  /// An empty batch, every cell absent.
  /// - Parameters:
  ///   - capacity: rows.
  ///   - arenaCapacity: bytes to start with; the arena grows up to 4 GiB.
  public init(entity: Entity, columns: [Column], capacity: Int, arenaCapacity: Int = 1 << 16) {
    self.entity = entity
    self.columns = columns
    self.capacity = capacity
    unsafe states = columns.map { _ in
      let pointer = UnsafeMutablePointer<UInt8>.allocate(capacity: max(capacity, 1))
      unsafe pointer.initialize(repeating: 0, count: max(capacity, 1))
      return unsafe pointer
    }
    unsafe cells = columns.map { _ in .allocate(byteCount: max(capacity, 1) * 8, alignment: 8) }
    unsafe bytes = .allocate(capacity: 1)
    unsafe bytes.initialize(to: Arena(capacity: max(arenaCapacity, 16)))
  }

  deinit {
    unsafe states.forEach { unsafe $0.deallocate() }
    unsafe cells.forEach { unsafe $0.deallocate() }
    unsafe bytes.pointee.base.deallocate()
    unsafe bytes.deallocate()
  }

  /// The cells of an `integer` column; valid where the state is `value`.
  @inlinable @unsafe public func integers(_ column: Int) -> UnsafeMutablePointer<Int64> {
    unsafe rawCells(column).assumingMemoryBound(to: Int64.self)
  }
  /// The cells of a `real` column; valid where the state is `value`.
  @inlinable @unsafe public func reals(_ column: Int) -> UnsafeMutablePointer<Double> {
    unsafe rawCells(column).assumingMemoryBound(to: Double.self)
  }
  /// The cells of a `bytes` column; valid where the state is `value`.
  @inlinable @unsafe public func slices(_ column: Int) -> UnsafeMutablePointer<Slice> {
    unsafe rawCells(column).assumingMemoryBound(to: Slice.self)
  }
  /// The bytes of a `bytes` cell whose state is `value`. Inlined, because keys and exports take them cell by cell.
  @inlinable @inline(__always) @unsafe package func cellBytes(_ column: Int, _ row: Int) -> UnsafeRawBufferPointer {
    let slice = unsafe slices(column)[row]
    return unsafe UnsafeRawBufferPointer(start: arena + Int(slice.offset), count: Int(slice.length))
  }
  /// The 8-byte cells of a column of any storage.
  @inlinable @unsafe public func rawCells(_ column: Int) -> UnsafeMutableRawPointer { unsafe cells[column] }

  /// Copies bytes into the arena. The arena may move: take `arena` again afterwards.
  /// - Returns: where they lie.
  @inlinable @unsafe public func append(_ source: UnsafeRawPointer, count: Int) -> Slice {
    let offset = arenaCount
    // Safety: the source is not in this arena, which may move and be given back before it is read.
    unsafe reserveArena(count).copyMemory(from: source, byteCount: count)
    commitArena(count)
    return Slice(offset: UInt32(truncatingIfNeeded: offset), length: UInt32(truncatingIfNeeded: count))
  }

  /// Makes room for `count` more bytes and returns where they start; `commitArena` then takes them into use.
  @inlinable @unsafe public func reserveArena(_ count: Int) -> UnsafeMutableRawPointer {
    if unsafe bytes.pointee.count + count > bytes.pointee.capacity { growArena(count) }
    return unsafe bytes.pointee.base + bytes.pointee.count
  }

  @usableFromInline func growArena(_ count: Int) {
    let used = unsafe bytes.pointee.count
    let needed = used + count
    precondition(needed <= Int(UInt32.max), "row batch arena over 4 GiB")
    var grown = unsafe Arena(capacity: min(max(needed, bytes.pointee.capacity * 2), Int(UInt32.max)))
    unsafe grown.base.copyMemory(from: bytes.pointee.base, byteCount: used)
    unsafe grown.count = used
    unsafe bytes.pointee.base.deallocate()
    unsafe bytes.pointee = grown
  }

  /// Takes bytes that `reserveArena` made room for into use.
  @inlinable public func commitArena(_ count: Int) { unsafe bytes.pointee.count += count }

  /// Forgets all rows: every cell becomes absent again.
  public func removeAll() {
    unsafe states.forEach { unsafe $0.update(repeating: 0, count: min(max(count, 1), capacity)) }
    count = 0
    unsafe bytes.pointee.count = 0
  }
}
