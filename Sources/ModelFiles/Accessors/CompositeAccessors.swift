import ObjectModel

/// The text of the struct of one composite type.
struct CompositeAccessors {
  let composite: AttributeDefinition.CompositeReference
  let names: SwiftNames
  let isPublic: Bool

  /// A struct holds the value itself, so that elements which it has no property for are kept.
  var text: String {
    let access = isPublic ? "public " : ""
    let value = names.type("Value")
    let structName = names.structName(of: composite) ?? ""
    let attributes = composite.elements.filter { !$0.isTransient && SwiftNames.isIdentifier($0.name) }
      .sorted { $0.name.precedesByCodePoint($1.name) }
    let elements = attributes.map {
      AttributeAccessor($0, property: names.elementProperty($0.name), names: names, access: access, isElement: true)
    }
    let members =
      [
        """
        /// What objects hold: the elements by name.
        \(access)private(set) var compositeValue: \(value)

        /// A composite whose elements have no values.
        \(access)init() { compositeValue = .composite([:]) }

        /// A composite as objects hold it; nil without a value.
        \(access)init?(_ value: \(value)?) {
          guard let value, case .composite = value else { return nil }
          compositeValue = value
        }

        private subscript(name: \(names.type("String"))) -> \(value)? {
          get {
            let value = compositeValue.element(at: [name])
            return value == .null ? nil : value
          }
          set { compositeValue = compositeValue.settingElement(at: [name], to: newValue ?? .null) }
        }
        """
      ] + (elements.isEmpty ? [] : [initializer(of: elements, access)]) + elements.map(\.text)
      + [naming(of: attributes, structName, access)]
    return """
      \(SwiftNames.header)
      \(access)import Seedbed

      /// The elements of the composite type \(names.shown(composite)).
      \(access)struct \(structName): \(names.type("Hashable")), \(names.type("Sendable")), \(names.type("PropertyNaming")) {
      \(members.map { $0.indented }.joined(separator: "\n\n"))
      }

      """
  }

  /// Elements that are not given have no values.
  private func initializer(of elements: [AttributeAccessor], _ access: String) -> String {
    let parameters = elements.map { "  \($0.property): \($0.optionalType) = nil" }.joined(separator: ",\n")
    let settings = elements.map { "  if let \($0.property) { self.\($0.property) = \($0.property) }" }
    return """
      /// A composite of these elements; those that are nil have no values.
      \(access)init(
      \(parameters)
      ) {
        compositeValue = .composite([:])
      \(settings.joined(separator: "\n"))
      }
      """
  }

  private func naming(of attributes: [AttributeDefinition], _ structName: String, _ access: String) -> String {
    let cases = attributes.map { "  case \\\(structName).\(names.elementProperty($0.name)): \"\($0.name)\"" }
    return """
      /// The element that a key path of this struct stands for, so that `#Predicate` can speak of it.
      \(access)static func propertyName(for keyPath: \(names.type("AnyKeyPath"))) -> \(names.type("String"))? {
        switch keyPath {
      \((cases + ["  default: nil"]).joined(separator: "\n"))
        }
      }
      """
  }
}
