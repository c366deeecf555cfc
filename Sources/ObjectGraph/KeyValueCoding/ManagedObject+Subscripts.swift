public import ObjectModel
import StoreInterface

extension ManagedObject {
  /// The value of an attribute by name; nil where there is none. Setting the value that is there already changes
  /// nothing.
  ///
  /// What is set of an object that nothing is saved of any more, after its deletion or a reset, changes no other
  /// object. A `Value` of a wrong type is kept and reported by the save. The entity must have the attribute.
  ///
  /// A composite attribute has its elements by name, those that are not null, or is null. An element has a name of its
  /// own, the dotted path: `object["address.city"]`. Setting one keeps the others, and makes a composite of null.
  public subscript(name: String) -> Value? {
    get {
      let value = attributeValue(name)
      return value == .null ? nil : value
    }
    set {
      guard let newValue else { return setNothing(name) }
      setAttributeValue(newValue, name)
    }
  }

  /// `object["title"] = nil`, or `object["owner"] = nil` for a relationship.
  private func setNothing(_ name: String) {
    guard let index = runtime.layout.relationshipIndexes[name] else { return setAttributeValue(.null, name) }
    if runtime.layout.relationships[index].isToMany { return setValue(nil, forKey: name) }
    setObject(nil, for: name)
  }

  /// The value of an attribute as a Swift type: `object["title"] = "x"`, `let year: Int? = object["year"]`. Reading
  /// gives nil where there is no value or one of another type; numbers convert where they fit.
  ///
  /// Setting a value that the attribute cannot take, such as text for a number, is a mistake of the program and stops
  /// it with the names of the attribute and the types, as Core Data raises an exception.
  public subscript<Element: AttributeConvertible>(name: String) -> Element? {
    get { Element(attributeValue: attributeValue(name)) }
    set { setConverted(newValue?.attributeValue ?? .null, name, given: newValue) }
  }

  /// Sets what the attribute can take, and stops at anything else.
  func setConverted(_ value: Value, _ name: String, given: Any?) {
    guard let attribute = attribute(at: name) else { preconditionFailure(unknownKey(name)) }
    guard let converted = attribute.converted(value) else {
      let type = given.map { "\(Swift.type(of: $0))" } ?? "nil"
      preconditionFailure(
        "Unacceptable type of value for attribute: property = \"\(name)\" of \(entity.name); "
          + "desired type = \(attribute.type.name); given type = \(type); value = \(value)")
    }
    setAttributeValue(converted, name)
  }

  /// The attribute of a name, or the element of a composite at a dotted path.
  func attribute(at name: String) -> AttributeDefinition? {
    if let index = runtime.layout.attributeIndexes[name] { return runtime.layout.attributes[index] }
    let path = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard let first = path.first, let index = runtime.layout.attributeIndexes[first] else { return nil }
    return runtime.layout.attributes[index].element(at: path.dropFirst())
  }
}
