import ObjectModel

/// The text of the struct of one composite type.
struct CompositeAccessors {
  let composite: AttributeDescription.CompositeReference
  let names: SwiftNames
  let isPublic: Bool

  /// A struct holds the value itself, so that elements which it has no property for are kept.
  var text: String {
    let access = isPublic ? "public " : ""
    let value = names.type("Value")
    let structName = names.structName(of: composite) ?? ""
    let elements = composite.elements.filter { !$0.isTransient && SwiftNames.isIdentifier($0.name) }
      .sorted { $0.name.precedesByCodePoint($1.name) }
      .map { AttributeAccessor($0, property: names.elementProperty($0.name), names: names, access: access) }
    var modules = ["ObjectModel"]
    if elements.contains(where: \.usesFoundation) { modules.insert("Foundation", at: 0) }
    let members =
      [
        """
        /// What objects hold: the elements by name.
        \(access)private(set) var compositeValue: \(value)

        /// A composite whose elements have no values.
        \(access)init() { compositeValue = .composite([:]) }

        /// A composite as objects hold it; nil without a value.
        \(access)init?(_ value: \(value)) {
          guard case .composite = value else { return nil }
          compositeValue = value
        }

        private subscript(name: \(names.type("String"))) -> \(value) {
          get { compositeValue.element(at: [name]) }
          set { compositeValue = compositeValue.settingElement(at: [name], to: newValue) }
        }
        """
      ] + elements.map(\.text)
    return """
      \(SwiftNames.header)
      \(modules.map { "\(isPublic ? "public " : "")import \($0)" }.joined(separator: "\n"))

      /// The elements of the composite type \(names.shown(composite)).
      \(access)struct \(structName): \(names.type("Hashable")), \(names.type("Sendable")) {
      \(members.map { $0.indented }.joined(separator: "\n\n"))
      }

      """
  }
}
