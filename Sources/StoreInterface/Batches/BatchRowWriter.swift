import Foundation
public import ObjectModel

/// Makes row batches of rows that come as dictionaries, one batch after the other in the same memory.
///
/// Every stored attribute that is not derived, composites by their elements, and every to-one relationship whose
/// inverse is not to-one has a column; a cell that a row does not name stays absent.
public struct BatchRowWriter {
  /// The contents of a row's property.
  public enum Content {
    case value(Value)
    case object(ObjectID)
  }

  /// The rows written since the last `clear`.
  public let batch: RowBatch
  private let entity: Entity
  private var columns: [String: (index: Int, attribute: AttributeDefinition?)] = [:]
  private var writtenCount = 0

  /// A writer of batches of up to so many rows.
  public init(_ entity: Entity, capacity: Int = 256) {
    self.entity = entity
    var list: [RowBatch.Column] = []
    for attribute in entity.attributes where !attribute.isTransient && attribute.derivation == nil {
      for leaf in StoredAttribute.leaves(of: attribute) {
        columns[leaf.path] = (list.count, leaf.attribute)
        list.append(.init(.attribute(leaf.path), leaf.attribute.type.rowBatchStorage))
      }
    }
    for relationship in entity.relationships where !relationship.isToMany && !relationship.definition.isTransient {
      if let inverse = relationship.inverse, !inverse.isToMany { continue }
      columns[relationship.name] = (list.count, nil)
      list.append(.init(.toOne(relationship.name), .integer))
    }
    batch = RowBatch(entity: entity, columns: list, capacity: capacity)
  }

  /// Whether no more row fits before `clear`.
  public var isFull: Bool { batch.count == batch.capacity || batch.arenaCount > 1 << 24 }

  /// Removes all rows, so that the batch can be filled again.
  public mutating func clear() { batch.removeAll() }

  /// Adds a row to a batch that is not full. Composites are given whole or by the paths of their elements.
  /// - Throws: `ValidationError` for a value of another type than its attribute's, `StoreError.failure` for a name that
  ///   is no property that a row can have.
  public mutating func append(_ row: [String: Content]) throws {
    let number = writtenCount + 1
    precondition(batch.count < batch.capacity, "a batch of rows is full: clear it first")
    // Safety: the row is under the capacity. The columns are those of the batch.
    let position = batch.count
    for (name, content) in row {
      do {
        try put(content, name, at: position, number)
      } catch {
        forget(position)
        throw error
      }
    }
    batch.count += 1
    writtenCount += 1
  }

  private func forget(_ row: Int) {
    for column in batch.columns.indices { unsafe batch.states[column][row] = RowBatch.State.absent.rawValue }
  }

  private func put(_ content: Content, _ path: String, at row: Int, _ number: Int) throws {
    guard let (column, attribute) = columns[path] else {
      guard let composite = entity.attribute(path), composite.composite != nil, case .value(let value) = content else {
        throw StoreError.failure("row \(number): \(entity.name) has no property \"\(path)\" that a batch inserts")
      }
      for leaf in StoredAttribute.leaves(of: composite) {
        try put(.value(value.element(at: leaf.names.dropFirst())), leaf.path, at: row, number)
      }
      return
    }
    switch content {
    case .value(.null): unsafe batch.states[column][row] = RowBatch.State.null.rawValue
    case .object(let id):
      guard attribute == nil, let relationship = entity.relationship(path) else {
        throw wrong(path, number, "an object is no value of an attribute", nil)
      }
      guard let key = id.primaryKey, id.entity.isKind(of: relationship.destination) else {
        throw wrong(
          path, number, "a \(id.entity.name) that is saved and is a \(relationship.destination.name) is needed", nil)
      }
      unsafe batch.integers(column)[row] = key
      unsafe batch.states[column][row] = RowBatch.State.value.rawValue
    case .value(let value):
      guard let attribute else { throw wrong(path, number, "a value leads to no object; an id does", value) }
      guard let converted = attribute.fitting(value) else {
        throw wrong(path, number, "the value does not fit an attribute of type \(attribute.type)", value)
      }
      if !batch.set(converted, column: column, row: row) {
        throw wrong(path, number, "the value cannot be kept", value)
      }
    }
  }

  private func wrong(_ path: String, _ number: Int, _ message: String, _ value: Value?) -> ValidationError {
    ValidationError([
      ValidationError.Problem(
        entity: entity.name, property: path, code: value == nil ? .wrongDestination : .wrongType,
        message: "row \(number): \(message)", value: value)
    ])
  }
}
