import Foundation

/// Collects the differences of one entity.
struct DifferenceList {
  let entity: String
  var subject: ModelDifference.Subject
  private(set) var differences: [ModelDifference] = []

  mutating func append(_ change: ModelDifference.Change, affectsHash: Bool) {
    differences.append(
      ModelDifference(entity: entity, subject: subject, change: change, affectsVersionHash: affectsHash))
  }

  mutating func compare(_ aspect: ModelDifference.Aspect, _ old: String?, _ new: String?, affectsHash: Bool) {
    if old != new { append(.changed(aspect, from: old, to: new), affectsHash: affectsHash) }
  }

  mutating func compare(_ aspect: ModelDifference.Aspect, _ old: Bool, _ new: Bool, affectsHash: Bool) {
    compare(aspect, old ? "yes" : "no", new ? "yes" : "no", affectsHash: affectsHash)
  }

  mutating func compare(_ aspect: ModelDifference.Aspect, _ old: Int, _ new: Int, affectsHash: Bool) {
    compare(aspect, String(old), String(new), affectsHash: affectsHash)
  }

  mutating func compare(_ aspect: ModelDifference.Aspect, _ old: Value, _ new: Value, affectsHash: Bool) {
    if old != new { append(.changed(aspect, from: old.shown, to: new.shown), affectsHash: affectsHash) }
  }

  /// Compares two attributes. Of a derived one only the derivation enters the hash, of a composite its leaves, of a
  /// transient one nothing.
  /// - Parameter movesHash: whether the name puts its hash in another place.
  mutating func compare(
    _ old: AttributeDefinition, _ new: AttributeDefinition, isStored: Bool, movesHash: Bool
  ) {
    let isPlain =
      isStored && !(old.derivation != nil && new.derivation != nil) && !(old.composite != nil && new.composite != nil)
    if old.name != new.name { append(.renamed(from: old.name), affectsHash: isPlain || (isStored && movesHash)) }
    compare(.type, "\(old.type)", "\(new.type)", affectsHash: isPlain)
    compare(.optional, old.isOptional, new.isOptional, affectsHash: isPlain)
    compare(.transient, old.isTransient, new.isTransient, affectsHash: isStored)
    compare(.defaultValue, old.defaultValue, new.defaultValue, affectsHash: false)
    compare(.minimumValue, old.minimumValue, new.minimumValue, affectsHash: false)
    compare(.maximumValue, old.maximumValue, new.maximumValue, affectsHash: false)
    compare(.regularExpression, old.regularExpression, new.regularExpression, affectsHash: false)
    if old.validationRules != new.validationRules {
      append(.changed(.validationRules, from: old.shownRules, to: new.shownRules), affectsHash: false)
    }
    compare(
      .externalStorage, old.allowsExternalBinaryDataStorage, new.allowsExternalBinaryDataStorage,
      affectsHash: isPlain)
    compare(
      .preservedAfterDeletion, old.preservesValueInHistoryOnDeletion, new.preservesValueInHistoryOnDeletion,
      affectsHash: isPlain)
    compare(.valueTransformer, old.valueTransformerName, new.valueTransformerName, affectsHash: false)
    compare(.className, old.attributeValueClassName, new.attributeValueClassName, affectsHash: false)
    compare(.derivation, old.derivation?.shown, new.derivation?.shown, affectsHash: isStored)
    compare(.versionHashModifier, old.versionHashModifier, new.versionHashModifier, affectsHash: isPlain)
    compareComposites(old, new, isStored: isStored)
  }

  /// The elements, not only the composite type's name, make a composite; of both only the leaves enter a version hash.
  private mutating func compareComposites(
    _ old: AttributeDefinition, _ new: AttributeDefinition, isStored: Bool
  ) {
    let oldLeaves = old.composite.map { _ in StoredAttribute.leaves(of: old).map(\.shown) }
    let newLeaves = new.composite.map { _ in StoredAttribute.leaves(of: new).map(\.shown) }
    if oldLeaves != newLeaves || old.composite?.name != new.composite?.name {
      append(
        .changed(
          .composite, from: old.composite.map { "\($0.name) (\((oldLeaves ?? []).joined(separator: ", ")))" },
          to: new.composite.map { "\($0.name) (\((newLeaves ?? []).joined(separator: ", ")))" }),
        affectsHash: isStored && HashRules.hash(of: old) != HashRules.hash(of: new))
    }
  }

  mutating func compare(_ old: RelationshipDefinition, _ new: RelationshipDefinition, isStored: Bool) {
    if old.name != new.name { append(.renamed(from: old.name), affectsHash: isStored) }
    compare(.destination, old.destinationEntityName, new.destinationEntityName, affectsHash: isStored)
    compare(.inverse, old.inverseName, new.inverseName, affectsHash: isStored)
    compare(.toMany, old.isToMany, new.isToMany, affectsHash: isStored)
    compare(.ordered, old.isOrdered, new.isOrdered, affectsHash: isStored)
    compare(.optional, old.isOptional, new.isOptional, affectsHash: isStored)
    compare(.transient, old.isTransient, new.isTransient, affectsHash: isStored)
    compare(.minimumCount, old.minimumCount, new.minimumCount, affectsHash: isStored)
    compare(.maximumCount, old.maximumCount, new.maximumCount, affectsHash: isStored)
    compare(.deleteRule, "\(old.deleteRule)", "\(new.deleteRule)", affectsHash: false)
    compare(.versionHashModifier, old.versionHashModifier, new.versionHashModifier, affectsHash: isStored)
  }
}

extension AttributeDefinition {
  fileprivate var shownRules: String? {
    if validationRules.isEmpty { return nil }
    return validationRules.map { $0.predicate + ($0.warning.map { " (\($0))" } ?? "") }.joined(separator: "; ")
  }
}

extension AttributeDefinition.Derivation {
  fileprivate var shown: String {
    expression + (filteringPredicate.map { " where " + $0 } ?? "")
  }
}

extension StoredAttribute {
  /// The path behind the composite attribute itself, and everything about the leaf that its hash contains.
  fileprivate var shown: String {
    let attribute = attribute
    let marks = [
      attribute.isOptional ? " optional" : "", attribute.allowsExternalBinaryDataStorage ? " external" : "",
      attribute.preservesValueInHistoryOnDeletion ? " preserved" : "",
      attribute.versionHashModifier.map { " #" + $0 } ?? "",
    ]
    return "\(names.dropFirst().joined(separator: ".")): \(attribute.type)" + marks.joined()
  }
}

extension Value {
  /// The value as text, nil for null.
  fileprivate var shown: String? {
    switch self {
    case .null: nil
    case .integer(let number): String(number)
    case .boolean(let flag): flag ? "yes" : "no"
    case .double(let number): String(number)
    case .decimal(let number): "\(number)"
    case .string(let text): "\"\(text)\""
    case .date(let date): "\(date.timeIntervalSinceReferenceDate) s after 2001-01-01T00:00:00Z"
    case .data(let bytes): "\(bytes.count) bytes"
    case .uuid(let identifier): identifier.uuidString
    case .uri(let address): address.absoluteString
    case .composite(let elements): "\(elements.count) elements"
    }
  }
}
