import Foundation
import ObjectModel
import PropertyLists

extension CompiledModelEncoder {
  // MARK: - Attributes

  mutating func describe(
    _ attribute: AttributeDefinition, at reference: Reference, entity: String, isIndexed: Bool
  ) {
    let limits = validation(of: attribute)
    var fields = common(
      attribute.name, entity: entity,
      flags: PropertyFlags(
        isOptional: attribute.isOptional, isReadOnly: attribute.derivation != nil, isTransient: attribute.isTransient,
        hasValidation: !limits.isEmpty),
      renamingIdentifier: attribute.renamingIdentifier, modifier: attribute.versionHashModifier,
      userInfo: attribute.userInfo)
    fields += [
      ("NSAttributeType", .plain(.integer(Int64(attribute.type.rawValue)))),
      // Xcode's compiler leaves the class of transformable values out.
      ("NSAttributeValueClassName", text(attribute.type.usualClassName)),
      ("NSDefaultValue", .object(attribute.defaultValue == .null ? .null : archived(attribute.defaultValue))),
      ("NSValueTransformerName", text(attribute.valueTransformerName)),
      ("NSFlagsKey", .plain(.integer(Int64(attribute.archivedFlags)))),
    ]
    if isIndexed { fields.append(("NSIsIndexed", .plain(.boolean(true)))) }
    if !limits.isEmpty {
      fields.append(("NSValidationPredicates", .object(collection(.array, limits.map(\.predicate)))))
      let warnings = limits.map { archive.add(plain: .integer(Int64($0.code))) }
      fields.append(("NSValidationWarnings", .object(collection(.array, warnings))))
    }
    var kind = ArchiveClass.attribute
    if let derivation = attribute.derivation {
      kind = .derivedAttribute
      fields += archived(derivation, of: attribute.name, entity)
    } else if let composite = attribute.composite {
      kind = .compositeAttribute
      let elements = composite.elements.map { element in
        let place = archive.reserve()
        describe(element, at: place, entity: entity, isIndexed: false)
        return place
      }
      fields.append(("NSElements", .object(collection(.array, elements))))
    }
    archive.describe(reference, as: kind, fields)
  }

  private mutating func archived(
    _ derivation: AttributeDefinition.Derivation, of attribute: String, _ entity: String
  ) -> Fields {
    var fields: Fields = []
    if let expression = expressions.expression(derivation.expression, in: &archive) {
      fields.append(("NSDerivationExpression", .object(expression)))
    } else {
      fail(entity, attribute, "the derivation has no archived form: \(derivation.expression)")
    }
    var filter = Reference.null
    if let condition = derivation.filteringPredicate {
      if let predicate = expressions.predicate(condition, in: &archive) {
        filter = predicate
      } else {
        fail(entity, attribute, "the filtering predicate has no archived form: \(condition)")
      }
    }
    fields.append(("NSFilteringPredicate", .object(filter)))
    return fields
  }

  private mutating func archived(_ value: Value) -> Reference {
    switch value {
    case .null: .null
    case .integer(let number): archive.add(plain: .integer(number))
    case .boolean(let flag): archive.add(plain: .boolean(flag))
    case .double(let number): archive.add(plain: .real(number))
    case .decimal(let decimal): archive.add(decimal: decimal, as: .decimalNumberPlaceholder)
    case .string(let text): archive.add(string: text)
    case .date(let date): archive.add(date: date)
    case .data(let data): archive.add(plain: .data(data))
    case .uuid(let uuid): archive.add(uuid: uuid)
    case .uri(let url): archive.add(url: url.relativeString)
    case .composite: .null
    }
  }

  /// A limit as the predicate that a valid value meets, and the number of the error when it does not.
  private struct Limit {
    var predicate: Reference
    var code: Int
  }

  private mutating func validation(of attribute: AttributeDefinition) -> [Limit] {
    let codes = ValidationCodes(attribute.type)
    let isText = attribute.type == .string
    var limits: [Limit] = []
    for (bound, comparison, code) in [
      (attribute.minimumValue, ArchivedComparison.Operation.greaterOrEqual, codes.below),
      (attribute.maximumValue, .lessOrEqual, codes.above),
    ] where bound != .null {
      let left = isText ? expressions.keyPath(["length"], in: &archive) : expressions.selfObject(in: &archive)
      let right = expressions.constant(archived(bound), in: &archive)
      limits.append(
        Limit(predicate: expressions.comparison(left, comparison, right, in: &archive), code: code))
    }
    if let pattern = attribute.regularExpression {
      let right = expressions.constant(archive.add(string: pattern), in: &archive)
      let left = expressions.selfObject(in: &archive)
      limits.append(
        Limit(
          predicate: expressions.comparison(left, .matches, right, in: &archive),
          code: CoreDataErrorCode.validationStringPatternMatching))
    }
    return limits
  }

  // MARK: - Relationships and fetched properties

  mutating func describe(_ relationship: RelationshipDefinition, at reference: Reference, entity: String) {
    var fields = common(
      relationship.name, entity: entity,
      flags: PropertyFlags(
        isOptional: relationship.isOptional, isTransient: relationship.isTransient, isOrdered: relationship.isOrdered),
      renamingIdentifier: relationship.renamingIdentifier, modifier: relationship.versionHashModifier,
      userInfo: relationship.userInfo)
    let destination = relationship.destinationEntityName
    let inverse = relationship.inverseName
    fields += [
      ("NSDestinationEntity", .object(entities[destination] ?? .null)), ("_NSDestinationEntityName", text(destination)),
      ("NSInverseRelationship", .object(inverse.flatMap { property($0, of: destination) } ?? .null)),
      ("_NSInverseRelationshipName", text(inverse)),
      ("NSMinCount", .plain(.integer(Int64(relationship.minimumCount)))),
      ("NSMaxCount", .plain(.integer(Int64(relationship.maximumCount)))),
      ("NSDeleteRule", .plain(.integer(Int64(relationship.deleteRule.rawValue)))),
    ]
    if relationship.isOrdered { fields.append(("NSIsOrdered", .plain(.boolean(true)))) }
    archive.describe(reference, as: .relationship, fields)
  }

  /// Nil when its predicate has no archived form.
  mutating func archived(_ property: FetchedPropertyDefinition, entity: String) -> Reference? {
    guard let request = fetchRequest(property.fetchRequest) else { return nil }
    var fields = common(
      property.name, entity: entity, flags: PropertyFlags(isOptional: true, isReadOnly: true, isTransient: true),
      renamingIdentifier: nil, modifier: nil, userInfo: property.userInfo)
    fields += [
      ("NSFetchRequest", .object(request)), ("_NSFetchRequestEntityName", text(property.fetchRequest.entityName)),
    ]
    return archive.add(.fetchedProperty, fields)
  }

  /// Nil when the predicate has no archived form.
  mutating func fetchRequest(_ request: FetchRequestTemplate) -> Reference? {
    var predicate = Reference.null
    if let format = request.predicate {
      guard let archived = expressions.predicate(format, in: &archive) else { return nil }
      predicate = archived
    }
    let flags =
      (request.returnsDistinctResults ? 1 : 0) | (request.includesSubentities ? 2 : 0)
      | (request.includesPropertyValues ? 4 : 0) | (request.returnsObjectsAsFaults ? 8 : 0)
      | (request.includesPendingChanges ? 16 : 0)
    return archive.add(
      .fetchRequest,
      [
        ("NSEntity", .object(entities[request.entityName] ?? .null)), ("NSPredicate", .object(predicate)),
        ("NSSortDescriptors", .object(.null)), ("NSValuesToFetch", .object(.null)),
        ("NSValuesToGroupBy", .object(.null)), ("NSHavingPredicate", .object(.null)),
        ("NSRelationshipKeyPathsForPrefetching", .object(.null)),
        ("NSFetchLimit", .plain(.integer(Int64(request.fetchLimit)))), ("NSFetchOffset", .plain(.integer(0))),
        ("NSBatchSize", .plain(.integer(Int64(request.fetchBatchSize)))),
        ("NSResultType", .plain(.integer(Int64(request.resultType)))), ("NSAllocationType", .plain(.integer(0))),
        ("NSHasFetchRequestFlags", .plain(.boolean(true))), ("NSFetchRequestFlags", .plain(.integer(Int64(flags)))),
      ])
  }

  // MARK: - What all properties have

  /// What the bits of `_P` say.
  private struct PropertyFlags {
    var isOptional = false
    var isReadOnly = false
    var isTransient = false
    var isOrdered = false
    var hasValidation = false
  }

  private mutating func common(
    _ name: String, entity: String, flags: PropertyFlags, renamingIdentifier: String?, modifier: String?,
    userInfo entries: [String: String]
  ) -> Fields {
    let bits: [(Int64, Bool)] = [
      (1, true), (2, flags.isOptional), (4, flags.isReadOnly), (8, flags.isTransient), (16, !flags.hasValidation),
      (32, !flags.hasValidation), (64, entries.isEmpty), (128, modifier == nil), (1024, flags.isOrdered),
    ]
    var fields: Fields = [
      ("NSPropertyName", text(name)), ("NSEntity", .object(entities[entity] ?? .null)),
      ("NSRenamingIdentifier", text(renamingIdentifier ?? name)),
      ("_P", .plain(.integer(bits.filter(\.1).reduce(0) { $0 | $1.0 }))),
    ]
    if flags.isOptional { fields.append(("NSIsOptional", .plain(.boolean(true)))) }
    if flags.isReadOnly { fields.append(("NSIsReadOnly", .plain(.boolean(true)))) }
    if flags.isTransient { fields.append(("NSIsTransient", .plain(.boolean(true)))) }
    if let modifier { fields.append(("NSVersionHashModifier", text(modifier))) }
    if !entries.isEmpty { fields.append(("NSUserInfo", .object(userInfo(entries)))) }
    return fields
  }
}

extension AttributeDefinition {
  /// 4: values may stand in files of their own; 16: history keeps the value of a deleted object.
  fileprivate var archivedFlags: Int {
    (allowsExternalBinaryDataStorage ? 4 : 0) | (preservesValueInHistoryOnDeletion ? 16 : 0)
  }
}
