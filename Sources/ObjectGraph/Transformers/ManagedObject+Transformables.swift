import Foundation
import ObjectModel
import StoreInterface

extension ManagedObject {
  /// The value of a Transformable attribute, which its transformer makes of the stored bytes each time; nil where there
  /// is none. `value(forKey:)` gives the same, but the bytes where this throws.
  /// - Throws: `AttributeTransformError` when the transformer is not registered; what it throws.
  public func transformedValue(for name: String) throws -> Any? {
    guard case .data(let bytes) = attributeValue(name) else { return nil }
    let attribute = transformable(name)
    return try naming(attribute) { () throws -> Any in
      try AttributeTransformers.transformer(of: attribute).value(from: bytes)
    }
  }

  /// Sets a Transformable attribute to the bytes that its transformer makes of a value; nil sets none. Bytes that are
  /// there already change nothing.
  /// - Throws: `AttributeTransformError` when the transformer is not registered or takes no such values; what it
  ///   throws.
  public func setTransformedValue(_ value: Any?, for name: String) throws {
    let attribute = transformable(name)
    guard let value else { return setAttributeValue(.null, name) }
    let bytes = try naming(attribute) { try AttributeTransformers.transformer(of: attribute).data(fromAny: value) }
    setAttributeValue(.data(bytes), name)
  }

  /// The value of a Transformable attribute as an array, a set or a dictionary: `let tags: [String]? = object["tags"]`,
  /// the members of a to-many relationship: `let stops: [Stop]? = object["stops"]`, or the elements of a composite:
  /// `let address: [String: Any]? = object["address"]`.
  /// Nil where there is none, or another value. Setting one that the property cannot take is a mistake of the program.
  public subscript<Element: TransformedCollection>(name: String) -> Element? {
    get {
      if isPlainCollection(name) { return value(forKey: name) as? Element }
      return (try? transformedValue(for: name)).flatMap { $0 as? Element }
    }
    set {
      if isPlainCollection(name) { return setValue(newValue, forKey: name) }
      setTransformable(newValue, name)
    }
  }

  /// Whether key-value coding has a collection of a property that no transformer makes.
  private func isPlainCollection(_ name: String) -> Bool {
    runtime.layout.relationshipIndexes[name] != nil || attribute(at: name)?.type == .composite
  }

  /// As `setTransformedValue(_:for:)`; stops the program where that throws.
  func setTransformable(_ value: Any?, _ name: String) {
    do {
      try setTransformedValue(value, for: name)
    } catch {
      preconditionFailure("Unacceptable type of value for attribute of \(entity.name): \(error)")
    }
  }

  /// Whether key-value coding goes through a transformer.
  func isTransformable(_ name: String) -> Bool { attribute(at: name)?.type == .transformable }

  private func transformable(_ name: String) -> AttributeDefinition {
    guard let attribute = attribute(at: name) else { preconditionFailure(unknownKey(name)) }
    precondition(attribute.type == .transformable, "\(entity.name).\(name) is no Transformable attribute")
    return attribute
  }

  /// Runs the body; an error of a transformer gets the name of the attribute.
  private func naming<Result>(_ attribute: AttributeDefinition, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as AttributeTransformError where error.attribute.isEmpty {
      throw AttributeTransformError(attribute: attribute.name, error.message)
    }
  }
}

extension AttributeDefinition {
  /// What key-value coding gives for a value: what the transformer makes of a Transformable attribute's bytes, those
  /// among the elements of a composite included; the bytes where it makes nothing of them.
  func anyValue(_ value: Value) -> Any? {
    switch value {
    case .data(let bytes) where type == .transformable:
      let transformed: Any? = try? AttributeTransformers.transformer(of: self).value(from: bytes)
      // Bytes are always the stored ones, as they are when they are set.
      guard let transformed, !(transformed is Data) else { return bytes }
      return transformed
    case .composite(let values):
      return values.reduce(into: [String: Any]()) { result, entry in
        result[entry.key] = element(at: [entry.key])?.anyValue(entry.value) ?? entry.value.anyValue
      }
    default: return value.anyValue
    }
  }

  /// The value that key-value coding is given for a composite, with the bytes of what its Transformable elements get;
  /// nil for other attributes, and for what an element cannot take.
  func value(ofAny value: Any?) -> Value? {
    guard composite != nil, let given = value as? [String: Any?] else { return nil }
    var values: [String: Value] = [:]
    for (name, value) in given {
      guard let converted = element(at: [name])?.elementValue(ofAny: value) ?? Value(anyValue: value) else {
        return nil
      }
      values[name] = converted
    }
    return .composite(values)
  }

  /// The bytes that the transformer of a Transformable attribute makes of a value; nil for other attributes, and for
  /// what is stored as it is: bytes, and no value.
  /// - Throws: `AttributeTransformError` where there is no transformer; what that throws.
  func transformedBytes(_ given: Any) throws -> Data? {
    if type != .transformable || given is NSNull || given is Data || given is NSData || given is Value { return nil }
    return try AttributeTransformers.transformer(of: self).data(fromAny: given)
  }

  private func elementValue(ofAny given: Any?) -> Value? {
    guard let given, !(given is NSNull), !(given is Data), !(given is NSData), !(given is Value) else { return nil }
    if type != .transformable { return value(ofAny: given) }
    return (try? transformedBytes(given)).map(Value.data)
  }
}

/// An array, a set or a dictionary as the value of a property.
public protocol TransformedCollection {}
extension Array: TransformedCollection {}
extension Set: TransformedCollection {}
extension Dictionary: TransformedCollection {}
