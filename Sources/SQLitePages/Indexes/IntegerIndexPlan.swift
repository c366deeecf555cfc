/// How the entries of an index over one integer column are spread over leaf pages, worked out from their sizes alone,
/// so that afterwards any leaf can be written by any thread.
///
/// Entries are numbered in the order of the index. They come in one or more parts of a bounded size; the entries of a
/// leaf that a part does not fill are carried over into the next one.
struct IntegerIndexPlan {
  /// A leaf of the part at hand.
  struct Leaf {
    /// The first entry.
    var start: Int
    /// The slot of that entry.
    var slot: Int
    /// The slot of the key that did not fit the leaf any more and divides it from the next one.
    var dividerSlot: Int
  }

  private let roomOnPage: Int
  private var room: Int
  /// Leaves that are full.
  private(set) var leaves: [Leaf] = []
  /// The leaf that is being filled.
  private(set) var open = Leaf(start: 0, slot: 0, dividerSlot: 0)
  private var isEmpty = true
  /// Whether the divider behind the open leaf is known. It is the last entry so far; as long as no other follows, it
  /// divides nothing.
  private(set) var hasDivider = false

  init(geometry: PageGeometry) {
    roomOnPage = geometry.usableSize - PageKind.leafIndex.headerSize
    room = roomOnPage
  }

  /// Begins another part, in which the entries of the open leaf come first.
  mutating func beginPart() {
    leaves.removeAll(keepingCapacity: true)
    open.start = 0
  }

  /// Adds the entries of one slot.
  /// - Parameters:
  ///   - rowIDs: the row ids of all entries of the part; those of a slot ascend.
  @unsafe mutating func append(slot: Int, entries: Range<Int>, rowIDs: UnsafePointer<UInt32>) {
    // Safety: `entries` are places of `rowIDs`. The inner loop ends before their upper bound, because the row ids of a
    // slot ascend and the last one is above `greatest`.
    let keySize = IntegerKeyForm.size(slot: slot)
    var position = entries.lowerBound
    while position < entries.upperBound {
      let form = IntegerKeyForm.RowID(unsafe rowIDs[position])
      var end = entries.upperBound
      if unsafe rowIDs[end - 1] > form.greatest {
        end = position + 1
        while unsafe rowIDs[end] <= form.greatest { end += 1 }
      }
      // The length of the payload, three bytes of header, the values, and the cell's pointer.
      add(slot: slot, position..<end, size: 4 + keySize + form.size + 2)
      position = end
    }
  }

  /// Adds entries of one size.
  @inline(__always)
  private mutating func add(slot: Int, _ entries: Range<Int>, size: Int) {
    var position = entries.lowerBound
    while position < entries.upperBound {
      if isEmpty {
        isEmpty = false
        open.slot = slot
      }
      if hasDivider {
        leaves.append(open)
        open = Leaf(start: position, slot: slot, dividerSlot: 0)
        room = roomOnPage
        hasDivider = false
      }
      let fitting = min(room / size, entries.upperBound - position)
      position += fitting
      room -= fitting * size
      if position < entries.upperBound {
        open.dividerSlot = slot
        hasDivider = true
        position += 1
      }
    }
  }
}

/// The form of an entry of an index over one integer column.
enum IntegerKeyForm {
  /// Bytes of the value of a slot: 0 stands for null, v + 1 for the value v.
  @inline(__always)
  static func size(slot: Int) -> Int {
    // Null, 0 and 1 take no bytes, because the type has the value.
    if slot <= 2 { return 0 }
    return rowIDSize(slot - 1)
  }

  /// The type of the value of a slot.
  @inline(__always)
  static func type(slot: Int) -> UInt8 {
    if slot == 0 { return 0 }
    return slot <= 2 ? 7 + UInt8(truncatingIfNeeded: slot) : UInt8(truncatingIfNeeded: rowIDSize(slot - 1))
  }

  /// Values are below 2^31.
  @inline(__always)
  private static func rowIDSize(_ value: Int) -> Int {
    if value < 1 << 7 { return 1 }
    if value < 1 << 15 { return 2 }
    return value < 1 << 23 ? 3 : 4
  }

  /// How row ids of one size are written. There is no row 0.
  struct RowID {
    /// The number of bytes.
    var size: Int
    var type: UInt8
    /// The greatest row id that is written so.
    var greatest: UInt32

    @inline(__always)
    init(_ rowID: UInt32) {
      switch rowID {
      case ...1: (size, type, greatest) = (0, 9, 1)
      case ..<(1 << 7): (size, type, greatest) = (1, 1, 1 << 7 - 1)
      case ..<(1 << 15): (size, type, greatest) = (2, 2, 1 << 15 - 1)
      case ..<(1 << 23): (size, type, greatest) = (3, 3, 1 << 23 - 1)
      case ..<(1 << 31): (size, type, greatest) = (4, 4, 1 << 31 - 1)
      default: (size, type, greatest) = (6, 5, .max)
      }
    }
  }
}
