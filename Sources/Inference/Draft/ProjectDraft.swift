import ImportEngine
import ObjectModel
import Pipelines
import SeedFormats

/// Makes entities and steps out of what is known of the files.
struct ProjectDraft {
  private(set) var entities: [EntityDraft] = []
  private(set) var steps: [StepDraft] = []
  /// The differences of exports, and the losses of the store, by column.
  private(set) var notes: [String] = []
  /// Columns that are text only because an export would write their values otherwise.
  private(set) var textColumnCount = 0
  private var names = ModelNames()
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
    for candidate in candidates { chooseKey(candidate) }
    let search = ReferenceSearch(candidates: candidates)
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

  private func decision(_ column: ColumnProfile, isJSON: Bool) -> ColumnDecision {
    ColumnDecision(column, takesValues: takesValues, isJSON: isJSON)
  }

  private mutating func chooseKey(_ candidate: ReferenceSearch.Candidate) {
    let entity = candidate.step.entity
    guard let key = KeyChoice.key(of: candidate.step.list, decisions: candidate.decisions) else {
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
      guard let field = YAMLText.field(column.name) else { continue }
      add(column, decision, field: field, owners: list.count, position: index, to: entity, candidate, search)
    }
  }

  // MARK: Attributes and references

  /// - Parameter owners: how many records could have a value.
  private mutating func add(
    _ column: ColumnProfile, _ decision: ColumnDecision, field: String, owners: Int, position: Int,
    to entity: EntityDraft, _ candidate: ReferenceSearch.Candidate?, _ search: ReferenceSearch?
  ) {
    // An object may have a key twice.
    let missing = max(owners - column.count, 0) + column.nulls
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
          column, found, field: field, isNeverEmpty: missing == 0 && column.emptyTexts == 0, isKey: isKey, to: entity)
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
        comment: comment))
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
        property: name, field: column.name, source: .reference(key: target.key?.attribute ?? "", expression: field),
        comment: "\(found.evidence)\(isNeverEmpty ? "; never empty" : ""): a relationship to \(target.name)"
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

  // MARK: JSON

  private mutating func add(
    _ member: ObjectProfile.Member, of objects: ObjectProfile, to entity: EntityDraft,
    _ candidate: ReferenceSearch.Candidate?, _ search: ReferenceSearch?
  ) {
    let hasScalars = member.scalars.values + member.scalars.emptyTexts > 0
    guard let field = Self.expression(member.name) else {
      notes.append(
        "\(entity.place): the key \(QuotedSample.text(of: member.name)) cannot be named in an expression: left out")
      return
    }
    let isObject = member.objectCount > 0 && member.arrayCount == 0 && !hasScalars
    let isArray = member.arrayCount > 0 && member.objectCount == 0 && member.otherArrayCount == 0 && !hasScalars
    if isObject, let inner = member.objects, isEntity(inner) {
      addNested(member, inner, toMany: false, owners: objects.count, to: entity)
    } else if isArray, let inner = member.elements, isEntity(inner) {
      addNested(member, inner, toMany: true, owners: objects.count, to: entity)
    } else if member.objectCount + member.arrayCount > 0 {
      addJSONText(member, field: field, owners: objects.count, hasScalars: hasScalars, to: entity)
    } else {
      let position = objects.members.firstIndex { $0 === member } ?? 0
      let known = candidate?.decisions.first { $0.column === member.scalars }?.decision
      add(
        member.scalars, known ?? decision(member.scalars, isJSON: true), field: field, owners: objects.count,
        position: position, to: entity, known == nil ? nil : candidate, search)
    }
  }

  /// Whether objects have keys enough, and not too many, to be those of an entity.
  private func isEntity(_ objects: ObjectProfile) -> Bool {
    guard !objects.isMap, objects.count > 0 else { return false }
    guard objects.members.contains(where: { Self.expression($0.name) != nil }) else { return false }
    if objects.members.allSatisfy({ $0.name.first?.isNumber ?? true }) { return false }
    // Objects whose keys hardly ever meet again are maps from keys to values.
    let places = objects.members.count * objects.count
    let used = objects.members.reduce(0) { $0 + $1.scalars.count + $1.objectCount + $1.arrayCount }
    return objects.members.count <= 64 || used * 10 >= places
  }

  private mutating func addNested(
    _ member: ObjectProfile.Member, _ inner: ObjectProfile, toMany: Bool, owners: Int, to entity: EntityDraft
  ) {
    let nested = EntityDraft(
      name: names.entity(member.name, owner: entity.name), place: "\(entity.place) \(member.name)")
    entities.append(nested)
    let name = names.property(member.name, of: entity.name, fallback: "nested")
    let back = names.property(NameWords.lowerCamel(NameWords.words(entity.name)), of: nested.name, fallback: "owner")
    var relationship =
      toMany
      ? RelationshipDefinition(name, toMany: nested.name, inverse: back, ordered: true)
      : RelationshipDefinition(name, toOne: nested.name, inverse: back)
    relationship.deleteRule = .cascade
    entity.relationships.append(relationship)
    nested.relationships.append(RelationshipDefinition(back, toOne: entity.name, inverse: name))
    for member in inner.members { add(member, of: inner, to: nested, nil, nil) }
    addLimits(inner, nested)
    let comment =
      toMany
      ? "arrays of objects in \(member.arrayCount.grouped) of \(owners.grouped), \(inner.count.grouped) in all: the entity \(nested.name), in order"
      : "objects in \(member.objectCount.grouped) of \(owners.grouped): the entity \(nested.name)"
    entity.lines.append(
      .init(
        property: name, field: member.name, source: .nested(field: Self.path(member.name), nested), comment: comment))
    if toMany, member.emptyArrayCount > 0, member.emptyArrayCount < member.arrayCount || member.scalars.nulls > 0 {
      notes.append(
        "\(entity.place): \(member.name): an empty array, a null and no array at all become one and the same")
    }
  }

  /// Arrays of bare values and what is of several kinds have no entity: their JSON is kept as text.
  private mutating func addJSONText(
    _ member: ObjectProfile.Member, field: String, owners: Int, hasScalars: Bool, to entity: EntityDraft
  ) {
    let name = names.property(member.name, of: entity.name, fallback: "json")
    var attribute = AttributeDefinition(name, .string)
    let present = member.objectCount + member.arrayCount + member.scalars.count - member.scalars.nulls
    attribute.isOptional = present < owners || member.scalars.emptyTexts > 0
    entity.attributes.append(attribute)
    let kinds = [
      (member.objectCount, "object"), (member.arrayCount, "array"), (member.scalars.values, "single value"),
    ].filter { $0.0 > 0 }.map { $0.0.counted($0.1) }.joined(separator: ", ")
    let expression = field.hasPrefix("\"") ? "\"text(" + field.dropFirst().dropLast() + ")\"" : "text(\(field))"
    entity.lines.append(
      .init(
        property: name, field: member.name, source: .expression(expression), comment: "\(kinds): their JSON as text"))
    notes.append("\(entity.place): \(member.name): \(kinds) become text with their JSON")
    if hasScalars {
      notes.append(
        "\(entity.place): \(member.name): single values become texts, which JSON in a text cannot be told from")
    }
  }

  private mutating func addLimits(_ objects: ObjectProfile, _ entity: EntityDraft) {
    if objects.isMap {
      notes.append(
        "\(entity.place): more than \(ObjectProfile.keyLimit.grouped) different keys: the others are left out")
    }
    if objects.repeatedKeyCount > 0 {
      notes.append("\(entity.place): objects with a key that stands twice are rejected")
    }
  }

  private mutating func addNotes(of list: RecordList) {
    for text in list.leftOut { notes.append("\(list.title): left out: \(text)") }
    if let fault = list.firstFault {
      notes.append(
        "\(list.title): \(list.faultCount.grouped) "
          + (list.faultCount == 1
            ? "record cannot be read and is rejected " : "records cannot be read and are rejected ")
          + "(line \(fault.line): \(fault.message))")
    }
  }

  /// A JSON key as an expression; nil where none can have it.
  private static func expression(_ key: String) -> String? {
    if let field = YAMLText.field(key), !field.hasPrefix("\"") { return field }
    let pointer = "/" + JSONPointer.escaped(key)
    return YAMLText.field(pointer)
  }

  /// A JSON key as the path of a nested mapping.
  private static func path(_ key: String) -> String {
    if let field = YAMLText.field(key), !field.hasPrefix("\"") { return field }
    return YAMLText.quoted("/" + JSONPointer.escaped(key))
  }
}
