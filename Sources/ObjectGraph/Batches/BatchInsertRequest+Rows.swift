import ObjectModel
import StoreInterface

extension BatchInsertRequest {
  /// The request's rows as batches.
  func rowBatches(of entity: Entity, in context: ManagedObjectContext) -> () throws -> RowBatch? {
    switch source {
    case .batches(let next): return next
    case .objects(let rows):
      var position = 0
      return Self.batches(of: entity) { writer in
        if position == rows.count { return false }
        try writer.append(try Self.contents(rows[position], of: entity, in: context.coordinator))
        position += 1
        return true
      }
    case .dictionaries(let fill):
      return Self.batches(of: entity) { writer in
        var row: [String: Any] = [:]
        if try fill(&row) { return false }
        try writer.append(try Self.contents(row, of: entity, in: context.coordinator))
        return true
      }
    case .managedObjects(let fill):
      // Objects of a context of their own, which nothing is saved from.
      let scratch = ManagedObjectContext(coordinator: context.coordinator, name: "batch insertion")
      return Self.batches(of: entity) { writer in
        try scratch.performAndWait {
          let object = scratch.insert(entity)
          defer { scratch.reset() }
          if try fill(object) { return false }
          try writer.append(Self.contents(of: object))
          return true
        }
      }
    }
  }

  /// Collects rows into batches as long as there are any.
  private static func batches(
    of entity: Entity, _ append: @escaping (inout BatchRowWriter) throws -> Bool
  ) -> () throws -> RowBatch? {
    var writer = BatchRowWriter(entity)
    var isAtEnd = false
    return {
      writer.clear()
      while !isAtEnd && !writer.isFull { isAtEnd = try !append(&writer) }
      return writer.batch.count > 0 ? writer.batch : nil
    }
  }

  private static func contents(
    _ row: [String: Any], of entity: Entity, in coordinator: PersistentStoreCoordinator
  ) throws -> [String: BatchRowWriter.Content] {
    try row.reduce(into: [:]) { contents, element in
      if let object = element.value as? ManagedObject {
        contents[element.key] = .object(object.objectID)
      } else if let id = element.value as? ObjectID {
        contents[element.key] = .object(coordinator.localID(id) ?? id)
      } else if let bytes = try entity.attribute(element.key)?.transformedBytes(element.value) {
        contents[element.key] = .value(.data(bytes))
      } else if let value = Value(anyValue: element.value) {
        contents[element.key] = .value(value)
      } else {
        throw StoreError.failure(
          "\(entity.name).\(element.key): a \(type(of: element.value)) is no value of an attribute")
      }
    }
  }

  private static func contents(of object: ManagedObject) -> [String: BatchRowWriter.Content] {
    var contents: [String: BatchRowWriter.Content] = [:]
    for (index, attribute) in object.runtime.layout.attributes.enumerated()
    where !attribute.isTransient && attribute.derivation == nil {
      contents[attribute.name] = .value(object.values[index])
    }
    return contents
  }
}
