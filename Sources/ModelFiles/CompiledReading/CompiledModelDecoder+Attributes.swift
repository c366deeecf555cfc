import ObjectModel
import PropertyLists

extension CompiledModelDecoder {
  private static let externalStorageFlag = 4
  private static let preservedOnDeletionFlag = 16

  mutating func decodeAttribute(
    _ object: ArchivedObject, name: String, entity: String, depth: Int = 0
  ) throws(ArchiveError) -> AttributeDefinition {
    let number = try object.integer("NSAttributeType") ?? 0
    guard let type = Int32(exactly: number).flatMap(AttributeType.init(rawValue:)) else {
      throw ArchiveError("the attribute type \(number) is not known")
    }
    var attribute = AttributeDefinition(name, type)
    attribute.isOptional = try object.flag("NSIsOptional")
    attribute.isTransient = try object.flag("NSIsTransient")
    attribute.isIndexed = try object.flag("NSIsIndexed")
    let flags = try object.integer("NSFlagsKey") ?? 0
    attribute.allowsExternalBinaryDataStorage = flags & Self.externalStorageFlag != 0
    attribute.preservesValueInHistoryOnDeletion = flags & Self.preservedOnDeletionFlag != 0
    attribute.valueTransformerName = try object.string("NSValueTransformerName")?.nonEmpty
    let className = try object.string("NSAttributeValueClassName")?.nonEmpty
    attribute.attributeValueClassName = className == type.usualClassName ? nil : className
    attribute.versionHashModifier = try object.string("NSVersionHashModifier")?.nonEmpty
    attribute.renamingIdentifier = try renamingIdentifier(object, name: name)
    attribute.userInfo = try userInfo(object, entity: entity, property: name)
    try readDefault(&attribute, object, entity: entity)
    for predicate in try object.list("NSValidationPredicates") ?? [] {
      try readLimits(&attribute, predicate, entity: entity, depth: 0)
    }
    if object.kind == .derivedAttribute { attribute.derivation = try derivation(object) }
    if object.kind == .compositeAttribute || type == .composite {
      attribute.composite = try composite(object, name: name, entity: entity, depth: depth)
    }
    return attribute
  }

  private mutating func readDefault(
    _ attribute: inout AttributeDefinition, _ object: ArchivedObject, entity: String
  ) throws(ArchiveError) {
    guard let archived = try object.value("NSDefaultValue") else { return }
    if let value = try archived.value(of: attribute.type) {
      attribute.defaultValue = value
    } else {
      warn(entity: entity, property: attribute.name, "the default value is \(archived.shownKind) and was left out")
    }
  }

  /// The expression enters the version hash, so without its text there is no model.
  private func derivation(_ object: ArchivedObject) throws(ArchiveError) -> AttributeDefinition.Derivation {
    guard let expression = try object.value("NSDerivationExpression") else {
      throw ArchiveError("the derived attribute has no derivation expression")
    }
    let text = try PredicateText.expression(expression)
    guard let filter = try object.value("NSFilteringPredicate") else {
      return AttributeDefinition.Derivation(expression: text)
    }
    return AttributeDefinition.Derivation(
      expression: text, filteringPredicate: try PredicateText.predicate(filter))
  }

  // MARK: - Limits

  /// Reads a validation predicate: comparisons of the value, or of a string's length, joined by AND.
  private mutating func readLimits(
    _ attribute: inout AttributeDefinition, _ predicate: ArchivedValue, entity: String, depth: Int
  ) throws(ArchiveError) {
    guard depth < PredicateText.maximumDepth, case .object(let object) = predicate else {
      throw ArchiveError("a validation predicate is nested too deeply, or is \(predicate.shownKind)")
    }
    if object.kind == .compoundPredicate, try object.integer("NSCompoundPredicateType") == 1 {
      for part in try object.list("NSSubpredicates") ?? [] {
        try readLimits(&attribute, part, entity: entity, depth: depth + 1)
      }
      return
    }
    do {
      if object.kind == .comparisonPredicate, try readLimit(&attribute, ArchivedComparison(object)) { return }
    } catch {
      // A comparison that has no text form is no limit; `predicateText` reports it below.
      guard error.isUnsupported else { throw error }
    }
    let subject = "a validation that is neither a limit nor a regular expression"
    if let text = try predicateText(predicate, leavingOut: subject, entity: entity, property: attribute.name) {
      warn(entity: entity, property: attribute.name, "\(subject) was left out: \(text)")
    }
  }

  /// Takes a comparison as minimum, maximum or regular expression; false when it is none or the attribute has that
  /// limit already.
  private func readLimit(
    _ attribute: inout AttributeDefinition, _ comparison: ArchivedComparison
  ) throws(ArchiveError) -> Bool {
    guard comparison.modifier.isEmpty, comparison.options.isEmpty, let constant = try comparison.constant() else {
      return false
    }
    if comparison.operation == .matches {
      guard comparison.isOfSelf, attribute.type == .string, attribute.regularExpression == nil,
        case .string(let pattern) = constant
      else { return false }
      attribute.regularExpression = pattern
      return true
    }
    let isOfLength = try comparison.isOfLength()
    guard isOfLength ? attribute.type == .string : comparison.isOfSelf && attribute.type != .string,
      let bound = try constant.value(of: isOfLength ? .integer64 : attribute.type)
    else { return false }
    switch comparison.operation {
    case .greaterOrEqual where attribute.minimumValue == .null: attribute.minimumValue = bound
    case .lessOrEqual where attribute.maximumValue == .null: attribute.maximumValue = bound
    default: return false
    }
    return true
  }

  // MARK: - Composites

  /// The elements of a composite. No compiled model with one was at hand, so the field that holds them is found by
  /// what is in it: the one collection of attributes. The composite type's own name is not known to be kept; the
  /// attribute's name stands in for it.
  private mutating func composite(
    _ object: ArchivedObject, name: String, entity: String, depth: Int
  ) throws(ArchiveError) -> AttributeDefinition.CompositeReference {
    guard depth < CompositeTypes.maximumDepth else { throw ArchiveError("composites are nested too deeply") }
    var elements: [AttributeDefinition] = []
    for field in object.fields.keys.sorted(by: { $0.precedesByCodePoint($1) }) where field != "$class" {
      for element in try attributes(in: object, field) {
        try object.archive.spend(32)
        elements.append(
          try decodeAttribute(
            element, name: try element.requiredString("NSPropertyName"), entity: entity, depth: depth + 1))
      }
    }
    warn(entity: entity, property: name, "how compiled models keep a composite attribute is not confirmed")
    return AttributeDefinition.CompositeReference(name: name, elements: elements)
  }

  /// The attributes of a field that is a collection of attributes only; none for every other field.
  private func attributes(in object: ArchivedObject, _ field: String) throws(ArchiveError) -> [ArchivedObject] {
    guard let values = try object.value(field)?.collectedValues() else { return [] }
    var attributes: [ArchivedObject] = []
    for value in values {
      guard case .object(let attribute) = value,
        attribute.kind == .attribute || attribute.kind == .compositeAttribute
      else { return [] }
      attributes.append(attribute)
    }
    return attributes
  }
}
