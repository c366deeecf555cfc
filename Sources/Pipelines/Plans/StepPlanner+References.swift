import ObjectModel
import StoreInterface

/// Compiles what is mapped to relationships.
extension StepPlanner {
  func nestedEntity(
    _ mapped: MappedObjects, _ relationship: Relationship, at position: FilePosition
  ) throws(RunError) -> Entity {
    var destination = relationship.destination
    if let name = mapped.entity {
      guard let named = model[name], named.isKind(of: destination) else {
        throw failure(
          "pipeline.wrong-destination", "\(name) is not \(destination.name) or one of its sub-entities", at: position)
      }
      destination = named
    }
    guard !destination.isAbstract else {
      throw failure(
        "pipeline.abstract-entity", "\(destination.name) is abstract", at: position,
        hint: "name one of its sub-entities with entity:")
    }
    return destination
  }

  func reference(
    _ relationship: Relationship, mapped: MappedReference, columns: inout [RowBatch.Column],
    slots: inout SlotList, at position: FilePosition
  ) throws(RunError) -> ReferencePlan {
    let destination = relationship.destination
    var parts: [CellPlan] = []
    var keyColumns: [RowBatch.Column] = []
    if mapped.isByRecordKey, let expression = mapped.from.first {
      parts.append(
        try cell(
          AttributeDefinition("key", .string), property: relationship.name,
          mapped: MappedAttribute(expression: expression), column: 0, slots: &slots, at: position))
      keyColumns.append(RowBatch.Column(.attribute("key"), .bytes))
    }
    for (name, expression) in zip(mapped.match, mapped.from) {
      guard let attribute = destination.storedAttribute(name) else {
        throw failure(
          "pipeline.unknown-attribute", "\(destination.name) has no attribute \(name)", at: position,
          hint: Suggestion.hint(for: name, among: destination.storedAttributes.map(\.name))
            ?? Suggestion.list("it has", destination.storedAttributes.map(\.name)))
      }
      parts.append(
        try cell(
          attribute.withoutLimits, property: relationship.name,
          mapped: MappedAttribute(expression: expression), column: keyColumns.count, slots: &slots, at: position))
      keyColumns.append(RowBatch.Column(.attribute(name), attribute.type.rowBatchStorage))
    }
    try requireToMany(mapped.members, relationship, at: position)
    var column: Int?
    var entityColumn: Int?
    var orderColumn: Int?
    if !relationship.isToMany {
      appendForeignKey(of: relationship, to: &columns)
      column = columns.firstIndex { $0.source == .toOne(relationship.name) }
      entityColumn = columns.firstIndex { $0.source == .toOneEntity(relationship.name) }
      orderColumn = columns.firstIndex { $0.source == .toOneOrder(relationship.name) }
    } else if !parts.isEmpty, parts.count != 1 || parts[0].input.slot == nil {
      throw failure(
        "pipeline.to-many-key", "\(relationship.name) is to-many: its keys come from one field", at: position,
        hint: "from: a field with a JSON array, or a text with separator:")
    }
    return ReferencePlan(
      property: relationship.name, relationship: relationship,
      table: KeyTableID(
        entity: destination, attributes: mapped.match, isByRecordKey: mapped.isByRecordKey), parts: parts,
      keyColumns: keyColumns,
      column: column, entityColumn: entityColumn, orderColumn: orderColumn,
      separator: mapped.separator.map { Array($0.utf8) }, missing: mapped.onMissing, isRestored: isRestoring,
      addsMembers: mapped.members == .add,
      isOptional: mapped.isOptional
        || mapped.from.contains { $0.fieldPaths.contains(where: step.source.optionalColumns.contains) })
  }

  func requireToMany(
    _ members: MembersGiven, _ relationship: Relationship, at position: FilePosition
  ) throws(RunError) {
    guard members == .add, !relationship.isToMany else { return }
    throw failure(
      "pipeline.members", "\(relationship.name) is to-one: no members can be added", at: position,
      hint: "remove members: add")
  }

  /// The expression of the list from which nested objects are made; nil where it reads a field.
  func elements(
    of mapped: MappedObjects, _ entry: MapEntry, _ relationship: Relationship, _ childSlots: SlotList,
    slots: inout SlotList
  ) throws(RunError) -> ChildPlan.Input? {
    guard let expression = mapped.elements?.preferringColumns(columns) else { return nil }
    guard relationship.isToMany else {
      throw failure("pipeline.list", "\(entry.property) is to-one, and \"from\" gives a list", at: entry.position)
    }
    if let path = childSlots.paths.first(where: { $0 != RecordExpression.elementPath }) {
      throw failure(
        "pipeline.element-fields", "\(entry.property): the elements of a list are texts, and have no field \"\(path)\"",
        at: entry.position, hint: "write . for the element itself, as in map: { name: . }")
    }
    let compiled = try evaluator(expression, slots: &slots, at: entry.position, takesList: true)
    return .list(
      compiled, slots: expression.fieldPaths.map { slots.slot(of: $0) },
      nulls: step.source.nulls.map { Array($0.utf8) })
  }

  func appendForeignKey(of relationship: Relationship, to columns: inout [RowBatch.Column]) {
    guard !columns.contains(where: { $0.source == .toOne(relationship.name) }) else { return }
    columns.append(RowBatch.Column(.toOne(relationship.name), .integer))
    if !relationship.destination.subentities.isEmpty {
      columns.append(RowBatch.Column(.toOneEntity(relationship.name), .integer))
    }
    if relationship.inverse?.isOrdered == true {
      columns.append(RowBatch.Column(.toOneOrder(relationship.name), .integer))
    }
  }
}
