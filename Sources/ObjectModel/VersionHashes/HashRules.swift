import Crypto
import Foundation

/// The inputs of the hash of an entity and of each kind of property, in their order.
///
/// Class names, default values, validation, deletion rules, indexes, user info, renaming identifiers, fetch requests
/// and configurations enter nowhere.
struct HashRules {
  /// The rules used that nothing made by Apple's tools has confirmed, in the order of first use.
  private(set) var unconfirmed: [String] = []

  mutating func entity(
    _ own: EntityDefinition, _ resolved: ResolvedModel.ResolvedEntity, parentHash: Data?
  ) -> Data {
    var properties: [(name: String, hash: Data)] = resolved.storedAttributes.map { ($0.name, attribute($0)) }
    for relationship in resolved.relationships where !relationship.definition.isTransient {
      properties.append((relationship.definition.name, hash(of: relationship)))
    }
    noteLetters(of: own.name)
    var input = Data(own.name.utf8)
    input.append(own.isAbstract ? 1 : 0)
    if let parentHash { input.append(parentHash) }
    for property in properties.sortedByCodePoint(\.name) { input.append(property.hash) }
    if let modifier = own.versionHashModifier { input.append(contentsOf: modifier.utf8) }
    let constraints = own.uniquenessConstraints.map { $0.joined(separator: ".") }.sortedByCodePoint { $0 }
    for constraint in constraints { input.append(contentsOf: constraint.utf8) }
    return Self.sha256(input)
  }

  /// The hash with which an attribute enters that of its entity.
  static func hash(of attribute: AttributeDefinition) -> Data {
    var rules = HashRules()
    return rules.attribute(attribute)
  }

  mutating func attribute(_ attribute: AttributeDefinition) -> Data {
    if let derivation = attribute.derivation { return derived(attribute, derivation) }
    if attribute.composite != nil { return composite(attribute) }
    if attribute.type == .undefined { note("\(attribute.name): a stored attribute of type Undefined") }
    var input = property(attribute.name, attribute.isOptional, attribute.isTransient, attribute.versionHashModifier)
    input.appendLittleEndian(attribute.type.rawValue)
    if attribute.allowsExternalBinaryDataStorage { input.append(1) }
    if attribute.preservesValueInHistoryOnDeletion { input.append(1) }
    return Self.sha256(input)
  }

  /// Only the hashes of the leaves enter, nested composites taken apart, in the order of the leaves' own names. The
  /// composite's name, optional flag and modifier do not, so one without leaves has the hash of nothing.
  private mutating func composite(_ attribute: AttributeDefinition) -> Data {
    let leaves = StoredAttribute.leaves(of: attribute).map {
      (name: $0.attribute.name, hash: self.attribute($0.attribute))
    }
    let sorted = leaves.sortedByCodePoint(\.name)
    for (former, next) in zip(sorted, sorted.dropFirst()) where former.name == next.name && former.hash != next.hash {
      note("\(attribute.name): the order of the composite's elements named \(next.name)")
    }
    return Self.sha256(sorted.reduce(into: Data()) { $0.append($1.hash) })
  }

  /// Only the expression enters; the name and the type of a derived attribute do not.
  private mutating func derived(
    _ attribute: AttributeDefinition, _ derivation: AttributeDefinition.Derivation
  ) -> Data {
    let expression = DerivationExpression(derivation.expression)
    if !expression.isConfirmed {
      note("\(attribute.name): the text of the derivation expression \(expression.predicateFormat)")
    }
    var input = Data(expression.predicateFormat.utf8)
    if let predicate = derivation.filteringPredicate {
      note("\(attribute.name): the text of the filtering predicate of a derived attribute")
      input.append(contentsOf: predicate.utf8)
    }
    return Self.sha256(input)
  }

  /// The hash with which a relationship enters that of its entity.
  static func hash(of relationship: ResolvedModel.ResolvedRelationship) -> Data {
    var rules = HashRules()
    return rules.hash(of: relationship)
  }

  private mutating func hash(of relationship: ResolvedModel.ResolvedRelationship) -> Data {
    let definition = relationship.definition
    var input = property(
      definition.name, definition.isOptional, definition.isTransient, definition.versionHashModifier)
    input.append(contentsOf: definition.destinationEntityName.utf8)
    let isOwnInverse =
      definition.inverseName == definition.name && relationship.destination == relationship.declaringEntity
    if let inverse = definition.inverseName, !isOwnInverse { input.append(contentsOf: inverse.utf8) }
    input.appendLittleEndian(Int32(clamping: definition.maximumCount))
    input.appendLittleEndian(Int32(clamping: definition.minimumCount))
    if definition.isOrdered { input.appendLittleEndian(UInt16(1)) }
    return Self.sha256(input)
  }

  /// The part that attributes and relationships share. Flags: 1 optional, 2 transient. (4, read-only, belongs to
  /// derived attributes and fetched properties, whose hashes do not contain this part.)
  private mutating func property(
    _ name: String, _ isOptional: Bool, _ isTransient: Bool, _ versionHashModifier: String?
  ) -> Data {
    noteLetters(of: name)
    var input = Data(name.utf8)
    input.appendLittleEndian(UInt16(isOptional ? 1 : 0) | (isTransient ? 2 : 0))
    if let versionHashModifier { input.append(contentsOf: versionHashModifier.utf8) }
    return Self.sha256(input)
  }

  private mutating func noteLetters(of name: String) {
    if !name.utf8.allSatisfy({ $0 < 0x80 }) { note("\(name): a name with letters outside ASCII") }
  }

  private mutating func note(_ reason: String) {
    if !unconfirmed.contains(reason) { unconfirmed.append(reason) }
  }

  private static func sha256(_ input: Data) -> Data { Data(SHA256.hash(data: input)) }
}

extension Data {
  fileprivate mutating func appendLittleEndian(_ value: some FixedWidthInteger) {
    var rest = value
    for _ in 0..<(value.bitWidth / 8) {
      append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }
}
