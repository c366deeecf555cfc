import Foundation
import ObjectModel
import Predicates
import StoreInterface

/// Key-value coding, with Core Data's names. A key that the entity does not have, and a value that the property cannot
/// take, are mistakes of the program and stop it, as Core Data raises exceptions.
extension ManagedObject {
  /// The value of a property. Loads what is a fault.
  ///
  /// Transformable attributes: what their transformer makes of the stored bytes; the bytes themselves where it makes
  /// nothing of them, or is not registered (see `transformedValue(for:)`). Other attributes: `String`, `Date`, `Data`,
  /// `UUID`, `URL`; numbers and booleans as `NSNumber`, decimals as `NSDecimalNumber`, so that `as? Int`, `as? Double`,
  /// `as? Bool` and `as? Decimal` work. To-one relationships: the object. To-many relationships: `Set<ManagedObject>`,
  /// `[ManagedObject]` where they are ordered. Fetched properties: `[ManagedObject]`. Nil where there is nothing. After
  /// an error of the store, which the context's next fetch or save throws, there is nothing either.
  public func value(forKey key: String) -> Any? {
    willAccessValue(forKey: key)
    defer { didAccessValue(forKey: key) }
    return primitiveValue(forKey: key)
  }

  /// Sets a property: an attribute to a value of its type or nil; a Transformable one to what its transformer takes, or
  /// to bytes, which are stored as they are; a to-one relationship to an object or nil; a to-many relationship to a set
  /// or an array of objects. Inverses follow. Nil of an attribute that the model gives a scalar type, or of a number or
  /// boolean that it requires, is what `setNilValueForKey(_:)` of a subclass says. Setting a property of the object
  /// itself in `willSave` has `willSave` called again; see `setPrimitiveValue(_:forKey:)`.
  public func setValue(_ value: Any?, forKey key: String) {
    if value == nil, runtime.hasSubclass, isScalar(key) { return setNilValueForKey(key) }
    willChangeValue(forKey: key)
    defer { didChangeValue(forKey: key) }
    setPrimitive(value, key)
  }

  /// Whether the property of a class is taken for a scalar one, which has no nil.
  private func isScalar(_ key: String) -> Bool {
    guard let attribute = attribute(at: key) else { return false }
    switch attribute.type {
    case .integer16, .integer32, .integer64, .double, .float, .boolean:
      return attribute.usesScalarValueType || !attribute.isOptional
    case .date: return attribute.usesScalarValueType
    default: return false
    }
  }

  /// The value behind a path of keys, such as `owner.name`. Through to-many relationships: the values behind each
  /// member, missing ones left out, as a set without a type, which `as? Set<String>` takes, and as an array where all
  /// of these relationships are ordered, or composites are what is behind it. A collection operator stands before the
  /// rest of the path: `lines.@sum.price`, `lines.@count`; where the rest has one, too, that is asked of each member:
  /// `orders.@max.lines.@count`.
  public func value(forKeyPath keyPath: String) -> Any? {
    if !keyPath.contains(".") { return value(forKey: keyPath) }
    if let reduced = valueOfOperator(keyPath) { return reduced.value }
    do {
      let expression = try FetchExpression(parsing: keyPath)
      let value = object(try expression.evaluate(with: self))
      guard leadsThroughSets(keyPath) || keyPath.contains("@distinctUnionOfSets"), let elements = value as? [Any] else {
        return value
      }
      var members: Set<AnyHashable> = []
      for element in elements {
        if let decimal = element as? NSDecimalNumber {
          // Outside Apple's systems, Foundation's own decimal number cannot be hashed.
          members.insert(decimal.decimalValue)
        } else if let member = element as? AnyHashable {
          members.insert(member)
        } else {
          return value
        }
      }
      return members
    } catch {
      preconditionFailure(unknownKey(keyPath) + ": \(error)")
    }
  }

  /// The result of an operator that another one follows in the path, or that adds up decimals; nil for other paths.
  private func valueOfOperator(_ keyPath: String) -> (value: Any?, isOfMembers: Bool)? {
    let parts = keyPath.keyPathComponents
    guard let first = parts.firstIndex(where: { $0.hasPrefix("@") }), first > 0,
      let collector = FetchExpression.CollectionOperator(name: parts[first])
    else { return nil }
    let path = parts[(first + 1)...]
    let addsDecimals =
      (collector == .sum || collector == .average) && attributeType(at: parts[..<first] + path) == .decimal
    guard addsDecimals || path.contains(where: { $0.hasPrefix("@") }) else { return nil }
    let members: [ManagedObject]
    switch value(forKeyPath: parts[..<first].joined(separator: ".")) {
    case let list as [ManagedObject]: members = list
    case let set as Set<ManagedObject>: members = Array(set)
    case let set as Set<AnyHashable>: members = set.compactMap { $0.base as? ManagedObject }
    default: return nil
    }
    let rest = path.joined(separator: ".")
    if addsDecimals {
      // Not as doubles, which predicates have: money has to add up.
      let decimals = members.compactMap { ($0.value(forKeyPath: rest) as? NSDecimalNumber)?.decimalValue }
      let sum = decimals.reduce(0, +)
      if collector == .sum { return (NSDecimalNumber(decimal: sum), true) }
      return (decimals.isEmpty ? nil : NSDecimalNumber(decimal: sum / Decimal(decimals.count)), true)
    }
    let values = members.map { Self.expressionValue($0.value(forKeyPath: rest)) }.filter { !$0.isMissing }
    return (object(collector.function?.apply(to: [.list(values)]) ?? .list(values)), true)
  }

  /// The type of the attribute at the end of a path; nil where it ends at none.
  private func attributeType(at path: some Sequence<String>) -> AttributeType? {
    var entity = entity
    var rest = Array(path)[...]
    while let name = rest.first, let relationship = entity.relationship(name) {
      entity = relationship.destination
      rest = rest.dropFirst()
    }
    return entity.attribute(at: Array(rest))?.type
  }

  private static func expressionValue(_ value: Any?) -> ExpressionValue {
    switch value {
    case let object as ManagedObject: .object(object.objectID)
    case let elements as [Any]: .list(elements.map { expressionValue($0) })
    case let elements as Set<AnyHashable>: .list(elements.map { expressionValue($0.base) })
    default: .value(Value(anyValue: value) ?? .null)
    }
  }

  /// Whether a path without operators goes through a to-many relationship that has no order.
  private func leadsThroughSets(_ keyPath: String) -> Bool {
    if keyPath.contains("@") { return false }
    var entity = entity
    for name in keyPath.split(separator: ".") {
      guard let relationship = entity.relationship(String(name)) else { return false }
      if relationship.isToMany && !relationship.isOrdered { return true }
      entity = relationship.destination
    }
    return false
  }

  /// Sets the property at the end of a path of keys, such as `owner.name`, of the object that the rest of the path
  /// leads to, or of each where that goes through a to-many relationship. Where it leads nowhere, nothing is set.
  public func setValue(_ value: Any?, forKeyPath keyPath: String) {
    let parts = keyPath.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, runtime.layout.relationshipIndexes[parts[0]] != nil else {
      return setValue(value, forKey: keyPath)
    }
    let objects: [ManagedObject] =
      switch self.value(forKey: parts[0]) {
      case let object as ManagedObject: [object]
      case let members as [ManagedObject]: members
      case let members as Set<ManagedObject>: Array(members)
      default: []
      }
    for object in objects { object.setValue(value, forKeyPath: parts[1]) }
  }

  /// What an expression gives, with objects for ids.
  private func object(_ value: ExpressionValue) -> Any? {
    switch value {
    case .object(let id): context?.object(with: id)
    case .list(let elements): elements.compactMap { object($0) }
    case .value(let value): value.anyValue
    }
  }

  /// The value of a property without loading it: nil of a fault. For accessors of subclasses, between `willAccessValue`
  /// and `didAccessValue`.
  public func primitiveValue(forKey key: String) -> Any? {
    checkConfinement()
    if status == .fault {
      if attribute(at: key) == nil && runtime.layout.relationshipIndexes[key] == nil && fetchedProperty(key) == nil {
        return ownValue(forKey: key)
      }
      return nil
    }
    guard let index = runtime.layout.relationshipIndexes[key] else {
      guard let attribute = attribute(at: key) else {
        if fetchedProperty(key) != nil { return fetchedMembers(of: key) }
        return ownValue(forKey: key)
      }
      return attribute.anyValue(attributeValue(key))
    }
    let relationship = runtime.layout.relationships[index]
    if !relationship.isToMany { return object(for: key) }
    let members = members(of: key)
    return relationship.isOrdered ? members : Set(members)
  }

  /// What the object says of itself under a key that the model does not have.
  private func ownValue(forKey key: String) -> Any? {
    switch key {
    case "self": self
    case "objectID": objectID
    case "entity": entity
    case "managedObjectContext": managedObjectContext
    case "isInserted": isInserted
    case "isUpdated": isUpdated
    case "isDeleted": isDeleted
    case "isFault": isFault
    case "hasChanges": hasChanges
    case "hasPersistentChangedValues": hasPersistentChangedValues
    case "faultingState": faultingState
    default: preconditionFailure(unknownKey(key))
    }
  }

  /// Sets a property for accessors of subclasses, between `willChangeValue` and `didChangeValue`. The change is noted,
  /// and inverses follow, as with `setValue(_:forKey:)`. In `willSave`, what is set of the object itself does not call
  /// `willSave` again: a time of the last change belongs there.
  public func setPrimitiveValue(_ value: Any?, forKey key: String) {
    guard let context else { return setPrimitive(value, key) }
    context.saves.settingPrimitive(of: self) { setPrimitive(value, key) }
  }

  private func setPrimitive(_ value: Any?, _ key: String) {
    guard let index = runtime.layout.relationshipIndexes[key] else {
      switch value {
      case nil, is NSNull, is Data, is NSData, is Value: break
      default: if isTransformable(key) { return setTransformable(value, key) }
      }
      guard let converted = attribute(at: key)?.value(ofAny: value) ?? Value(anyValue: value) else {
        let type = value.map { "\(Swift.type(of: $0))" } ?? "nil"
        preconditionFailure(
          "Unacceptable type of value for attribute: property = \"\(key)\" of \(entity.name); "
            + "desired type = \(attribute(at: key)?.type.name ?? "?"); given type = \(type)")
      }
      return setConverted(converted, key, given: value)
    }
    if runtime.layout.relationships[index].isToMany { return setMembers(value, key) }
    switch value {
    case nil, is NSNull: setObject(nil, for: key)
    case let object as ManagedObject: setObject(object, for: key)
    default: preconditionFailure(unacceptable(value, key, "a managed object"))
    }
  }

  private func setMembers(_ value: Any?, _ key: String) {
    let members: [ManagedObject]
    switch value {
    case nil, is NSNull: members = []
    case let objects as [ManagedObject]: members = objects
    case let objects as Set<ManagedObject>: members = Array(objects)
    default:
      let elements = (value as? NSSet)?.allObjects ?? (value as? NSOrderedSet)?.array
      // Elements that are no managed objects would be lost.
      guard let objects = elements as? [ManagedObject] else {
        preconditionFailure(unacceptable(value, key, "a set or an array of managed objects"))
      }
      members = objects
    }
    do {
      try setObjects(members, for: key)
    } catch {
      context?.deferError(error)
    }
  }

  private func unacceptable(_ value: Any?, _ key: String, _ wanted: String) -> String {
    "Unacceptable type of value for relationship: property = \"\(key)\" of \(entity.name); "
      + "desired type = \(wanted); given type = \(value.map { "\(Swift.type(of: $0))" } ?? "nil")"
  }

  /// To be called before `primitiveValue(forKey:)`: loads a fault.
  public func willAccessValue(forKey key: String?) {
    checkConfinement()
    fire()
  }

  /// To be called after `primitiveValue(forKey:)`.
  public func didAccessValue(forKey key: String?) {}

  /// To be called before `setPrimitiveValue(_:forKey:)`: loads a fault, and notes what the object was.
  public func willChangeValue(forKey key: String) {
    checkConfinement()
    fire()
    if status != .fault && !isInert { willChange() }
  }

  /// To be called after `setPrimitiveValue(_:forKey:)`.
  public func didChangeValue(forKey key: String) {}

  /// The values of some properties by name, with `NSNull` for those that have none.
  public func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
    Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }, uniquingKeysWith: { first, _ in first })
  }

  /// Sets several properties by name; `NSNull` stands for none.
  public func setValuesForKeys(_ values: [String: Any]) {
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      // As a type, which costs less than a cast.
      setValue(Swift.type(of: value) == NSNull.self ? nil : value, forKey: key)
    }
  }
}
