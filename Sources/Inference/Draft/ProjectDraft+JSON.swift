import ObjectModel
import Pipelines
import SeedFormats

/// Entities of the objects inside JSON records.
extension ProjectDraft {
  mutating func add(
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
    let kinds = Self.kinds(of: member)
    entity.lines.append(
      .init(
        property: name, field: member.name, source: .expression(Self.text(of: field)),
        comment: "\(kinds): their JSON as text"))
    notes.append("\(entity.place): \(member.name): \(kinds) become text with their JSON")
    if hasScalars {
      notes.append(
        "\(entity.place): \(member.name): single values become texts, which JSON in a text cannot be told from")
    }
  }

  /// What a key holds, with its numbers.
  static func kinds(of member: ObjectProfile.Member) -> String {
    [(member.objectCount, "object"), (member.arrayCount, "array"), (member.scalars.values, "single value")]
      .filter { $0.0 > 0 }.map { $0.0.counted($0.1) }.joined(separator: ", ")
  }

  /// The expression for a field's JSON, in the quotes that YAML needs or without.
  static func text(of field: String) -> String {
    field.hasPrefix("\"") ? "\"text(" + field.dropFirst().dropLast() + ")\"" : "text(\(field))"
  }

  mutating func addLimits(_ objects: ObjectProfile, _ entity: EntityDraft) {
    if objects.isMap {
      notes.append(
        "\(entity.place): more than \(ObjectProfile.keyLimit.grouped) different keys: the others are left out")
    }
    if objects.repeatedKeyCount > 0 {
      notes.append("\(entity.place): objects with a key that stands twice are rejected")
    }
  }

  /// A JSON key as an expression; nil where none can have it.
  static func expression(_ key: String) -> String? {
    if let field = YAMLText.field(key), !field.hasPrefix("\"") { return field }
    let pointer = "/" + JSONPointer.escaped(key)
    return YAMLText.field(pointer)
  }

  /// A JSON key as the path of a nested mapping.
  static func path(_ key: String) -> String {
    if let field = YAMLText.field(key), !field.hasPrefix("\"") { return field }
    return YAMLText.quoted("/" + JSONPointer.escaped(key))
  }
}
