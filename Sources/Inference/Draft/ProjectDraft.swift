import ImportEngine
import ObjectModel
import Pipelines

/// Makes entities and steps out of what is known of the files.
struct ProjectDraft {
  var entities: [EntityDraft] = []
  private(set) var steps: [StepDraft] = []
  /// The differences of exports, and the losses of the store, by column.
  var notes: [String] = []
  /// Columns that are text only because an export would write their values otherwise.
  private(set) var textColumnCount = 0
  var names = ModelNames()
  /// The entities that each entity needs an object of.
  private var required: [String: Set<String>] = [:]
  private let takesValues: Bool

  /// - Parameter takesValues: whether types may write values otherwise than the files do.
  init(_ lists: [RecordList], takesValues: Bool) {
    self.takesValues = takesValues
    for list in lists {
      let entity = EntityDraft(name: names.entity(list.name), place: list.title)
      entities.append(entity)
      steps.append(StepDraft(list: list, entity: entity))
    }
    let candidates = steps.map { step in
      ReferenceSearch.Candidate(
        step: step, decisions: step.list.fields.map { ($0, decision($0, isJSON: step.list.isJSON)) })
    }
    let search = ReferenceSearch(candidates: candidates, takesMarkers: takesValues)
    for candidate in candidates { chooseKey(candidate, search) }
    for candidate in candidates {
      addProperties(candidate, search)
      addCompoundKey(candidate.step)
    }
    for step in steps { addNotes(of: step.list) }
  }

  /// The model.
  /// - Throws: `ModelError`, which would be a mistake of the inference.
  func model() throws(ModelError) -> ManagedObjectModel {
    try ManagedObjectModel(entities: entities.map(\.definition))
  }

  func decision(_ column: ColumnProfile, isJSON: Bool) -> ColumnDecision {
    ColumnDecision(column, takesValues: takesValues, isJSON: isJSON)
  }

  private mutating func chooseKey(_ candidate: ReferenceSearch.Candidate, _ search: ReferenceSearch) {
    let entity = candidate.step.entity
    let key = KeyChoice.key(of: candidate.step.list, decisions: candidate.decisions) { column, decision in
      search.isReferredTo(column, decision, of: candidate)
    }
    guard let key else {
      entity.keyAbsence = KeyChoice.absence(in: candidate.step.list, decisions: candidate.decisions)
      return
    }
    // Named first, so that it has the plain name.
    entity.key = (names.property(key.column.name, of: entity.name, fallback: "column1"), key.evidence)
    entity.keyColumn = key.column
  }

  private func addCompoundKey(_ step: StepDraft) {
    let columns = step.list.compoundKey
    guard step.entity.keyColumn == nil, !columns.isEmpty else { return }
    let properties = columns.compactMap { column in step.entity.lines.first { $0.field == column.name }?.property }
    guard properties.count == columns.count else { return }
    step.entity.keyAbsence = nil
    step.entity.compoundKey = (
      properties,
      "together unique in all \(step.list.count.grouped), none of them alone"
    )
  }

  private mutating func addProperties(_ candidate: ReferenceSearch.Candidate, _ search: ReferenceSearch) {
    let (list, entity) = (candidate.step.list, candidate.step.entity)
    if let objects = list.objects {
      for member in objects.members { add(member, of: objects, to: entity, candidate, search) }
      addLimits(objects, entity)
      return
    }
    for (index, (column, decision)) in candidate.decisions.enumerated() {
      guard var field = YAMLText.field(column.name) else { continue }
      if column.padded > 0 {
        let inner = field.hasPrefix("\"") ? String(field.dropFirst().dropLast()) : field
        field = field.hasPrefix("\"") ? "\"trim(\(inner))\"" : "trim(\(inner))"
        notes.append(
          "\(entity.place): \(column.name): \(column.padded.grouped) of \(list.count.grouped) have blanks around them, "
            + "which are left out: they are not in an export")
      }
      add(column, decision, field: field, owners: list.count, position: index, to: entity, candidate, search)
    }
  }

  // MARK: Attributes and references

  /// - Parameter owners: how many records could have a value.
  mutating func add(
    _ column: ColumnProfile, _ decision: ColumnDecision, field: String, owners: Int, position: Int,
    to entity: EntityDraft, _ candidate: ReferenceSearch.Candidate?, _ search: ReferenceSearch?
  ) {
    // An object may have a key twice.
    let missing = max(owners - column.count, 0) + column.nulls + (decision.nulls.isEmpty ? 0 : column.markerCount)
    let isKey = entity.keyColumn === column
    let decision = isKey ? decision.asKey() : decision
    var comment = decision.evidence
    if missing == 0, owners > 0, column.emptyTexts == 0 {
      comment += isKey ? "" : "; never empty"
    } else if column.values > 0 {
      comment += "; empty in \((missing + column.emptyTexts).grouped) of \(owners.grouped)"
    }
    if let candidate, let search {
      let (found, near) = search.reference(of: column, decision, in: candidate)
      if let found {
        addReference(
          column, found, field: field,
          isNeverEmpty: missing == 0 && column.emptyTexts == 0 && found.nulls.isEmpty, isKey: isKey, to: entity)
        if !isKey { return }
      }
      if let near { comment += "; " + near }
    }
    var name = entity.key?.attribute ?? ""
    if isKey {
      comment = "\(entity.key?.evidence ?? ""): the key; \(comment)"
    } else {
      name = names.property(column.name, of: entity.name, fallback: "column\(position + 1)")
    }
    var attribute = AttributeDefinition(name, decision.type)
    // A required column may not be empty either.
    attribute.isOptional = missing > 0 || owners == 0 || column.emptyTexts > 0
    switch decision.type {
    case .integer16, .integer32, .integer64, .double, .boolean: attribute.usesScalarValueType = !attribute.isOptional
    default: break
    }
    entity.attributes.append(attribute)
    entity.lines.append(
      .init(
        property: name, field: column.name, source: .expression(field), datePattern: decision.datePattern,
        nulls: decision.nulls, comment: comment))
    note(decision, column.name, entity)
  }

  private mutating func note(_ decision: ColumnDecision, _ name: String, _ entity: EntityDraft) {
    if let lost = decision.lost { notes.append("\(entity.place): \(name): \(lost)") }
    if let rewritten = decision.rewritten { notes.append("\(entity.place): \(name): \(rewritten)") }
    if decision.byValue != nil { textColumnCount += 1 }
  }

  /// - Parameter isKey: whether the column is the entity's key too, so that no two objects of it lead to one target.
  private mutating func addReference(
    _ column: ColumnProfile, _ found: ReferenceSearch.Found, field: String, isNeverEmpty: Bool, isKey: Bool,
    to entity: EntityDraft
  ) {
    let target = found.target
    if !found.nulls.isEmpty {
      let listed = NullMarker.listed(found.nulls)
      notes.append("\(entity.place): \(column.name): \(listed) means no \(target.name): it is empty in an export")
    }
    let isCircle = isNeverEmpty && (target === entity || needs(target.name, entity.name))
    let isMandatory = isNeverEmpty && !isCircle
    if isMandatory { required[entity.name, default: []].insert(target.name) }
    let wanted = ReferenceSearch.relationshipName(column.name, target: target.name)
    let name = names.property(wanted, of: entity.name, fallback: "target")
    var words = NameWords.words(entity.name)
    if !isKey, let last = words.popLast() { words.append(NameWords.plural(last)) }
    var back = NameWords.lowerCamel(words)
    if target === entity || target.relationships.contains(where: { $0.destinationEntityName == entity.name }) {
      back += "By" + NameWords.capitalized(name)
    }
    let inverse = names.property(back, of: target.name, fallback: "owners")
    var relationship = RelationshipDefinition(name, toOne: target.name, inverse: inverse)
    relationship.isOptional = !isMandatory
    entity.relationships.append(relationship)
    var reverse =
      isKey
      ? RelationshipDefinition(inverse, toOne: entity.name, inverse: name)
      : RelationshipDefinition(inverse, toMany: entity.name, inverse: name)
    // An object that requires its destination keeps it from being deleted.
    reverse.deleteRule = isMandatory ? .deny : .nullify
    target.relationships.append(reverse)
    entity.lines.append(
      .init(
        property: name, field: column.name,
        source: .reference(key: target.key?.attribute ?? "", expression: NullMarker.expression(field, found.nulls)),
        comment: "\(found.evidence)\(isNeverEmpty ? "; never empty" : ""): a relationship to \(target.name)"
          + (found.nulls.isEmpty ? "" : "; \(NullMarker.listed(found.nulls)) means none")
          + (isCircle ? ", optional, because objects that require each other could never be deleted" : "")))
  }

  /// Whether objects of an entity need one of another, at any remove.
  private func needs(_ entity: String, _ other: String) -> Bool {
    var found: Set<String> = []
    var waiting = [entity]
    while let name = waiting.popLast() {
      for next in required[name] ?? [] where found.insert(next).inserted { waiting.append(next) }
    }
    return found.contains(other)
  }

  private mutating func addNotes(of list: RecordList) {
    for text in list.leftOut { notes.append("\(list.title): left out: \(text)") }
    if let fault = list.firstFault {
      notes.append(
        "\(list.title): \(list.faultCount.grouped) "
          + (list.faultCount == 1
            ? "record cannot be read and is rejected " : "records cannot be read and are rejected ")
          + "(line \(fault.line): \(fault.message))"
          + (fault.message.contains("UTF-8")
            ? "; all else is UTF-8: mend the bytes, or write `encoding: windows-1252`, which takes each for a character"
            : ""))
    }
  }
}
