/// Reads rows of a table into packed cells, straight from the file's pages, in the order of row ids: all of them, or
/// those whose ids are asked for.
///
/// It reads the values that a statement would give, but converts none: a value that SQLite would convert stops it.
/// Damaged pages give errors, never wild reads: a cell lies within its page (`CellForm`), a record's fields within the
/// record, and no more rows or bytes are written than there is room for. Used by one thread at a time.
@safe public final class PackedRowReader {
  /// How a field is unpacked.
  public struct Column: Sendable {
    /// The kind that the field must have if it is not null.
    public enum Kind: UInt8, Sendable {
      /// A 64-bit integer.
      case integer
      /// A double; a stored integer is converted, as SQLite stores whole reals.
      case real
      /// A text or blob: the cell gets its place among the bytes in the upper 32 bits, its length in the lower ones.
      case bytes
    }

    /// Position of the column in the table's records.
    public var position: Int
    /// The kind that the field must have.
    public var kind: Kind
    /// The cell that it goes to.
    public var cell: Int
    /// The cell's form if the field is not null; otherwise the form is 0.
    public var form: UInt16

    /// A field of the records, and the cell that takes it.
    public init(position: Int, kind: Kind, cell: Int, form: UInt16) {
      self.position = position
      self.kind = kind
      self.cell = cell
      self.form = form
    }
  }

  /// The rows of one kind, as a number in each row says.
  public struct RowKind: Sendable {
    /// The number that stands in rows of this kind.
    public var number: Int64
    /// The form of the row itself.
    public var form: UInt16
    /// Its fields; cells that have none stay null.
    public var columns: [Column]

    /// Rows with a number.
    public init(number: Int64, form: UInt16, columns: [Column]) {
      self.number = number
      self.form = form
      self.columns = columns
    }
  }

  /// Where packed rows go. A row is its id, its version and `width` cells, and has as many forms as cells, behind its
  /// own.
  @unsafe public struct Target {
    /// Room for `capacity` rows of `width + 2` cells.
    public var cells: UnsafeMutablePointer<Int64>
    /// Room for `capacity` rows of `width + 1` forms.
    public var forms: UnsafeMutablePointer<UInt16>
    /// Cells of a row, but for the first two.
    public var width: Int
    /// Rows that there is room for.
    public var capacity: Int
    /// Where bytes of texts and blobs go.
    public var bytes: UnsafeMutableRawBufferPointer
    /// The offset of `bytes` in the places that cells get.
    public var offset: Int

    /// A target in memory that the caller keeps.
    public init(
      cells: UnsafeMutablePointer<Int64>, forms: UnsafeMutablePointer<UInt16>, width: Int, capacity: Int,
      bytes: UnsafeMutableRawBufferPointer, offset: Int
    ) {
      unsafe self.cells = unsafe cells
      unsafe self.forms = unsafe forms
      unsafe self.width = width
      unsafe self.capacity = capacity
      unsafe self.bytes = unsafe bytes
      unsafe self.offset = offset
    }
  }

  /// Why no more rows were read.
  public enum Stop: Sendable, Hashable {
    /// There is no room for the next row.
    case full
    /// There are no more rows.
    case end
    /// The next row has an unknown number, or holds a value of another kind in one of the columns, which SQLite would
    /// convert.
    case irregular
  }

  /// The action for a field, by its position in the record.
  private struct Action {
    var cell: Int32 = 0
    var form: UInt16 = 0
    var kind = Kind.skip

    enum Kind: UInt8 { case skip, integer, real, bytes, version }
  }

  private struct Plan {
    var number: Int64
    var form: UInt16
    /// Where its actions lie among those of all plans.
    var actions: Range<Int>
  }

  private let file: CallerPages
  private let window: PageWindow<CallerPages>
  private let form: CellForm
  private let finder: LeafFinder<CallerPages>
  private let plans: [Plan]
  /// The actions for the fields, plan by plan.
  private let actions: UnsafeMutableBufferPointer<Action>
  private let numberPosition: Int
  private let overflow = RecordScratch()
  private var plan: Plan
  private var leaf: UInt32?
  private var index = 0
  private var wanted = 0
  private var hasBegun = false

  /// A reader that stands before the first row.
  /// - Parameters:
  ///   - root: of the table, as `sqlite_schema` names it.
  ///   - numberPosition: of the field that says of what kind a row is.
  ///   - versionPosition: of the field that is the row's version, which is 1 where that is null.
  ///   - width: cells of a row, but for the first two: `Column.cell` is under it.
  public init(
    _ file: CallerPages, root: UInt32, numberPosition: Int, versionPosition: Int, kinds: [RowKind], width: Int
  ) {
    self.file = file
    window = PageWindow(file, byteCount: 1 << 16)
    form = CellForm(file.geometry, isIndex: false)
    finder = LeafFinder(file, root: root)
    self.numberPosition = numberPosition
    var allActions: [Action] = []
    plans = kinds.map { kind in
      let last = kind.columns.map(\.position).max() ?? 0
      var actions = Array(repeating: Action(), count: max(last, numberPosition, versionPosition) + 1)
      for column in kind.columns {
        precondition(column.cell >= 0 && column.cell < width, "there are \(width) cells")
        let action: Action.Kind =
          switch column.kind {
          case .integer: .integer
          case .real: .real
          case .bytes: .bytes
          }
        actions[column.position] = Action(cell: Int32(column.cell + 2), form: column.form, kind: action)
      }
      actions[versionPosition] = Action(kind: .version)
      let start = allActions.count
      allActions += actions
      return Plan(number: kind.number, form: kind.form, actions: start..<allActions.count)
    }
    plan = plans.first ?? Plan(number: 0, form: 0, actions: 0..<0)
    unsafe actions = .allocate(capacity: allActions.count)
    _ = unsafe actions.initialize(fromContentsOf: allActions)
  }

  deinit { unsafe actions.deallocate() }

  /// Reads rows until something stops it.
  /// - Parameter keys: the ids of the rows that are read, ascending; the same in every call. Nil for all rows. Rows
  ///   that are not there are passed over.
  /// - Returns: the number of rows read, and of bytes used.
  @unsafe public func read(
    into target: Target, keys: UnsafeBufferPointer<Int64>? = nil
  ) throws(PageError) -> (rows: Int, bytes: Int, stop: Stop) {
    var rows = 0
    var used = 0
    if !hasBegun {
      hasBegun = true
      if let keys = unsafe keys, keys.isEmpty { return (0, 0, .end) }
      leaf = unsafe try self.leaf(from: keys?[0] ?? .min)
    }
    while let number = leaf {
      // Safety: no other page is asked for before the last cell of this one was read, but for a record's overflow
      // pages, which have memory of their own.
      let bytes = unsafe try window.page(number)
      guard let page = unsafe TreePage(number, bytes, file.geometry), unsafe page.kind == .leafTable else {
        throw file.malformed(number)
      }
      let count = unsafe page.cellCount
      var last: Int64?
      while index < count {
        let cell = unsafe form.read(page.cell(index), bytes)
        guard cell.end > 0 else { throw file.malformed(number) }
        last = cell.rowID
        if let keys = unsafe keys {
          while wanted < keys.count, unsafe keys[wanted] < cell.rowID { wanted += 1 }
          if wanted == keys.count { return (rows, used, .end) }
          if unsafe keys[wanted] != cell.rowID {
            index += 1
            continue
          }
        }
        if unsafe rows == target.capacity { return (rows, used, .full) }
        var record = unsafe bytes + cell.payload
        if cell.overflow > 0 {
          unsafe record = try OverflowChain.assemble(
            record, localCount: cell.overflow - cell.payload, size: cell.payloadSize, of: PageBuffer(file),
            into: overflow)
        }
        switch unsafe unpack(record, cell.payloadSize, cell.rowID, rows, &used, target) {
        case .done: break
        case .full: return (rows, used, .full)
        case .irregular: return (rows, used, .irregular)
        case .malformed: throw file.malformed(number)
        }
        rows += 1
        index += 1
      }
      unsafe try advance(from: last, keys)
    }
    return (rows, used, .end)
  }

  /// The leaf of a row id. The reader then stands before that row.
  private func leaf(from rowID: Int64) throws(PageError) -> UInt32 {
    index = 0
    let leaf = unsafe try finder.leaf(of: rowID) { (number) throws(PageError) in unsafe try window.page(number) }
    if rowID == .min { return leaf }
    let bytes = unsafe try window.page(leaf)
    guard let page = unsafe TreePage(leaf, bytes, file.geometry), unsafe page.kind == .leafTable else {
      throw file.malformed(leaf)
    }
    var (low, high) = (0, unsafe page.cellCount)
    while low < high {
      let middle = (low + high) / 2
      let cell = unsafe form.read(page.cell(middle), bytes)
      guard cell.end > 0 else { throw file.malformed(leaf) }
      if cell.rowID < rowID { low = middle + 1 } else { high = middle }
    }
    index = low
    return leaf
  }

  /// Goes to the leaf of the next row that is wanted.
  /// - Parameter last: the last row of this leaf; nil where none was left to read, as for a key behind all of its rows.
  private func advance(from last: Int64?, _ keys: UnsafeBufferPointer<Int64>?) throws(PageError) {
    /// The most rows that are passed over instead of searching from the root.
    let near: Int64 = 1_000
    if let keys = unsafe keys, let last {
      while wanted < keys.count, unsafe keys[wanted] <= last { wanted += 1 }
      if wanted == keys.count { return leaf = nil }
      let (distance, overflows) = unsafe keys[wanted].subtractingReportingOverflow(last)
      if overflows || distance > near { return leaf = unsafe try self.leaf(from: keys[wanted]) }
    }
    index = 0
    unsafe leaf = try finder.nextLeaf { (number) throws(PageError) in unsafe try window.page(number) }
  }

  private enum Outcome { case done, full, irregular, malformed }

  /// Unpacks a record into a row of the target.
  @inline(__always)
  @unsafe private func unpack(
    _ record: UnsafeRawPointer, _ size: Int, _ rowID: Int64, _ row: Int, _ used: inout Int, _ target: Target
  ) -> Outcome {
    // Safety: `row` is under the target's capacity, and cells of actions are under its width, so that all of them lie
    // in the row. A field is read only after its end was found to be within the record, and a type only where it begins
    // within the header, which is no longer than the record. So no place is beyond the record, and the sums need no
    // checks of their own.
    let (headerSize, sizeOfSize) = unsafe Varint.read(record, limit: size)
    guard sizeOfSize > 0, headerSize >= UInt64(sizeOfSize), headerSize <= UInt64(size) else { return .malformed }
    let headerEnd = unsafe record + Int(headerSize)
    let end = unsafe record + size
    guard let number = unsafe number(record + sizeOfSize, headerEnd, end) else { return .malformed }
    if plan.number != number {
      guard let other = plans.first(where: { $0.number == number }) else { return .irregular }
      plan = other
    }
    let cells = unsafe target.cells + row &* (target.width &+ 2)
    let forms = unsafe target.forms + row &* (target.width &+ 1)
    unsafe forms.update(repeating: 0, count: target.width &+ 1)
    unsafe forms[0] = plan.form
    unsafe cells[0] = rowID
    unsafe cells[1] = 1
    var next = unsafe record + sizeOfSize
    var source = unsafe headerEnd
    var bytesUsed = used
    var action = unsafe actions.baseAddress.unsafelyUnwrapped + plan.actions.lowerBound
    let lastAction = unsafe action + plan.actions.count
    // Fields that were added to the table later are null.
    while unsafe action < lastAction && next < headerEnd {
      var type = UInt64(unsafe next.load(as: UInt8.self))
      if type < 0x80 {
        unsafe next += 1
      } else {
        let (long, typeSize) = unsafe Varint.read(next, limit: headerEnd - next)
        guard typeSize > 0 else { return .malformed }
        type = long
        unsafe next += typeSize
      }
      let length = StoredRecord.size(of: type)
      guard unsafe length <= end - source else { return .malformed }
      let field = unsafe source
      unsafe source += length
      let (kind, cell, form) = unsafe (action.pointee.kind, Int(action.pointee.cell), action.pointee.form)
      unsafe action += 1
      if type == 0 { continue }
      switch kind {
      case .skip: continue
      case .integer:
        guard type < 10, type != 7 else { return .irregular }
        unsafe cells[cell] = StoredRecord.integer(field, type: type)
      case .real:
        guard type < 10 else { return .irregular }
        let bits =
          unsafe type == 7
          ? UInt64(bigEndian: field.loadUnaligned(as: UInt64.self))
          : Double(StoredRecord.integer(field, type: type)).bitPattern
        // SQLite treats NaN as null.
        if Double(bitPattern: bits).isNaN { continue }
        unsafe cells[cell] = Int64(bitPattern: bits)
      case .bytes:
        guard type >= 12 else { return .irregular }
        guard unsafe length <= target.bytes.count &- bytesUsed, let base = unsafe target.bytes.baseAddress else {
          return row == 0 ? .irregular : .full
        }
        unsafe (base + bytesUsed).copyMemory(from: field, byteCount: length)
        unsafe cells[cell] = Int64(target.offset &+ bytesUsed) << 32 | Int64(length)
        bytesUsed &+= length
      case .version:
        guard type < 10, type != 7 else { return .irregular }
        unsafe cells[1] = StoredRecord.integer(field, type: type)
        continue
      }
      unsafe forms[cell &- 1] = form
    }
    used = bytesUsed
    return .done
  }

  /// The number that says of what kind the row is; 0, which no kind has, for null or a value that is no integer. Nil in
  /// a damaged record.
  /// - Parameters:
  ///   - types: the first of the fields' types.
  ///   - headerEnd: where the types end and the fields begin.
  @inline(__always)
  @unsafe private func number(
    _ types: UnsafeRawPointer, _ headerEnd: UnsafeRawPointer, _ end: UnsafeRawPointer
  ) -> Int64? {
    var next = unsafe types
    var source = unsafe headerEnd
    var before = numberPosition
    while unsafe next < headerEnd {
      let (type, typeSize) = unsafe Varint.read(next, limit: headerEnd - next)
      guard typeSize > 0 else { return nil }
      unsafe next += typeSize
      let length = StoredRecord.size(of: type)
      guard unsafe length <= end - source else { return nil }
      if before == 0 {
        return type > 0 && type < 10 && type != 7 ? unsafe StoredRecord.integer(source, type: type) : 0
      }
      unsafe source += length
      before &-= 1
    }
    return 0
  }
}
