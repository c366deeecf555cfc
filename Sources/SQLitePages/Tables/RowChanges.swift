/// New values for fields of rows that a table has, collected in any order and in bounded memory.
/// `TableTreeWriter.finish(changing:)` writes the table anew with them.
///
/// A row counts one version up where some value differs from the one that is stored; otherwise it stays as it is.
public final class RowChanges {
  /// A field that changes may give a value for.
  public struct Field: Sendable, Hashable {
    /// How a value is compared with the stored one. Null and a value always differ.
    public enum Comparison: UInt8, Sendable {
      /// Integers by their value.
      case integer
      /// Numbers by their value, as reals.
      case real
      /// Texts and blobs by their bytes.
      case bytes
    }
    /// Position in the table's records.
    public var position: Int
    /// How values of the field are compared.
    public var comparison: Comparison
    /// Whether the value belongs to another field's value: alone it is only written in place of a different number.
    public var isDependent: Bool
    /// That field, by its place in the list of fields, if changes have it: both are written where that one differs.
    public var leader: Int?

    /// A field that changes give a value for.
    public init(position: Int, comparison: Comparison, isDependent: Bool = false, leader: Int? = nil) {
      self.position = position
      self.comparison = comparison
      self.isDependent = isDependent
      self.leader = leader
    }
  }

  /// The type of a field, in the header of a change's record, for which there is no new value. SQLite stores none like
  /// it.
  public static let absentType: UInt64 = 10

  let fields: [Field]
  /// Fields of the table's records.
  let width: Int
  /// Where the number of a row's version is; null counts as 1.
  let versionPosition: Int
  private let arena: KeyArena
  private let memoryBudget: Int
  /// Changes that were collected.
  public private(set) var count = 0
  /// Rows that stay as they are; their changes are refused.
  public var excluded: Set<Int64> = []

  // The results, after the table was written:

  /// Rows with new values.
  public internal(set) var updatedCount = 0
  /// Rows that had all the values already.
  public internal(set) var unchangedCount = 0
  /// Tags of changes for which nothing was done: their rows are excluded, not there, or hold something that only SQLite
  /// can compare or count up.
  public private(set) var refused: [UInt64] = []
  /// Positions of fields that some row has a new value in; the version is not among them.
  public internal(set) var changedPositions: Set<Int> = []
  /// Whether `updatedRows` is kept.
  public var keepsUpdatedRows = false
  /// The rows with new values, in order.
  public internal(set) var updatedRows: [Int64] = []
  /// Positions of whole numbers of which `formerNumbers` keeps what they had been.
  public var watchedPositions: [Int] = [] {
    // Checked here, because a patch uses the positions without a check.
    didSet { precondition(watchedPositions.allSatisfy((0..<width).contains), "a position that records do not have") }
  }
  /// By watched position: the rows with a new value there, with the one before; nil for null.
  public internal(set) var formerNumbers: [Int: [(rowID: Int64, number: Int64?)]] = [:]

  /// - Parameters:
  ///   - fields: those of the changes' records, in their order.
  ///   - width: fields of the table's records.
  ///   - memoryBudget: bytes to hold in memory.
  ///   - temporaryPath: how the name of the temporary file begins; the name is removed once the file is open.
  public init(fields: [Field], width: Int, versionPosition: Int, memoryBudget: Int, temporaryPath: String) {
    precondition(
      (0..<width).contains(versionPosition)
        && fields.allSatisfy {
          (0..<width).contains($0.position) && $0.position != versionPosition
            && ($0.leader.map { fields.indices.contains($0) } ?? true)
        }, "a position that the table's records do not have")
    self.fields = fields
    self.width = width
    self.versionPosition = versionPosition
    self.memoryBudget = memoryBudget
    arena = KeyArena(budget: memoryBudget, temporaryPath: temporaryPath)
  }

  /// Adds a change.
  /// - Parameters:
  ///   - tag: tells it apart, where it is refused.
  ///   - record: the new values as a record, with `absentType` where there is none.
  @unsafe public func append(rowID: Int64, tag: UInt64, record: UnsafeRawPointer, count: Int) throws(PageError) {
    // Safety: 8 bytes of the row's id, 8 of the tag and the record: what was reserved, and what is committed below.
    let place = unsafe try arena.reserve(16 + count)
    unsafe SortKey.write(rowID: rowID, to: place)
    unsafe place.storeBytes(of: tag, toByteOffset: 8, as: UInt64.self)
    unsafe (place + 16).copyMemory(from: record, byteCount: count)
    arena.commit(keyCount: 8, payloadCount: 8 + count)
    self.count += 1
  }

  /// Hands out all changes in the order of their rows, each valid during the call only. Nothing can be added
  /// afterwards.
  @unsafe func forEach(
    _ body: (_ rowID: Int64, _ tag: UInt64, _ record: UnsafeRawPointer, _ count: Int) throws(PageError) -> Void
  ) throws(PageError) {
    arena.finish()
    var merge = try KeyMerge([arena], budget: memoryBudget)
    unsafe try merge.forEach { (entry) throws(PageError) in
      let bytes = unsafe UnsafeRawPointer(entry) + 8
      let key = UInt64(bigEndian: unsafe bytes.loadUnaligned(as: UInt64.self))
      unsafe try body(
        Int64(bitPattern: key ^ 1 << 63), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self), bytes + 16,
        SortEntry.payloadCount(entry) - 8)
    }
  }

  /// Notes the former values of a row that a patch has just changed.
  @unsafe func noteUpdate(_ rowID: Int64, by patch: RowPatch, of old: UnsafeRawPointer) {
    if keepsUpdatedRows { updatedRows.append(rowID) }
    for position in watchedPositions where patch.hasNewValue(position) {
      formerNumbers[position, default: []].append((rowID, unsafe patch.formerNumber(position, of: old)))
    }
  }

  func refuse(_ tag: UInt64) { refused.append(tag) }
}
