import Foundation
import MemoryStore
import ObjectModel
import StoreInterface

/// Makes a store's contents of the records of all files: first the objects with their attributes, then the references.
struct RecordGraph {
  /// Objects by the key that references to an entity name them by.
  private typealias KeyIndex = [ReferenceObject: ObjectID]

  private struct Side: Hashable {
    var owner: ObjectID
    var relationship: String
  }

  private let layout: RecordLayout
  private(set) var contents: StoreContents
  private var indexes: [Int: KeyIndex] = [:]
  /// Sides of many-to-many relationships that no file writes down.
  private var mirrored: [Side: [ObjectID]] = [:]

  init(layout: RecordLayout, identifier: UUID) {
    self.layout = layout
    contents = StoreContents(identifier: identifier)
  }

  /// Adds the objects of a file.
  /// - Parameter newID: gives an object its id, by its key, or by the record's number where it has none.
  /// - Returns: their positions among the contents' snapshots.
  mutating func add(
    _ rows: [RecordRow], of file: RecordLayout.File, newID: (Entity, ReferenceObject) -> ObjectID
  ) throws(StoreError) -> Range<Int> {
    let entity = file.entity
    let first = contents.snapshots.count
    for (number, row) in rows.enumerated() {
      var attributes = [Value](repeating: .null, count: entity.attributes.count)
      for (column, cell) in zip(file.columns, row.cells) {
        guard case .attribute(let index, let element, let attribute) = column.content, case .text(let text) = cell
        else { continue }
        guard let value = RecordText.value(text, attribute.type) else {
          throw .failure(
            "line \(row.line): \"\(text.prefix(80))\" is no \(attribute.type.name) (\(entity.name).\(column.name))")
        }
        attributes[index] = attributes[index].settingElement(at: element, to: value)
      }
      let key = layout.key(of: entity).flatMap { RecordText.text(attributes[$0]) }
      let reference = key.map { ReferenceObject.string($0) } ?? .integer(Int64(number))
      contents.snapshots.append(
        Snapshot(
          objectID: newID(entity, reference), version: 1, attributes: attributes,
          toOne: Array(repeating: nil, count: entity.relationships.count)))
    }
    return first..<contents.snapshots.count
  }

  /// Follows the references in a file, once the objects of all files are there.
  mutating func link(
    _ rows: [RecordRow], _ positions: Range<Int>, of file: RecordLayout.File
  ) throws(StoreError) {
    for (index, column) in file.columns.enumerated() {
      switch column.content {
      case .attribute: break
      case .toOne(let place, let relationship):
        let keys = try keyIndex(relationship.destination)
        for (row, position) in zip(rows, positions) {
          guard case .text(let key) = row.cells[index] else { continue }
          contents.snapshots[position].toOne[place] = try find(key, keys, relationship, row.line)
        }
      case .toMany(let relationship):
        let keys = try keyIndex(relationship.destination)
        for (row, position) in zip(rows, positions) {
          guard case .list(let list) = row.cells[index] else { continue }
          var members: [ObjectID] = []
          for key in list { members.append(try find(key, keys, relationship, row.line)) }
          add(members, contents.snapshots[position].objectID, relationship)
        }
      }
    }
  }

  /// The contents, when all files have been linked.
  func finished() -> StoreContents {
    var finished = contents
    for (side, members) in mirrored {
      finished.toMany.append(
        SaveRequest.ToManyChange(owner: side.owner, relationshipName: side.relationship, members: members))
    }
    return finished
  }

  private mutating func add(_ members: [ObjectID], _ owner: ObjectID, _ relationship: Relationship) {
    contents.toMany.append(
      SaveRequest.ToManyChange(owner: owner, relationshipName: relationship.name, members: members))
    guard let inverse = relationship.inverse, inverse.isToMany, !RecordLayout.hasColumn(inverse) else { return }
    for member in members { mirrored[Side(owner: member, relationship: inverse.name), default: []].append(owner) }
  }

  private mutating func keyIndex(_ destination: Entity) throws(StoreError) -> KeyIndex {
    if let known = indexes[destination.index] { return known }
    var index: KeyIndex = [:]
    for snapshot in contents.snapshots where snapshot.objectID.entity.isKind(of: destination) {
      guard let key = layout.keyText(of: snapshot, in: destination) else { continue }
      if index.updateValue(snapshot.objectID, forKey: .string(key)) != nil {
        throw .failure("two objects of \(destination.name), to which it refers, have the same key \"\(key)\"")
      }
    }
    indexes[destination.index] = index
    return index
  }

  private func find(
    _ key: String, _ keys: KeyIndex, _ relationship: Relationship, _ line: UInt64
  ) throws(StoreError) -> ObjectID {
    if let id = keys[.string(key)] { return id }
    throw .failure(
      "line \(line): \(relationship.entity.name).\(relationship.name) leads to \"\(key.prefix(80))\", which is no "
        + relationship.destination.name)
  }
}
