import Foundation
package import ObjectModel
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
  let resources: RecordExpressionResources
  private var nodeCount = 0
  /// Values and relationships are taken as a dump has them.
  var isRestoring: Bool { step.strategy == .restore }

  /// How `date()` without a format reads.
  let sourceDates: DateParser

  package init(
    step: ImportStep, model: ManagedObjectModel, pipelinePath: String, columns: Set<String>,
    resources: RecordExpressionResources
  ) {
    self.resources = resources
    self.step = step
    // A format that cannot be read is reported with the cells.
    sourceDates = (try? DateParser(format: step.source.dateFormat, timeZone: step.source.timeZone)) ?? .iso8601
    self.model = model
    self.pipelinePath = pipelinePath
    self.columns = columns
  }

  /// The plan of the step.
  package mutating func plan() throws(RunError) -> StepPlan {
    let entity: Entity
    do throws(RunError) {
      entity = try model.entity(named: step.entity, code: "pipeline.unknown-entity")
    } catch {
      throw failure(
        error.code, error.message, at: step.fieldPositions["entity"] ?? step.position, hint: error.hint)
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
    var parts = NodeParts()
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
      switch entry.value {
      case .attribute(let mapped): try add(mapped, of: entry, entity, to: &parts, slots: &slots)
      case .reference(let mapped):
        let relationship = try relationship(of: entry, entity)
        parts.references.append(
          try reference(relationship, mapped: mapped, columns: &parts.columns, slots: &slots, at: entry.position))
      case .nested(let mapped): try add(mapped, of: entry, entity, to: &parts, slots: &slots)
      }
    }
    let composites = expansion.objects.map { object in
      slots.isOptional = object.mayBeAbsent
      defer { slots.isOptional = false }
      return CompositePlan(
        property: object.property, isOptional: object.isOptional, slot: slots.slot(of: object.path),
        cells: parts.cells.indices.filter { parts.cells[$0].property.hasPrefix(object.property + ".") })
    }
    let requirements =
      isRestoring ? [] : ElementRequirement.all(of: entity, parts.cells, besides: expansion.objects)
    for index in requirements.flatMap(\.mandatory) { parts.cells[index].isRequiredByComposite = true }
    if let inverse = owner?.inverse, !inverse.isToMany { appendForeignKey(of: inverse, to: &parts.columns) }
    let matched = try matchParts(match, parts, map: map, at: position)
    let unmappedRequired =
      entity.storedAttributes.flatMap { Self.unmappedRequired($0, at: $0.name, mapped) }
      + entity.relationships.filter { relationship in
        relationship.requiresDestination && !mapped.contains(relationship.name) && relationship != owner?.inverse
      }.map(\.name)
    slots.position = step.fieldPositions["key"] ?? position
    let recordKey = try key.map { expression throws(RunError) in
      try cell(
        AttributeDefinition("key", .string), property: "key", mapped: MappedAttribute(expression: expression),
        column: 0, slots: &slots, at: position)
    }
    return NodePlan(
      entity: entity, index: index, columns: parts.columns, cells: parts.cells, composites: composites,
      requirements: requirements, references: parts.references, children: parts.children, match: matched,
      recordKey: recordKey,
      projection: slots.paths,
      unmappedRequired: isRestoring ? [] : unmappedRequired,
      brokenDefaults: isRestoring ? [] : BrokenDefault.all(of: entity, parts.cells), requiredFields: slots.required)
  }

  /// The parts of a node's plan that its map's entries make.
  private struct NodeParts {
    var columns: [RowBatch.Column] = []
    var cells: [CellPlan] = []
    var references: [ReferencePlan] = []
    var children: [ChildPlan] = []
  }

  private func relationship(of entry: MapEntry, _ entity: Entity) throws(RunError) -> Relationship {
    guard let relationship = entity.relationship(entry.property) else { throw unknownProperty(entry, of: entity) }
    return relationship
  }

  private func add(
    _ mapped: MappedAttribute, of entry: MapEntry, _ entity: Entity, to parts: inout NodeParts, slots: inout SlotList
  ) throws(RunError) {
    if mapped.expression.root == .constant(.null), let relationship = entity.relationship(entry.property) {
      // `property: null` clears the relationship: a reference without a key.
      parts.references.append(
        try reference(
          relationship, mapped: MappedReference(match: [], from: [], separator: nil, onMissing: .null),
          columns: &parts.columns, slots: &slots, at: entry.position))
      return
    }
    guard let attribute = entity.storedAttribute(entry.property) else { throw unknownProperty(entry, of: entity) }
    parts.cells.append(
      try cell(
        attribute, property: entry.property, mapped: mapped, column: parts.columns.count, slots: &slots,
        at: entry.position))
    parts.columns.append(RowBatch.Column(.attribute(entry.property), attribute.type.rowBatchStorage))
  }

  private mutating func add(
    _ mapped: MappedObjects, of entry: MapEntry, _ entity: Entity, to parts: inout NodeParts, slots: inout SlotList
  ) throws(RunError) {
    let relationship = try relationship(of: entry, entity)
    let destination = try nestedEntity(mapped, relationship, at: entry.position)
    guard !mapped.from.isEmpty || mapped.elements != nil else {
      throw failure(
        "pipeline.nested-from", "\(entry.property) is a relationship: \"from\" is missing", at: entry.position,
        hint: "say which field holds its objects")
    }
    var childSlots = SlotList()
    let child = try node(
      destination, map: mapped.map, match: mapped.match, slots: &childSlots, owner: relationship,
      position: entry.position)
    try checkPaths(childSlots, at: entry.position)
    try requireToMany(mapped.members, relationship, at: entry.position)
    let elements = try elements(of: mapped, entry, relationship, childSlots, slots: &slots)
    if !relationship.isToMany { appendForeignKey(of: relationship, to: &parts.columns) }
    parts.children.append(
      ChildPlan(
        property: entry.property, relationship: relationship,
        input: elements ?? .field(slot: slots.slot(of: mapped.from)), node: child,
        addsMembers: mapped.members == .add))
  }

  /// The columns and references of the match key.
  private func matchParts(
    _ match: [String], _ parts: NodeParts, map: [MapEntry], at position: FilePosition
  ) throws(RunError) -> [MatchPart] {
    try match.map { name throws(RunError) -> MatchPart in
      if let column = parts.columns.firstIndex(where: { $0.source == .attribute(name) }) {
        return .attribute(column: column)
      }
      if let index = parts.references.firstIndex(where: { $0.property == name && $0.column != nil }) {
        return .reference(index: index)
      }
      throw failure(
        "pipeline.match-not-mapped", "match names \(name), which map does not set", at: position,
        hint: Suggestion.hint(for: name, among: map.map(\.property)) ?? "map \(name), or take it out of match")
    }
  }

  /// What a new object needs, and neither the map nor the model gives: the attribute, or elements of a composite that
  /// must be there or gets some of its elements.
  private static func unmappedRequired(
    _ attribute: AttributeDefinition, at path: String, _ mapped: Set<String>
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
}
