import ObjectGraph
import ObjectModel
import StoreInterface

/// The members of an owner without a key of their own that are also objects of records. Each goes to the first row that
/// leaves the attributes by which its record finds it as they are.
struct OwnedRecordObjects {
  private let recordObjects: RecordObjects
  private let node: DecodedNode
  /// The attributes that rows may say, with their columns.
  private let attributes: [(name: String, column: Int)]
  /// Nil once a row has the object.
  private var objects: [ManagedObject?]
  /// The positions of the objects by their values of these attributes, the last one first.
  private var positions: [[Value]: [Int]] = [:]

  init(_ members: [ManagedObject], of recordObjects: RecordObjects, _ node: DecodedNode) {
    self.recordObjects = recordObjects
    self.node = node
    objects = members
    attributes = members.isEmpty ? [] : recordObjects.attributes(of: node)
    for (position, member) in members.enumerated().reversed() {
      positions[attributes.map { member.attributeValue($0.name) }, default: []].append(position)
    }
  }

  /// The members that no row has.
  var rest: [ManagedObject] { objects.compactMap(\.self) }

  /// Gives a row its object; nil where there is none.
  mutating func removeObject(forRow row: Int) -> ManagedObject? {
    if objects.isEmpty { return nil }
    var values: [Value] = []
    for (_, column) in attributes {
      // Safety: the column is one of the batch that the plan made, and callers name a row of it.
      if unsafe node.batch.states[column][row] == RowBatch.State.absent.rawValue { return removeAny(forRow: row) }
      values.append(node.value(column: column, row: row))
    }
    while let position = positions[values]?.popLast() {
      if let object = objects[position] {
        objects[position] = nil
        return object
      }
    }
    return nil
  }

  /// Gives an object to a row that leaves out some of the attributes.
  private mutating func removeAny(forRow row: Int) -> ManagedObject? {
    let position = objects.firstIndex { $0.map { recordObjects.isSame($0, node, row: row) } ?? false }
    guard let position else { return nil }
    defer { objects[position] = nil }
    return objects[position]
  }
}
