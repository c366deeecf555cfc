import Foundation
package import ObjectModel
import Predicates

/// Snapshots of rows that were read together, kept as they came and decoded when a value is asked for.
///
/// A store that reads many rows packs them: a number or a place in a pool of bytes for every cell. Others hand over
/// finished snapshots.
///
/// Packed rows are one allocation that is never changed after `init`, which is what makes the unchecked `Sendable`
/// sound. Every look at a cell begins with a check of the row, and of the attribute or relationship; a string's place
/// was written by the builder.
@safe public final class SnapshotBlock: @unchecked Sendable {
  /// The form of a packed cell. From `destination` on: a primary key, of the entity with the index that is added.
  package enum Form {
    package static let null: UInt16 = 0
    package static let integer: UInt16 = 1
    package static let boolean: UInt16 = 2
    package static let double: UInt16 = 3
    package static let date: UInt16 = 4
    /// Offset and length in the pool of bytes.
    package static let string: UInt16 = 5
    /// A position in the list of values that fit nowhere else.
    package static let value: UInt16 = 6
    package static let destination: UInt16 = 16
  }

  /// How packed rows of one hierarchy are laid out: the attributes of the row's own entity, then its relationships.
  package final class Shape: Sendable {
    package struct Kind: Sendable {
      package let space: ObjectID.Space
      package let attributeCount: Int
      package let relationshipCount: Int
    }

    /// The entities that rows may be of.
    package let kinds: [Kind]
    /// What ids in the store have in common, by `Entity.index`.
    package let spaces: [ObjectID.Space]
    /// The number of cells in a row, that of the widest kind.
    package let width: Int
    /// Attributes that rows of every kind have.
    package let leastAttributeCount: Int

    /// - Parameter spaces: of the store, by `Entity.index`.
    package init(entities: [Entity], spaces: [ObjectID.Space]) {
      self.spaces = spaces
      kinds = entities.map { entity in
        Kind(
          space: spaces[entity.index], attributeCount: entity.attributes.count,
          relationshipCount: entity.relationships.count)
      }
      width = kinds.map { $0.attributeCount + $0.relationshipCount }.max() ?? 0
      leastAttributeCount = kinds.map(\.attributeCount).min() ?? 0
    }
  }

  /// The number of rows.
  public let count: Int
  private let list: [Snapshot]
  private let shape: Shape?
  private let width: Int
  /// What the ids have in common, where all packed rows are of one entity.
  package let onlySpace: ObjectID.Space?
  /// `leastAttributeCount` of the shape; 0 without one.
  private let leastAttributeCount: Int
  /// Primary key, version and cells of each row.
  private let cells: UnsafeMutablePointer<Int64>
  /// The kind and the forms of the cells of each row.
  private let forms: UnsafeMutablePointer<UInt16>
  private let bytes: UnsafeMutableRawPointer
  private let values: [Value]

  /// A block of finished snapshots.
  public init(_ snapshots: [Snapshot]) {
    count = snapshots.count
    list = snapshots.indices.contains { snapshots[$0].edited != nil } ? snapshots.map(\.unpacked) : snapshots
    shape = nil
    onlySpace = nil
    width = 0
    leastAttributeCount = 0
    unsafe bytes = .allocate(byteCount: 0, alignment: 8)
    unsafe cells = bytes.bindMemory(to: Int64.self, capacity: 0)
    unsafe forms = bytes.bindMemory(to: UInt16.self, capacity: 0)
    values = []
  }

  /// Copies packed rows.
  /// - Parameters:
  ///   - cells: primary key, version and `shape.width` cells of each row.
  ///   - forms: the position of the kind in `shape.kinds` and `shape.width` forms of each row.
  @unsafe package init(
    shape: Shape, count: Int, cells source: UnsafePointer<Int64>, forms sourceForms: UnsafePointer<UInt16>,
    text: UnsafeRawBufferPointer, values: [Value]
  ) {
    self.count = count
    self.shape = shape
    onlySpace = shape.kinds.count == 1 ? shape.kinds[0].space : nil
    self.values = values
    list = []
    width = shape.width
    leastAttributeCount = shape.leastAttributeCount
    let cellCount = count * (shape.width + 2)
    let formCount = count * (shape.width + 1)
    let start = UnsafeMutableRawPointer.allocate(
      byteCount: cellCount * 8 + formCount * 2 + text.count, alignment: 8)
    unsafe cells = start.bindMemory(to: Int64.self, capacity: cellCount)
    unsafe cells.update(from: source, count: cellCount)
    unsafe forms = (start + cellCount * 8).bindMemory(to: UInt16.self, capacity: formCount)
    unsafe forms.update(from: sourceForms, count: formCount)
    unsafe bytes = start + cellCount * 8 + formCount * 2
    if let first = text.baseAddress { unsafe bytes.copyMemory(from: first, byteCount: text.count) }
  }

  deinit {
    // All parts are one allocation, which begins with the cells.
    unsafe UnsafeMutableRawPointer(cells).deallocate()
  }

  /// Whether something is true of all entities that its rows may be of.
  package func allSpaces(_ isTrue: (ObjectID.Space) -> Bool) -> Bool {
    if let shape { return shape.kinds.allSatisfy { isTrue($0.space) } }
    var last: ObjectID.Space?
    for index in list.indices where list[index].objectID.space !== last {
      let space = list[index].objectID.space
      if !isTrue(space) { return false }
      last = space
    }
    return true
  }

  /// The id space of a row.
  @inline(__always) package func space(at row: Int) -> ObjectID.Space {
    precondition(row >= 0 && row < count, "there are \(count) rows")
    guard let shape else { return list[row].objectID.space }
    return shape.kinds[Int(unsafe forms[row * (width + 1)])].space
  }

  /// The id of a row.
  package func objectID(at row: Int) -> ObjectID {
    if let onlySpace {
      precondition(row >= 0 && row < count, "there are \(count) rows")
      return ObjectID(space: onlySpace, primaryKey: unsafe cells[row * (width + 2)])
    }
    let space = space(at: row)
    return shape == nil ? list[row].objectID : ObjectID(space: space, primaryKey: unsafe cells[row * (width + 2)])
  }

  /// The primary key of a row; 0 where it has none.
  package func primaryKey(at row: Int) -> Int64 {
    precondition(row >= 0 && row < count, "there are \(count) rows")
    return shape == nil ? list[row].objectID.primaryKey ?? 0 : unsafe cells[row * (width + 2)]
  }

  /// Whether its rows have these ids, in this order. It may also be false for equal ids when rows can be of several
  /// entities.
  @unsafe package func hasIDs(_ ids: Slice<UnsafeBufferPointer<ObjectID>>) -> Bool {
    guard let onlySpace, unsafe ids.count == count else { return false }
    for row in 0..<count {
      // Safety: there are as many ids as rows.
      let index = unsafe ids.startIndex + row
      guard unsafe ids.base[index].space === onlySpace,
        unsafe ids.base[index].high == UInt64(bitPattern: cells[row * (width + 2)])
      else { return false }
    }
    return true
  }

  /// The optimistic-lock counter of a row.
  package func version(at row: Int) -> Int64 {
    precondition(row >= 0 && row < count, "there are \(count) rows")
    return shape == nil ? list[row].version : unsafe cells[row * (width + 2) + 1]
  }

  /// The value of an attribute, by its position among those of the row's own entity.
  package func value(at row: Int, attribute: Int) -> Value {
    precondition(row >= 0 && row < count, "there are \(count) rows")
    // Most reads end here, without reading the row's kind.
    if attribute >= 0 && attribute < leastAttributeCount { return packedValue(row, attribute) }
    guard let shape else { return list[row].attributes[attribute] }
    let kind = shape.kinds[Int(unsafe forms[row * (width + 1)])]
    precondition(attribute >= 0 && attribute < kind.attributeCount, "there are \(kind.attributeCount) attributes")
    return packedValue(row, attribute)
  }

  /// Whether an attribute has this value to the byte. A packed text is compared without making a value of it.
  package func has(_ value: Value, at row: Int, attribute: Int) -> Bool {
    if case .string(var text) = value, attribute >= 0 && attribute < leastAttributeCount {
      precondition(row >= 0 && row < count, "there are \(count) rows")
      if let stored = unsafe packedText(row, attribute) {
        return text.withUTF8 { unsafe UnsafeRawBufferPointer($0).hasSameBytes(as: stored) }
      }
    }
    return self.value(at: row, attribute: attribute).isIdentical(to: value)
  }

  /// How many attributes and relationships a row's own entity has.
  func counts(at row: Int) -> (attributes: Int, relationships: Int) {
    precondition(row >= 0 && row < count, "there are \(count) rows")
    guard let shape else { return (list[row].attributes.count, list[row].toOne.count) }
    let kind = shape.kinds[Int(unsafe forms[row * (width + 1)])]
    return (kind.attributeCount, kind.relationshipCount)
  }

  /// Whether every value of a row certainly breaks no rule; there is one for each.
  /// - Parameter others: attributes that are not checked.
  package func hasOnlyValues(
    at row: Int, acceptedBy rules: [AttributeValidator.PlainRule], except others: PropertySet = PropertySet()
  ) -> Bool {
    guard rules.count == counts(at: row).attributes else { return false }
    for index in rules.indices where !others.contains(attribute: index) {
      if shape != nil, unsafe forms[row * (width + 1) + 1 + index] == Form.string {
        // A rule that accepts all texts need not read the text.
        if !rules[index].acceptsTexts { return false }
      } else if !rules[index].accepts(value(at: row, attribute: index)) {
        return false
      }
    }
    return true
  }

  /// The bytes of a text in a row; nil where it is no text, or stands by itself. Good as long as the block.
  private func packedText(_ row: Int, _ index: Int) -> UnsafeRawBufferPointer? {
    // Safety: callers have checked both, as for `packedValue`.
    guard unsafe forms[row * (width + 1) + 1 + index] == Form.string else { return nil }
    let cell = unsafe cells[row * (width + 2) + 2 + index]
    return unsafe UnsafeRawBufferPointer(start: bytes + Int(cell >> 32), count: Int(cell & 0xFFFF_FFFF))
  }

  private func packedValue(_ row: Int, _ index: Int) -> Value {
    // Safety: callers have checked the row, and the index is under the width, which is that of the largest kind.
    let cell = unsafe cells[row * (width + 2) + 2 + index]
    switch unsafe forms[row * (width + 1) + 1 + index] {
    case Form.integer: return .integer(cell)
    case Form.boolean: return .boolean(cell != 0)
    case Form.double: return .double(Double(bitPattern: UInt64(bitPattern: cell)))
    case Form.date: return .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: UInt64(bitPattern: cell))))
    case Form.string:
      let text = unsafe UnsafeRawBufferPointer(start: bytes + Int(cell >> 32), count: Int(cell & 0xFFFF_FFFF))
      return .string(unsafe String(decoding: text, as: UTF8.self))
    case Form.value: return values[Int(cell)]
    default: return .null
    }
  }

  /// The destination of a to-one relationship, by its position among those of the row's own entity.
  package func destination(at row: Int, relationship: Int) -> ObjectID? {
    precondition(row >= 0 && row < count, "there are \(count) rows")
    guard let shape else { return list[row].toOne[relationship] }
    let kind = shape.kinds[Int(unsafe forms[row * (width + 1)])]
    precondition(
      relationship >= 0 && relationship < kind.relationshipCount, "there are \(kind.relationshipCount) relationships")
    return packedDestination(row, kind.attributeCount + relationship, shape)
  }

  private func packedDestination(_ row: Int, _ index: Int, _ shape: Shape) -> ObjectID? {
    let form = unsafe forms[row * (width + 1) + 1 + index]
    if form < Form.destination { return nil }
    return ObjectID(
      space: shape.spaces[Int(form - Form.destination)], primaryKey: unsafe cells[row * (width + 2) + 2 + index])
  }

  /// A row as a snapshot of its own.
  public func snapshot(at row: Int) -> Snapshot {
    precondition(row >= 0 && row < count, "there are \(count) rows")
    guard let shape else { return list[row] }
    let kind = shape.kinds[Int(unsafe forms[row * (width + 1)])]
    let attributes = unsafe [Value](unsafeUninitializedCapacity: kind.attributeCount) { buffer, count in
      for index in 0..<kind.attributeCount {
        unsafe buffer.initializeElement(at: index, to: packedValue(row, index))
      }
      count = kind.attributeCount
    }
    let toOne = (0..<kind.relationshipCount).map { packedDestination(row, kind.attributeCount + $0, shape) }
    return Snapshot(
      objectID: ObjectID(space: kind.space, primaryKey: unsafe cells[row * (width + 2)]), version: version(at: row),
      attributes: attributes, toOne: toOne)
  }

  /// A packed row with another value of an attribute.
  package func editing(_ row: Int, _ attribute: Int, _ value: Value) -> EditedSnapshot? {
    shape == nil ? nil : EditedSnapshot(self, row, attribute, value)
  }

  /// All rows as snapshots of their own.
  public var snapshots: [Snapshot] { shape == nil ? list : (0..<count).map { snapshot(at: $0) } }
}
