import Foundation
package import ObjectModel
import Predicates
import SeedFormats
import StoreInterface

/// Compiles an import step. What the linter would refuse is refused here too, because a run does not need the linter.
package struct StepPlanner {
  let step: ImportStep
  let model: ManagedObjectModel
  /// The pipeline file's path, for messages.
  let pipelinePath: String
  /// Column names of a CSV source: a name that reads like an expression is a column where there is such a column.
  package let columns: Set<String>
  private let resources: RecordExpressionResources
  private var nodeCount = 0
  /// Values and relationships are taken as a dump has them.
  private var isRestoring: Bool { step.strategy == .restore }

  /// How `date()` without a format reads.
  private let sourceDates: DateParser

  package init(
    step: ImportStep, model: ManagedObjectModel, pipelinePath: String, columns: Set<String> = [],
    resources: RecordExpressionResources = RecordExpressionResources()
  ) {
    self.resources = resources
    self.step = step
    // A format that cannot be read is told with the cells.
    sourceDates = (try? DateParser(format: step.source.dateFormat, timeZone: step.source.timeZone)) ?? .iso8601
    self.model = model
    self.pipelinePath = pipelinePath
    self.columns = columns
  }

  /// The plan of the step.
  package mutating func plan() throws(RunError) -> StepPlan {
    guard let entity = model[step.entity] else {
      let names = model.entities.map(\.name)
      throw failure(
        "pipeline.unknown-entity", "the model has no entity \(step.entity)",
        at: step.fieldPositions["entity"] ?? step.position,
        hint: Suggestion.hint(for: step.entity, among: names) ?? Suggestion.list("entities", names))
    }
    guard !entity.isAbstract else {
      throw failure(
        "pipeline.abstract-entity", "\(entity.name) is abstract and has no objects of its own", at: step.position)
    }
    var slots = SlotList()
    slots.position = step.fieldPositions["where"] ?? step.position
    let condition = try step.condition.map { expression throws(RunError) in
      try evaluator(expression, slots: &slots, at: step.position)
    }
    let root = try node(
      entity, map: step.map, match: step.match, key: step.key, slots: &slots, owner: nil, position: step.position)
    if step.source.format.isJSON { try checkPaths(slots, at: step.position) }
    if slots.paths.contains(RecordExpression.elementPath) {
      throw failure(
        "pipeline.element", "\".\" is an element of an array, and a record has no such field", at: step.position,
        hint: "write it inside { from: ..., map: { ... } } only, where the field holds the array")
    }
    return StepPlan(
      step: step, root: root, projection: slots.paths,
      optionalFields: Set(slots.paths).subtracting(slots.required).union(step.source.optionalColumns),
      condition: condition, positions: slots.positions,
      respectsQuotes: step.source.format == .csv || step.source.format == .tsv, nodes: root.withDescendants)
  }

  // MARK: - Nodes

  private mutating func node(
    _ entity: Entity, map: [MapEntry], match: [String], key: RecordExpression? = nil, slots: inout SlotList,
    owner: Relationship?, position: FilePosition
  ) throws(RunError) -> NodePlan {
    let index = nodeCount
    nodeCount += 1
    try checkPatterns(of: entity, at: position)
    var columns: [RowBatch.Column] = []
    var cells: [CellPlan] = []
    var references: [ReferencePlan] = []
    var children: [ChildPlan] = []
    var mapped: Set<String> = []
    // Nested maps are of JSON objects.
    let readsJSON = owner != nil || step.source.format.isJSON
    let expansion = CompositeExpansion(map, of: entity, readsJSON: readsJSON)
    if let problem = expansion.problems.first {
      throw failure("pipeline.\(problem.code)", problem.message, at: problem.position, hint: problem.hint)
    }
    for entry in expansion.entries {
      guard mapped.insert(entry.property).inserted else {
        throw failure("pipeline.duplicate-property", "\(entry.property) is mapped twice", at: entry.position)
      }
      slots.isOptional = entry.isOptional
      slots.position = entry.position
      defer { slots.isOptional = false }
      switch entry.mapping {
      case .attribute(let mapping):
        if mapping.expression.root == .constant(.null), let relationship = entity.relationship(entry.property) {
          // `property: null` clears the relationship: a reference without a key.
          references.append(
            try reference(
              relationship, mapping: ReferenceMapping(match: [], from: [], separator: nil, onMissing: .null),
              columns: &columns, slots: &slots, at: entry.position))
          continue
        }
        guard let attribute = entity.storedAttribute(entry.property) else {
          throw unknownProperty(entry, of: entity)
        }
        cells.append(
          try cell(
            attribute, property: entry.property, mapping: mapping, column: columns.count, slots: &slots,
            at: entry.position))
        columns.append(RowBatch.Column(.attribute(entry.property), attribute.type.rowBatchStorage))
      case .reference(let mapping):
        guard let relationship = entity.relationship(entry.property) else {
          throw unknownProperty(entry, of: entity)
        }
        references.append(
          try reference(relationship, mapping: mapping, columns: &columns, slots: &slots, at: entry.position))
      case .nested(let mapping):
        guard let relationship = entity.relationship(entry.property) else {
          throw unknownProperty(entry, of: entity)
        }
        let destination = try nestedEntity(mapping, relationship, at: entry.position)
        guard !mapping.from.isEmpty || mapping.elements != nil else {
          throw failure(
            "pipeline.nested-from", "\(entry.property) is a relationship: \"from\" is missing", at: entry.position,
            hint: "say which field holds its objects")
        }
        var childSlots = SlotList()
        let child = try node(
          destination, map: mapping.map, match: mapping.match, slots: &childSlots, owner: relationship,
          position: entry.position)
        try checkPaths(childSlots, at: entry.position)
        let elements = try elements(of: mapping, entry, relationship, childSlots, slots: &slots)
        if !relationship.isToMany {
          appendForeignKey(of: relationship, to: &columns)
        }
        children.append(
          ChildPlan(
            property: entry.property, relationship: relationship,
            input: elements ?? .field(slot: slots.slot(of: mapping.from)), node: child))
      }
    }
    let composites = expansion.objects.map { object in
      slots.isOptional = object.mayBeAbsent
      defer { slots.isOptional = false }
      return CompositePlan(
        property: object.property, isOptional: object.isOptional, slot: slots.slot(of: object.path),
        cells: cells.indices.filter { cells[$0].property.hasPrefix(object.property + ".") })
    }
    if let inverse = owner?.inverse, !inverse.isToMany { appendForeignKey(of: inverse, to: &columns) }
    let parts = try match.map { name throws(RunError) -> MatchPart in
      if let column = columns.firstIndex(where: { $0.source == .attribute(name) }) {
        return .attribute(column: column)
      }
      if let index = references.firstIndex(where: { $0.property == name && $0.column != nil }) {
        return .reference(index: index)
      }
      throw failure(
        "pipeline.match-not-mapped", "match names \(name), which map does not set", at: position,
        hint: Suggestion.hint(for: name, among: map.map(\.property)) ?? "map \(name), or take it out of match")
    }
    let unmappedRequired =
      entity.storedAttributes.flatMap { Self.unmappedRequired($0, at: $0.name, mapped) }
      + entity.relationships.filter { relationship in
        relationship.requiresDestination && !mapped.contains(relationship.name) && relationship != owner?.inverse
      }.map(\.name)
    slots.position = step.fieldPositions["key"] ?? position
    let recordKey = try key.map { expression throws(RunError) in
      try cell(
        AttributeDescription("key", .string), property: "key", mapping: AttributeMapping(expression: expression),
        column: 0, slots: &slots, at: position)
    }
    return NodePlan(
      entity: entity, index: index, columns: columns, cells: cells, composites: composites, references: references,
      children: children, match: parts, recordKey: recordKey, projection: slots.paths,
      unmappedRequired: isRestoring ? [] : unmappedRequired, requiredFields: slots.required)
  }

  /// What a new object needs, and neither the map nor the model gives: the attribute, or elements of a composite that
  /// must be there or gets some of its elements.
  private static func unmappedRequired(
    _ attribute: AttributeDescription, at path: String, _ mapped: Set<String>
  ) -> [String] {
    guard let composite = attribute.composite else {
      let isGiven = attribute.defaultValue != .null || attribute.derivation != nil || mapped.contains(path)
      return attribute.isOptional || isGiven ? [] : [path]
    }
    let isThere = attribute.initialValue != .null || mapped.contains { $0.hasPrefix(path + ".") }
    if attribute.isOptional && !isThere { return [] }
    return composite.elements.filter { !$0.isTransient }.flatMap { element in
      unmappedRequired(element, at: path + "." + element.name, mapped)
    }
  }

  /// Refuses what is no path into JSON.
  private func checkPaths(_ slots: SlotList, at position: FilePosition) throws(RunError) {
    do {
      _ = try JSONFields(projection: slots.paths)
    } catch {
      throw failure("pipeline.field-path", error.message, at: position, hint: error.hint)
    }
  }

  private func checkPatterns(of entity: Entity, at position: FilePosition) throws(RunError) {
    for attribute in entity.storedAttributes {
      do {
        _ = try AttributeValidator(attribute)
      } catch {
        throw failure("model.regular-expression", error.description, at: position)
      }
    }
  }

  private func appendForeignKey(of relationship: Relationship, to columns: inout [RowBatch.Column]) {
    guard !columns.contains(where: { $0.source == .toOne(relationship.name) }) else { return }
    columns.append(RowBatch.Column(.toOne(relationship.name), .integer))
    if !relationship.destination.subentities.isEmpty {
      columns.append(RowBatch.Column(.toOneEntity(relationship.name), .integer))
    }
    if relationship.inverse?.isOrdered == true {
      columns.append(RowBatch.Column(.toOneOrder(relationship.name), .integer))
    }
  }

  private func nestedEntity(
    _ mapping: NestedMapping, _ relationship: Relationship, at position: FilePosition
  ) throws(RunError) -> Entity {
    var destination = relationship.destination
    if let name = mapping.entity {
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

  // MARK: - Properties

  private func cell(
    _ attribute: AttributeDescription, property: String, mapping: AttributeMapping, column: Int,
    slots: inout SlotList, at position: FilePosition
  ) throws(RunError) -> CellPlan {
    let expression = mapping.expression.preferringColumns(columns)
    let attribute = isRestoring ? attribute.withoutLimits : attribute
    guard attribute.derivation == nil || isRestoring else {
      throw failure(
        "pipeline.derived-attribute", "\(property) is derived: the store computes it", at: position,
        hint: "take it out of map")
    }
    let isTyped = attribute.type != .undefined && attribute.type != .objectID
    guard attribute.type != .composite, isTyped || isRestoring else {
      throw attribute.type == .undefined
        ? failure(
          "pipeline.attribute-type", "\(property) has no type in the model (attributeType)", at: position,
          hint: "choose one in Xcode's model editor, such as attributeType=\"String\" in the file contents")
        : failure(
          "pipeline.attribute-type", "an attribute of type \(attribute.type.title.name) cannot be imported",
          at: position)
    }
    let input: CellPlan.Input
    switch expression.root {
    case .field(let path): input = .field(slot: slots.slot(of: path))
    case .constant(let value): input = .constant(value)
    case .call(.duration, let arguments):
      if arguments.count == 1, case .field(let path) = arguments[0], attribute.type.isInteger {
        input = .duration(slot: slots.slot(of: path))
      } else {
        input = .expression(try evaluator(expression, slots: &slots, at: position))
      }
    case .call(.normalized, let arguments):
      if arguments.count == 1, case .field(let path) = arguments[0], attribute.type == .string {
        input = .normalized(slot: slots.slot(of: path))
      } else {
        input = .expression(try evaluator(expression, slots: &slots, at: position))
      }
    default:
      input = .expression(
        try evaluator(expression, slots: &slots, at: position, takesList: attribute.type == .transformable))
    }
    let zone = mapping.timeZone ?? step.source.timeZone
    let dates: DateParser
    do {
      dates = try DateParser(format: mapping.dateFormat ?? step.source.dateFormat, timeZone: zone)
    } catch {
      throw failure("pipeline.date-format", "\(error)", at: position)
    }
    var fallback: RecordExpressionValue?
    if let expression = mapping.defaultValue {
      var none = SlotList()
      let compiled = try evaluator(expression, slots: &none, at: position, takesList: attribute.type == .transformable)
      guard none.paths.isEmpty else {
        throw failure("pipeline.default", "default must be a constant", at: position, hint: "use coalesce() in from:")
      }
      do {
        fallback = try compiled.evaluate(NoFields())
      } catch {
        throw failure("pipeline.default", error.message, at: position)
      }
    }
    return CellPlan(
      column: column, property: property, attribute: attribute, input: input,
      nulls: (mapping.nulls ?? step.source.nulls).map { Array($0.utf8) }, dates: dates, pattern: pattern(of: attribute),
      defaultValue: fallback,
      slots: expression.fieldPaths.map { slots.slot(of: $0) }, isRestored: isRestoring)
  }

  /// As `AttributeValidator` matches; that the expression is valid was checked for the whole entity.
  private func pattern(of attribute: AttributeDescription) -> NSRegularExpression? {
    guard attribute.type == .string, let source = attribute.regularExpression, !source.isEmpty else { return nil }
    return try? NSRegularExpression(pattern: "\\A(?:" + source + ")\\z")
  }

  private func reference(
    _ relationship: Relationship, mapping: ReferenceMapping, columns: inout [RowBatch.Column],
    slots: inout SlotList, at position: FilePosition
  ) throws(RunError) -> ReferencePlan {
    let destination = relationship.destination
    var parts: [CellPlan] = []
    var keyColumns: [RowBatch.Column] = []
    if mapping.isByRecordKey, let expression = mapping.from.first {
      parts.append(
        try cell(
          AttributeDescription("key", .string), property: relationship.name,
          mapping: AttributeMapping(expression: expression), column: 0, slots: &slots, at: position))
      keyColumns.append(RowBatch.Column(.attribute("key"), .bytes))
    }
    for (name, expression) in zip(mapping.match, mapping.from) {
      guard let attribute = destination.storedAttribute(name) else {
        throw failure(
          "pipeline.unknown-attribute", "\(destination.name) has no attribute \(name)", at: position,
          hint: Suggestion.hint(for: name, among: destination.storedAttributes.map(\.name))
            ?? Suggestion.list("it has", destination.storedAttributes.map(\.name)))
      }
      parts.append(
        try cell(
          attribute.withoutLimits, property: relationship.name,
          mapping: AttributeMapping(expression: expression), column: keyColumns.count, slots: &slots, at: position))
      keyColumns.append(RowBatch.Column(.attribute(name), attribute.type.rowBatchStorage))
    }
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
        entity: destination, attributes: mapping.match, isByRecordKey: mapping.isByRecordKey), parts: parts,
      keyColumns: keyColumns,
      column: column, entityColumn: entityColumn, orderColumn: orderColumn,
      separator: mapping.separator.map { Array($0.utf8) }, missing: mapping.onMissing, isRestored: isRestoring,
      isOptional: mapping.isOptional
        || mapping.from.contains { $0.fieldPaths.contains(where: step.source.optionalColumns.contains) })
  }

  /// What yields the list that a nested mapping makes objects of; nil where it reads a field.
  private func elements(
    of mapping: NestedMapping, _ entry: MapEntry, _ relationship: Relationship, _ childSlots: SlotList,
    slots: inout SlotList
  ) throws(RunError) -> ChildPlan.Input? {
    guard let expression = mapping.elements?.preferringColumns(columns) else { return nil }
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

  /// - Parameter takesList: whether what gets the value can hold a list.
  private func evaluator(
    _ expression: RecordExpression, slots: inout SlotList, at position: FilePosition, takesList: Bool = false
  ) throws(RunError) -> RecordExpressionEvaluator {
    let expression = expression.preferringColumns(columns)
    if expression.root.misplacesList(isTaken: takesList) {
      throw failure(
        "pipeline.list",
        "words(), and split() without a number, give a list, which only a Transformable attribute or a to-many "
          + "relationship takes",
        at: position, hint: "split(text, separator, 1) takes the first piece of a text")
    }
    if !step.source.format.isJSON, expression.root.takesFirst {
      throw failure(
        "pipeline.first", "first() looks into JSON arrays, and fields of CSV are texts", at: position,
        hint: "split(text, separator, 1) takes the first piece of a text")
    }
    var table: [String: Int] = [:]
    for path in expression.fieldPaths { table[path] = slots.slot(of: path) }
    do {
      return try RecordExpressionEvaluator(expression, slots: table, dates: sourceDates, resources: resources)
    } catch {
      throw failure("pipeline.expression", error.message, at: position, hint: error.hint)
    }
  }
}
