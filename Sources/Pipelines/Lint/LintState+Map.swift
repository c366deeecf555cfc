import Foundation
import ObjectModel

extension LintState {
  /// Checks the entries of a map against the entity they write.
  mutating func checkMap(_ map: CompositeExpansion, of entity: Entity, source: SourceSettings) {
    for entry in map.entries {
      if let relationship = entity.relationship(entry.property) {
        check(entry, relationship, source)
      } else if let attribute = attribute(entry.property, of: entity) {
        let mayBeNull = attribute.isOptional || map.cleared.contains(entry.property)
        check(entry, attribute, of: entity, mayBeNull: mayBeNull, source)
      } else {
        addUnknownProperty(entry.property, of: entity, at: entry.position)
      }
    }
  }

  /// The map with composites taken apart.
  mutating func expanded(_ map: [MapEntry], of entity: Entity, readsJSON: Bool) -> CompositeExpansion {
    let expansion = CompositeExpansion(map, of: entity, readsJSON: readsJSON)
    for problem in expansion.problems {
      add(problem.code, problem.message, at: problem.position, hint: problem.hint)
    }
    return expansion
  }

  private mutating func check(
    _ entry: MapEntry, _ attribute: AttributeDefinition, of entity: Entity, mayBeNull: Bool, _ source: SourceSettings
  ) {
    let name = "\(entity.name).\(entry.property)"
    if attribute.derivation != nil, !isRestoring {
      add("derived", "\(name) is derived: the store computes it", at: entry.position, hint: "remove the line")
    }
    if attribute.isTransient {
      warn("transient", "\(name) is transient: it is not stored", at: entry.position, hint: "remove the line")
    }
    guard case .attribute(let mapped) = entry.value else {
      add(
        "not-a-relationship", "\(name) is an attribute, not a relationship", at: entry.position,
        hint: "map it to an expression")
      return
    }
    let hasDates = mapped.dateFormat != nil || mapped.timeZone != nil
    if hasDates, attribute.type != .date {
      warn("not-a-date", "\(name) is no Date: \"date\" and \"time-zone\" have no effect", at: entry.position)
    }
    let parser = try? DateParser(
      format: mapped.dateFormat ?? source.dateFormat, timeZone: mapped.timeZone ?? source.timeZone)
    for (expression, isFallback) in [(mapped.expression, false), (mapped.defaultValue, true)] {
      guard case .constant(let value)? = expression?.root else { continue }
      if value.isNull, !isFallback, !mayBeNull {
        add("required-null", "\(name) is required and cannot be null", at: entry.position)
      } else if !value.isNull, !ConstantFit.fits(value, attribute.type, parser ?? .iso8601) {
        add(
          "constant-type",
          "the constant \(Self.text(of: value)) is no \(attribute.type.title.name) (\(name))",
          at: entry.position)
      }
    }
  }

  private static func text(of value: RecordExpressionValue) -> String {
    if case .string(let text) = value { return RecordExpressionFailure.quoted(text) }
    return (try? value.asText()) ?? "null"
  }

  private mutating func check(_ entry: MapEntry, _ relationship: Relationship, _ source: SourceSettings) {
    let name = "\(relationship.entity.name).\(entry.property)"
    let destination = relationship.destination
    switch entry.value {
    case .attribute(let mapped):
      // Null clears a relationship; anything else must say which object is meant.
      if case .constant(.null) = mapped.expression.root, mapped.defaultValue == nil {
        if relationship.definition.isMandatory {
          add("required-null", "\(name) is required and cannot be null", at: entry.position)
        }
        return
      }
      add(
        "reference-form",
        "\(name) is a \(relationship.isToMany ? "to-many " : "")relationship: say how to find its objects",
        at: entry.position, hint: referenceHint(mapped.expression, relationship, source))
    case .reference(let reference): check(reference, relationship, name, at: entry.position)
    case .nested(let nested):
      if nested.elements != nil, !relationship.isToMany {
        add(
          "list-to-one", "\(name) is to-one, and \"from\" gives a list",
          at: nested.fieldPositions["from"] ?? entry.position)
      }
      if nested.from.isEmpty, nested.elements == nil {
        add(
          "nested-from", "\(name) is a relationship: \"from\" is missing", at: entry.position,
          hint: "say which field holds its objects")
      }
      checkToMany(nested.members, relationship, name, at: entry.position)
      var entity = destination
      if let chosen = nested.entity {
        guard let found = self.entity(chosen, at: nested.fieldPositions["entity"] ?? entry.position) else { return }
        if !found.isKind(of: destination) {
          add(
            "wrong-destination", "\(name) leads to \(destination.name), and \(chosen) is none",
            at: nested.fieldPositions["entity"] ?? entry.position)
          return
        }
        entity = found
      }
      if entity.isAbstract {
        add(
          "abstract-entity", "\(entity.name) is abstract: it has no objects of its own", at: entry.position,
          hint: Suggestion.list("add entity: with one of its sub-entities", Self.concrete(under: entity)))
      }
      if source.format == .csv || source.format == .tsv, nested.elements == nil {
        add(
          "nested-in-csv", "\(name): CSV fields hold no nested objects", at: entry.position,
          hint: "write { match: ..., from: ... }, or make a list with split() or words()")
      }
      let map = expanded(nested.map, of: entity, readsJSON: true)
      check(match: nested.match, of: entity, map: map.entries, at: nested.fieldPositions["match"] ?? entry.position)
      checkMap(map, of: entity, source: source)
      // Records may have no nested objects, or refer to ones that are there.
      checkMissing(map.entries, of: entity, at: entry.position, isUpdating: true, owner: relationship.inverse?.name)
    }
  }

  private mutating func checkToMany(
    _ members: MembersGiven, _ relationship: Relationship, _ name: String, at position: FilePosition
  ) {
    if members == .add, !relationship.isToMany {
      add("members", "\(name) is to-one: no members can be added", at: position, hint: "remove members: add")
    }
  }

  private mutating func check(
    _ reference: MappedReference, _ relationship: Relationship, _ name: String, at position: FilePosition
  ) {
    let destination = relationship.destination
    var isKnown = true
    for key in reference.match where attribute(key, of: destination) == nil {
      isKnown = false
      if destination.relationship(key) != nil {
        add(
          "match-relationship", "\(destination.name).\(key) is a relationship: match wants attributes", at: position)
      } else {
        addUnknownProperty(key, of: destination, at: position)
      }
    }
    if reference.separator != nil, !relationship.isToMany {
      warn("separator-to-one", "\(name) is to-one: \"separator\" has no effect", at: position)
    }
    checkToMany(reference.members, relationship, name, at: position)
    if reference.onMissing == .null, relationship.definition.isMandatory {
      warn(
        "required-missing", "\(name) is required: records without it are rejected in spite of missing: null",
        at: position)
    }
    if reference.isByRecordKey {
      let hasKeys = file.imports.contains { step in
        step.key != nil && model[step.entity].map { $0.isKind(of: destination) } == true
      }
      if !hasKeys {
        // Records without a key for it are taken all the same.
        warn(
          "no-record-keys", "\(name) goes by record key, but no step with a key makes \(destination.name) objects",
          at: position,
          hint: "add key: to the step that imports \(destination.name), or write { match: ..., from: ... }")
      }
      return
    }
    let keys = Set(reference.match)
    let isUnique =
      destination.uniquenessConstraints.contains { Set($0).isSubset(of: keys) }
      || file.imports.contains { step in
        Set(step.match) == keys && model[step.entity].map { $0.isKind(of: destination) } == true
      }
    if isKnown, !isUnique {
      warn(
        "ambiguous-reference",
        "nothing makes [\(reference.match.joined(separator: ", "))] unique among \(destination.name)", at: position,
        hint: "add a uniqueness constraint to the model")
    }
  }

  /// Required properties without a default that no line of the map gives a value.
  mutating func checkMissing(
    _ map: [MapEntry], of entity: Entity, at position: FilePosition, isUpdating: Bool, owner: String? = nil
  ) {
    let mapped = Set(map.map { String($0.property.split(separator: ".").first ?? "") })
    for attribute in entity.attributes
    where !attribute.isOptional && !attribute.isTransient && attribute.derivation == nil
      && attribute.defaultValue == .null && !mapped.contains(attribute.name)
    {
      report(
        isUpdating ? .warning : .error, "required-not-mapped",
        "\(entity.name).\(attribute.name) is required, has no default, and is not in the map", position,
        "add \(attribute.name): to the map, or give it a default in the model")
    }
    for relationship in entity.relationships
    where relationship.definition.isMandatory && !mapped.contains(relationship.name) && relationship.name != owner {
      // The other side may fill it, so this is no error.
      warn(
        "required-not-mapped", "\(entity.name).\(relationship.name) is required and not in the map",
        at: position, hint: "map it unless the other side of the relationship does")
    }
  }
}

/// Whether constants of a pipeline file are values of attributes.
enum ConstantFit {
  static func fits(_ value: RecordExpressionValue, _ type: AttributeType, _ dates: DateParser) -> Bool {
    switch type {
    case .integer16: integer(value).map { Int16(exactly: $0) != nil } ?? false
    case .integer32: integer(value).map { Int32(exactly: $0) != nil } ?? false
    case .integer64: integer(value) != nil
    case .decimal, .double, .float: isNumber(value)
    case .boolean:
      switch value {
      case .boolean: true
      case .integer(let number): number == 0 || number == 1
      case .string(let text): ["1", "0", "true", "yes", "false", "no"].contains(text.lowercased())
      default: false
      }
    case .string, .uri: true
    case .date:
      switch value {
      case .date: true
      case .boolean, .absent, .null, .data, .list: false
      case .string, .integer, .double, .decimal: (try? value.asText()).flatMap { dates.parse($0) } != nil
      }
    case .uuid: (try? value.asText()).flatMap { UUID(uuidString: $0) } != nil
    case .undefined, .binary, .transformable, .objectID, .composite: true
    }
  }

  private static func integer(_ value: RecordExpressionValue) -> Int64? {
    if case .integer(let number)? = try? value.asNumber() { return number }
    if case .double(let number) = value { return Int64(exactly: number) }
    return nil
  }

  private static func isNumber(_ value: RecordExpressionValue) -> Bool {
    (try? value.asNumber()) != nil
  }
}
