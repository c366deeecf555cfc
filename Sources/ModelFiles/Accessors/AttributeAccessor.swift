import ObjectModel

/// The text of the accessor of one attribute, in the class of an entity or in the struct of a composite type. Both have
/// a subscript that takes the attribute's name.
struct AttributeAccessor {
  let text: String
  /// The accessor's name, as code writes it.
  let property: String
  /// The accessor's type, made optional where it is not.
  let optionalType: String

  /// - Parameters:
  ///   - property: the accessor's name, as code writes it.
  ///   - access: `public ` or nothing.
  ///   - isElement: whether it stands in the struct of a composite, which has no transformers.
  init(_ attribute: AttributeDefinition, property: String, names: SwiftNames, access: String, isElement: Bool = false) {
    let isReadOnly = attribute.derivation != nil
    let kind: String
    let type: String
    let reading: String
    let stored: String
    let held = "self[\"\(attribute.name)\"]"
    if let composite = attribute.composite, let structName = names.structName(of: composite) {
      kind = "Composite \(names.shown(composite))" + (attribute.isOptional ? "" : ", required")
      type = attribute.isOptional ? "\(structName)?" : structName
      reading = "\(structName)(\(held))" + (attribute.isOptional ? "" : " ?? \(structName)()")
      stored = attribute.isOptional ? "newValue?.compositeValue ?? .null" : "newValue.compositeValue"
    } else if attribute.type == .transformable, !isElement {
      kind = attribute.type.name + (attribute.isOptional ? "" : ", required")
      let value = TransformableShape.type(attribute.attributeValueClassName, names: names)
      type = value + "?"
      reading = "value(forKey: \"\(attribute.name)\")" + (value == "Any" ? "" : " as? \(value)")
      stored = ""
    } else if let shape = AttributeShape(attribute.type, usesScalar: attribute.usesScalarValueType, names: names) {
      let isScalar = attribute.usesScalarValueType && attribute.type.hasScalar
      let name = attribute.type.name
      let missing: String
      if let zero = shape.zero, isScalar || !attribute.isOptional {
        kind = attribute.isOptional ? "\(name), \(zero) without a value" : "\(name), required"
        type = names.type(shape.type)
        missing = zero
        stored = ".\(shape.valueCase)(\(shape.write?("newValue") ?? "newValue"))"
      } else {
        kind = attribute.isOptional ? name : "\(name), required"
        type = names.type(shape.type) + "?"
        missing = "nil"
        let value = names.type("Value")
        stored = "newValue.map { \(value).\(shape.valueCase)(\(shape.write?("$0") ?? "$0")) } ?? .null"
      }
      reading =
        "if case .\(shape.valueCase)(let value) = \(held) { \(shape.read?("value") ?? "value") } else { \(missing) }"
    } else {
      kind = attribute.type.name
      type = names.type("Value") + "?"
      reading = held
      stored = "newValue"
    }
    self.property = property
    optionalType = type.hasSuffix("?") ? type : type + "?"
    let setting =
      stored.isEmpty ? "setValue(newValue, forKey: \"\(attribute.name)\")" : "\(held) = \(stored)"
    let extra = (attribute.isTransient ? ", not stored" : "") + (isReadOnly ? ", derived" : "")
    text = """
      /// \(kind)\(extra).
      \(access)var \(property): \(type) {
      \(isReadOnly ? "  \(reading)" : "  get { \(reading) }\n  set { \(setting) }")
      }
      """
  }
}

/// The Swift types of the values of Transformable attributes.
enum TransformableShape {
  /// Whether the type of a stated class is one of the library or of Foundation, or holds such.
  static func isOfLibrary(_ stated: String?, names: SwiftNames) -> Bool {
    let words = type(stated, names: names).split { !$0.isLetter }
    return words.contains { ["Date", "URL", "UUID"].contains($0) }
  }

  /// - Parameter stated: the class that the model names, Foundation's or, as models of Swift do, `Array<String>`.
  static func type(_ stated: String?, names: SwiftNames) -> String {
    let string = names.type("String")
    switch stated {
    case "NSArray", "NSMutableArray": return "[Any]"
    case "NSDictionary", "NSMutableDictionary": return "[\(string): Any]"
    case "NSSet", "NSMutableSet": return "\(names.type("Set"))<\(names.type("AnyHashable"))>"
    case "NSString", "NSMutableString": return string
    case "NSDate": return names.type("Date")
    case "NSURL": return names.type("URL")
    case "NSUUID": return names.type("UUID")
    default: break
    }
    for element in ["String", "Int", "Double", "Bool", "Date", "UUID", "URL"] {
      if stated == "Array<\(element)>" || stated == "[\(element)]" { return "[\(names.type(element))]" }
      if stated == "Set<\(element)>" { return "\(names.type("Set"))<\(names.type(element))>" }
    }
    return "Any"
  }
}

extension AttributeType {
  /// Whether values may be held in a scalar type.
  fileprivate var hasScalar: Bool {
    switch self {
    case .integer16, .integer32, .integer64, .boolean, .double, .float, .date: true
    default: false
    }
  }
}
