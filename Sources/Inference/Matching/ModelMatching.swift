import ImportEngine
import ObjectModel
import Pipelines

/// Finds, for each list of records, the entity of a model that it fills, and for each field the property.
struct ModelMatching {
  private(set) var steps: [PipelineStep] = []
  private(set) var notes: [String] = []
  private let model: ManagedObjectModel

  init(model: ManagedObjectModel, lists: [RecordList]) {
    self.model = model
    for list in lists { add(list) }
    var runnable = RunnableSteps(steps, model: model)
    runnable.commentOutMisfits()
    steps = runnable.steps.map { step in
      var step = step
      if let entity = model[step.entity] { step.addColumns(mappedTo: entity) }
      return step
    }
    notes += runnable.notes
  }

  /// A field of records: a column, or a key of JSON objects.
  private struct Field {
    let name: String
    let scalars: ColumnProfile
    var member: ObjectProfile.Member?
    /// Whether it holds JSON objects or arrays.
    var isStructured: Bool { member.map { $0.objectCount + $0.arrayCount > 0 } ?? false }
    /// Its expression; nil where none can have its name.
    var expression: String? {
      member == nil ? YAMLText.field(name) : ProjectDraft.expression(name)
    }
  }

  private static func fields(of list: RecordList) -> [Field] {
    if let objects = list.objects { return fields(of: objects) }
    return list.columns.map { Field(name: $0.name, scalars: $0) }
  }

  private static func fields(of objects: ObjectProfile) -> [Field] {
    objects.members.map { Field(name: $0.name, scalars: $0.scalars, member: $0) }
  }

  private mutating func add(_ list: RecordList) {
    let fields = Self.fields(of: list)
    let best = model.entities.filter { !$0.definition.isAbstract }
      .map { entity in (entity, Self.score(entity, list.name, fields)) }
      .max { $0.1 < $1.1 }
    guard let entity = best?.0 else {
      notes.append("\(list.title): the model has no entity with objects")
      return
    }
    var step = PipelineStep(list: list, entity: entity.name, lines: [])
    step.lines = lines(fields, entity, owners: list.count, place: list.title, from: nil)
    let mapped = Set(step.lines.filter { !$0.isCommentedOut }.map(\.property))
    let unique = Self.uniqueProperties(fields, list)
    if let constraint = entity.uniquenessConstraints.first(where: { mapped.isSuperset(of: $0) }) {
      step.match = constraint
      step.matchComment = "a uniqueness constraint of the model"
    } else if let name = unique {
      step.comments.append(
        "\(name) is unique in \(list.count.grouped) of \(list.count.grouped), but no constraint of the model")
    }
    if step.match.isEmpty { step.comments.append(EntityDraft.keyAdvice) }
    guard !mapped.isEmpty else {
      notes.append("\(list.title): no field is like a property of an entity, so there is no step for it")
      return
    }
    steps.append(step)
  }

  private static func uniqueProperties(_ fields: [Field], _ list: RecordList) -> String? {
    fields.first { field in
      field.scalars.keys.isUnique && field.scalars.nulls == 0 && field.scalars.count == list.count && list.count > 1
    }?.name
  }

  /// Name and fields of a list against an entity.
  private static func score(_ entity: Entity, _ name: String, _ fields: [Field]) -> Int {
    let owner = NameSimilarity.words(entity.name)
    let names = propertyNames(entity)
    // A field of the very name says more than one that is like it.
    let likeness = fields.reduce(0) { sum, field in
      let best = names.map { NameSimilarity.score(field.name, $0, owner: owner) }.max() ?? 0
      return sum + (best >= NameSimilarity.enough ? best : 0)
    }
    return NameSimilarity.score(name, entity.name, owner: [], takesSynonyms: false) + likeness / max(fields.count, 1)
  }

  private static func propertyNames(_ entity: Entity) -> [String] {
    entity.attributes.map(\.name) + entity.relationships.map(\.name)
  }

  // MARK: Properties

  private mutating func lines(
    _ fields: [Field], _ entity: Entity, owners: Int, place: String, from owner: Relationship?
  ) -> [PipelineStep.Line] {
    let words = NameSimilarity.words(entity.name)
    var pairs: [(score: Int, field: Int, property: String)] = []
    for (index, field) in fields.enumerated() {
      for attribute in entity.attributes where attribute.derivation == nil && !attribute.isTransient {
        guard !field.isStructured || [.string, .transformable].contains(attribute.type) else { continue }
        let score = NameSimilarity.score(field.name, attribute.name, owner: words)
        if score > 0 { pairs.append((score, index, attribute.name)) }
      }
      for relationship in entity.relationships where relationship.name != owner?.inverse?.name {
        let whole = NameSimilarity.score(field.name, relationship.name, owner: words)
        let reference = ReferenceSearch.relationshipName(field.name, target: "")
        let short = reference.isEmpty ? 0 : NameSimilarity.score(reference, relationship.name, owner: words)
        let score = max(whole, short) - (whole < short ? 1 : 0)
        if score > 0 { pairs.append((score, index, relationship.name)) }
      }
    }
    pairs.sort { ($0.score, -$0.field) > ($1.score, -$1.field) }
    var properties: [Int: String] = [:]
    var taken: Set<String> = []
    for pair in pairs where pair.score >= NameSimilarity.enough && properties[pair.field] == nil {
      guard taken.insert(pair.property).inserted else { continue }
      properties[pair.field] = pair.property
    }
    var lines: [PipelineStep.Line] = []
    for (index, field) in fields.enumerated() {
      if let property = properties[index] {
        lines.append(line(field, property, entity, owners: owners, place: place))
      } else {
        let near = pairs.first { $0.field == index && !taken.contains($0.property) }?.property
        lines.append(Self.unmatched(field, near, entity))
        notes.append(
          near.map { "\(place): \(field.name): perhaps \(entity.name).\($0): it stands in a comment" }
            ?? "\(place): \(field.name): nothing in \(entity.name) is like it, so it is left out")
      }
    }
    return lines
  }

  private static func unmatched(_ field: Field, _ near: String?, _ entity: Entity) -> PipelineStep.Line {
    .init(
      property: near ?? "property", value: field.expression ?? YAMLText.quoted(field.name),
      comment: near == nil ? "\(entity.name) has nothing like it" : "perhaps", isCommentedOut: true)
  }

  private mutating func line(
    _ field: Field, _ property: String, _ entity: Entity, owners: Int, place: String
  ) -> PipelineStep.Line {
    guard let expression = field.expression else {
      return .init(
        property: property, value: YAMLText.quoted(field.name), comment: "no expression can name it",
        isCommentedOut: true)
    }
    if let relationship = entity.relationship(property) {
      return reference(field, relationship, expression: expression, owners: owners, place: place)
    }
    guard let attribute = entity.attribute(property) else {
      return .init(property: property, value: expression, comment: "", isCommentedOut: true)
    }
    if let member = field.member, field.isStructured {
      return structured(member, attribute, entity, expression: expression, owners: owners, place: place)
    }
    let fit = FieldFit(field.scalars, attribute, owners: owners)
    let value = PipelineStep.value(expression, date: fit.datePattern, nulls: fit.nulls)
    if fit.fits, !fit.nulls.isEmpty {
      notes.append("\(place): \(field.name): \(NullMarker.listed(fit.nulls)) means null")
    }
    if !fit.fits {
      notes.append(
        "\(place): \(field.name): does not fit \(entity.name).\(property), so it is left out: \(fit.evidence)")
    }
    var line = PipelineStep.Line(
      property: property, value: value, comment: fit.evidence, isCommentedOut: !fit.fits)
    line.column = field.scalars
    return line
  }

  /// Arrays and objects in a String attribute, as JSON, or in a Transformable one.
  private mutating func structured(
    _ member: ObjectProfile.Member, _ attribute: AttributeDefinition, _ entity: Entity, expression: String, owners: Int,
    place: String
  ) -> PipelineStep.Line {
    let kinds = ProjectDraft.kinds(of: member)
    let present = member.objectCount + member.arrayCount + member.scalars.count - member.scalars.nulls
    let isText = attribute.type == .string
    var line = PipelineStep.Line(
      property: attribute.name, value: isText ? ProjectDraft.text(of: expression) : expression,
      comment: kinds + (isText ? ": their JSON as text" : ": archives of them"))
    line.field = member.name
    if present < owners, !attribute.isOptional, attribute.defaultValue == .null {
      line.comment = "required, but empty in \((owners - present).grouped) of \(owners.grouped)"
      line.isCommentedOut = true
    } else if !isText, member.scalars.values > 0 {
      line.comment = "\(kinds): a Transformable attribute takes no single values"
      line.isCommentedOut = true
    }
    notes.append(
      line.isCommentedOut
        ? "\(place): \(member.name): does not fit \(entity.name).\(attribute.name), so it is left out: \(line.comment)"
        : isText
          ? "\(place): \(member.name): \(kinds) become text with their JSON"
          : "\(place): \(member.name): \(kinds) become archives, as the attribute's transformer makes them")
    return line
  }

  private mutating func reference(
    _ field: Field, _ relationship: Relationship, expression: String, owners: Int, place: String
  ) -> PipelineStep.Line {
    let destination = relationship.destination
    if let inner = field.member?.objects ?? field.member?.elements, field.scalars.values == 0 {
      let inside = lines(
        Self.fields(of: inner), destination, owners: inner.count, place: "\(place) \(field.name)", from: relationship)
      if inside.contains(where: { !$0.isCommentedOut }), !destination.definition.isAbstract {
        let mapped = Set(inside.filter { !$0.isCommentedOut }.map(\.property))
        var line = PipelineStep.Line(
          property: relationship.name, value: field.member == nil ? expression : ProjectDraft.path(field.name),
          comment: "\(inner.count.grouped) objects of \(destination.name)", inside: inside)
        line.field = field.name
        line.match = destination.uniquenessConstraints.first { mapped.isSuperset(of: $0) } ?? []
        return line
      }
      return .init(
        property: relationship.name, value: expression, comment: "nothing in it is like \(destination.name)",
        isCommentedOut: true)
    }
    guard let key = destination.uniquenessConstraints.first(where: { $0.count == 1 })?.first else {
      notes.append("\(place): \(field.name): \(destination.name) has no key to find it by, so it is left out")
      return .init(
        property: relationship.name, value: "{ match: key, from: \(expression) }",
        comment: "\(destination.name) has no uniqueness constraint of one attribute", isCommentedOut: true)
    }
    var line = PipelineStep.Line(
      property: relationship.name, value: "{ match: \(YAMLText.name(key)), from: \(expression) }",
      comment: "\(field.scalars.values.grouped) references to \(destination.name)")
    line.reference = .init(
      field: field.name, destination: destination.name, key: key, column: field.scalars,
      isWhole: field.member.map { $0.arrayCount == 0 } ?? true)
    if let member = field.member, member.isListOfValues, relationship.isToMany,
      destination.attribute(key)?.type == .string
    {
      line.reference?.list = ProjectDraft.path(field.name)
    }
    return line
  }
}
