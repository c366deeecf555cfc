import Foundation
import ObjectModel

extension ManagedObject {
  /// The value of a Transformable attribute, which its transformer makes of the stored bytes each time; nil where there is none.
  /// `value(forKey:)` gives the same, but the bytes where this throws.
  /// - Throws: `AttributeTransformError` when the transformer is not registered; what it throws.
  public func transformedValue(for name: String) throws -> Any? {
    guard case .data(let bytes) = attributeValue(name) else { return nil }
    let attribute = transformable(name)
    return try said(of: attribute) { () throws -> Any in
      try AttributeTransformers.transformer(of: attribute).value(from: bytes)
    }
  }

  /// Sets a Transformable attribute to the bytes that its transformer makes of a value; nil sets none. Bytes that are there
  /// already change nothing.
  /// - Throws: `AttributeTransformError` when the transformer is not registered or takes no such values; what it throws.
  public func setTransformedValue(_ value: Any?, for name: String) throws {
    let attribute = transformable(name)
    guard let value else { return setAttributeValue(.null, name) }
    let bytes = try said(of: attribute) { try AttributeTransformers.transformer(of: attribute).data(fromAny: value) }
    setAttributeValue(.data(bytes), name)
  }

  /// The value of a Transformable attribute as an array, a set or a dictionary: `let tags: [String]? = object["tags"]`. Nil
  /// where there is none, or another value. Setting one that the attribute cannot take is a mistake of the program.
  public subscript<Element: TransformedCollection>(name: String) -> Element? {
    get { (try? transformedValue(for: name)).flatMap { $0 as? Element } }
    set { setTransformable(newValue, name) }
  }

  /// For key-value coding: bytes are the stored ones, and everything else is transformed.
  func setTransformable(_ value: Any?, _ name: String) {
    do {
      try setTransformedValue(value, for: name)
    } catch {
      preconditionFailure("Unacceptable type of value for attribute of \(entity.name): \(error)")
    }
  }

  /// Whether key-value coding goes through a transformer.
  func isTransformable(_ name: String) -> Bool { attribute(at: name)?.type == .transformable }

  private func transformable(_ name: String) -> AttributeDescription {
    guard let attribute = attribute(at: name) else { preconditionFailure(unknownKey(name)) }
    precondition(attribute.type == .transformable, "\(entity.name).\(name) is no Transformable attribute")
    return attribute
  }

  private func said<Result>(of attribute: AttributeDescription, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as AttributeTransformError where error.attribute.isEmpty {
      throw AttributeTransformError(attribute: attribute.name, error.message)
    }
  }
}

/// An array, a set or a dictionary, which only Transformable attributes hold.
public protocol TransformedCollection {}
extension Array: TransformedCollection {}
extension Set: TransformedCollection {}
extension Dictionary: TransformedCollection {}
