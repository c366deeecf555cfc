import ObjectModel

/// The Swift names of a model's entities and properties: unique, and not in the way of the language or of each other.
struct SwiftNames: Sendable {
  static let firstLine = "// Made by Seedbed from a data model. Make it again instead of changing it."

  /// Lines may be longer than a formatter allows, so it is told to leave the file alone.
  static let header = """
    \(firstLine)
    // swift-format-ignore-file

    """

  /// The first line of the files that are written once, and belong to the program from then on.
  static let firstLineOnce = "// Made once by Seedbed from a data model. Change it as you like: it is not made again."

  /// Name of the enumeration that lists the classes.
  let listName: String
  /// The names of classes by the position of the entity.
  private let classNames: [String]
  /// All names that the generated code declares, which could hide types of the same name.
  private let declared: Set<String>
  private let propertyNames: Set<String>
  private let suffixes: [String: String]
  private let elementNames: Set<String>
  /// The composite types of the model, in the order of their names.
  let composites: [AttributeDefinition.CompositeReference]
  private let structNames: [AttributeDefinition.CompositeReference: String]

  init(_ model: ManagedObjectModel, modelName: String) {
    classNames = Self.classNames(model)
    var properties: Set<String> = []
    for entity in model.entities {
      properties.formUnion(entity.definition.attributes.map(\.name))
      properties.formUnion(entity.definition.relationships.map(\.name))
    }
    propertyNames = properties
    suffixes = Self.suffixes(properties)
    var list = String(modelName.unicodeScalars.filter { $0.properties.isAlphabetic || ("0"..."9").contains($0) })
    if let first = list.first, !first.isNumber {
      list = first.uppercased() + list.dropFirst()
    } else {
      list = "Model" + list
    }
    list += "Classes"
    while classNames.contains(list) { list += "List" }
    listName = list
    composites = Self.composites(model)
    let elements = Set(composites.flatMap { $0.elements.map(\.name) })
    elementNames = elements
    structNames = Self.structNames(composites, besides: properties.union(elements).union(classNames).union([list]))
    declared = properties.union(elements).union(classNames).union(structNames.values)
  }

  // MARK: - Composites

  /// The struct of a composite type as code writes it.
  func structName(of composite: AttributeDefinition.CompositeReference) -> String? {
    structNames[composite].map(Self.escaped)
  }

  /// The struct of a composite type without the marks that escape keywords.
  func bareStructName(of composite: AttributeDefinition.CompositeReference) -> String {
    structNames[composite] ?? Self.compositeName(composite)
  }

  /// The name of a composite type for a comment.
  func shown(_ composite: AttributeDefinition.CompositeReference) -> String { Self.compositeName(composite) }

  /// The property of an element as code writes it. Names that every such struct has already get `Property` at their
  /// end.
  func elementProperty(_ name: String) -> String {
    var result = name
    while Self.structMembers.contains(result) || (result != name && elementNames.contains(result)) {
      result += "Property"
    }
    return Self.escaped(result)
  }

  /// All composite types, nested ones too. One that stands in a model with different elements is there several times.
  private static func composites(_ model: ManagedObjectModel) -> [AttributeDefinition.CompositeReference] {
    var found: [AttributeDefinition.CompositeReference] = []
    var seen: Set<AttributeDefinition.CompositeReference> = []
    func collect(_ attributes: [AttributeDefinition]) {
      for attribute in attributes.sorted(by: { $0.name.precedesByCodePoint($1.name) }) {
        guard let composite = attribute.composite, seen.insert(composite).inserted else { continue }
        found.append(composite)
        collect(composite.elements)
      }
    }
    for entity in model.entities { collect(entity.definition.attributes) }
    // Of equal names the first one that was found stays the first.
    return found.enumerated().sorted { left, right in
      left.element.name == right.element.name
        ? left.offset < right.offset : left.element.name.precedesByCodePoint(right.element.name)
    }.map(\.element)
  }

  /// The struct of each type: its name, with `Composite` and a number behind it where something else has that name.
  private static func structNames(
    _ composites: [AttributeDefinition.CompositeReference], besides others: Set<String>
  ) -> [AttributeDefinition.CompositeReference: String] {
    var used = others.union(unusableClassNames)
    var names: [AttributeDefinition.CompositeReference: String] = [:]
    for composite in composites {
      let name = compositeName(composite)
      var candidate = name
      var number = 1
      while !used.insert(candidate).inserted {
        candidate = name + "Composite" + (number == 1 ? "" : String(number))
        number += 1
      }
      names[composite] = candidate
    }
    return names
  }

  /// The type's name without its module; another word where that is no Swift name.
  private static func compositeName(_ composite: AttributeDefinition.CompositeReference) -> String {
    let last = composite.name.split(separator: ".").last.map(String.init) ?? ""
    return isIdentifier(last) ? last : "Composite"
  }

  // MARK: - Classes and properties

  /// The entity's class as code writes it.
  func className(of entity: Entity) -> String { Self.escaped(classNames[entity.index]) }

  /// The entity's class without the marks that escape keywords.
  func bareClassName(of entity: Entity) -> String { classNames[entity.index] }

  /// Another name of the entity's class, which nothing that is generated has.
  func alias(of entity: Entity) -> String {
    var alias = bareClassName(of: entity) + "Class"
    while declared.contains(alias) || alias == listName { alias += "_" }
    return alias
  }

  /// The property as code writes it. Names that objects have already get `Property` at their end.
  func property(_ name: String) -> String {
    var result = name
    while Self.members.contains(result) || (result != name && propertyNames.contains(result)) { result += "Property" }
    return Self.escaped(result)
  }

  /// The part of the name after `addTo`: the property's name with a capital, or unchanged after `_` where another
  /// property has that name.
  func suffix(_ name: String) -> String { suffixes[name] ?? Self.capitalised(name) }

  private static func capitalised(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }

  /// The suffix of each property; more `_` go before one that would be another's.
  private static func suffixes(_ properties: Set<String>) -> [String: String] {
    var used = properties.filter { capitalised($0) == $0 }
    var suffixes: [String: String] = [:]
    for name in properties.sortedByCodePoint(\.self) where capitalised(name) != name {
      var suffix = capitalised(name)
      if used.contains(suffix) { suffix = "_" + name }
      while !used.insert(suffix).inserted { suffix = "_" + suffix }
      suffixes[name] = suffix
    }
    return suffixes
  }

  /// A type of a library, with its module where the model declares the same name.
  func type(_ name: String) -> String {
    declared.contains(name) ? "\(Self.seedbedTypes.contains(name) ? "Seedbed" : "Swift").\(name)" : name
  }

  /// A type of Apple's frameworks, with its module where the model declares the same name.
  func appleType(_ name: String) -> String {
    guard declared.contains(name) else { return name }
    if ["NSManagedObject", "NSManagedObjectID", "NSFetchRequest"].contains(name) { return "CoreData." + name }
    return (name.hasPrefix("NS") || Self.foundationTypes.contains(name) ? "Foundation." : "Swift.") + name
  }

  /// The property as `@NSManaged` needs it: the model's own name, escaped where it is a keyword.
  func managedProperty(_ name: String) -> String {
    Self.unnamable.contains(name) ? "`\(name)`" : Self.escaped(name)
  }

  /// The class that the model names, without its module; the entity's own name where that is no Swift name or stands
  /// for several entities.
  private static func classNames(_ model: ManagedObjectModel) -> [String] {
    let entities = model.definitions
    var names = entities.map { entity -> String in
      statedClassName(entity).flatMap { isIdentifier($0) ? $0 : nil } ?? entity.name
    }
    // Every round turns at least one shared name into an entity's name, and those are unique.
    while true {
      var counts: [String: Int] = [:]
      for name in names { counts[name, default: 0] += 1 }
      let shared = names.indices.filter { (counts[names[$0]] ?? 0) > 1 && names[$0] != entities[$0].name }
      if shared.isEmpty { break }
      for index in shared { names[index] = entities[index].name }
    }
    // A class cannot be called like the metatype members of the language.
    return names.map { name in
      var name = name
      while unusableClassNames.contains(name) { name += "Object" }
      return name
    }
  }

  /// The class as the model names it, without its module; nil where it names none.
  static func statedClassName(_ entity: EntityDefinition) -> String? {
    entity.managedObjectClassName?.split(separator: ".").last.map(String.init)
  }

  /// Whether a text can be the name of a type, with its module, elements or parameters: `Kitchen.Box<Int>`, `[String]`.
  /// Nothing else comes from a model into code as it is.
  static func isTypeName(_ text: String) -> Bool {
    var open: [Character] = []
    let closing: [Character: Character] = ["[": "]", "<": ">"]
    for character in text {
      if let end = closing[character] {
        open.append(end)
      } else if character == "]" || character == ">" {
        guard open.popLast() == character else { return false }
      }
    }
    let parts = text.replacing(", ", with: ",").replacing(": ", with: ":").split { "[]<>.,:".contains($0) }
    let words = parts.map { String($0.hasSuffix("?") ? $0.dropLast() : $0) }
    return open.isEmpty && !words.isEmpty
      && words.allSatisfy { isIdentifier($0) && ($0 == "Any" || !keywords.contains($0)) }
  }

  static func isIdentifier(_ name: String) -> Bool {
    guard let first = name.unicodeScalars.first, first == "_" || first.properties.isAlphabetic else { return false }
    return name.unicodeScalars.allSatisfy {
      $0 == "_" || $0.properties.isAlphabetic || $0.properties.numericType == .decimal
    }
  }

  private static func escaped(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

  /// Words that cannot be a name without escaping.
  private static let keywords: Set<String> = [
    "Any", "actor", "as", "associatedtype", "await", "break", "case", "catch", "class", "continue", "default", "defer",
    "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if",
    "import", "in", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol",
    "public", "repeat", "rethrows", "return", "static", "struct", "subscript", "super", "switch", "throw", "throws",
    "true", "try", "typealias", "var", "where", "while", "_",
  ]

  /// The reserved words of the language, and the modules that qualified names begin with.
  private static let unusableClassNames: Set<String> = [
    "Any", "AnyObject", "CoreData", "Foundation", "Protocol", "Seedbed", "Self", "Swift", "Type",
    "self",
  ]

  /// Names of members that every managed object has, and names that no property can have.
  private static let members: Set<String> = unnamable.union([
    "Foundation", "Seedbed", "Swift", "awakeFromFetch", "awakeFromInsert", "changedPropertyValues",
    "changedPropertyValuesForCurrentEvent",
    "changedRelationships", "changedValues", "changedValuesForCurrentEvent",
    "committedValues", "debugDescription", "deferredRelationships", "description", "didSave", "didTurnIntoFault",
    "entity", "faultingState", "hasChanges",
    "_cVarArgEncoding", "hasPersistentChangedValues", "hashValue", "isDeleted", "isFault", "isInserted", "isUpdated",
    "managedObjectContext", "objectID", "predicateExpression", "prepareForDeletion", "validateForDelete",
    "validateForInsert", "validateForUpdate", "willSave", "willTurnIntoFault",
  ])

  /// Names that properties cannot have; escaping helps with few of them.
  private static let unnamable: Set<String> = ["Protocol", "Self", "Type", "init", "self"]

  /// Names of members of `NSManagedObject` and `NSObject`, which a property of a model takes at its own risk.
  static let appleMembers: Set<String> = [
    "changedValues", "changedValuesForCurrentEvent", "classForCoder", "copy", "debugDescription", "description",
    "entity", "faultingState", "hasChanges", "hasPersistentChangedValues", "hash", "hashValue", "init", "isDeleted",
    "isFault", "isInserted", "isProxy", "isUpdated", "managedObjectContext", "mutableCopy", "objectID",
    "observationInfo", "self", "superclass", "zone",
  ]

  /// Names of members that every struct of a composite type has, and names that no property can have.
  private static let structMembers: Set<String> = [
    "Protocol", "Self", "Type", "compositeValue", "hashValue", "init", "self",
  ]

  /// The types that accessors use and that come with `import Seedbed`; the others are the standard library's.
  private static let seedbedTypes: Set<String> = [
    "ClassListing", "Data", "Date", "Decimal", "IndexSet", "ManagedObject", "PropertyNaming", "TimeInterval", "URL",
    "UUID", "Value",
  ]
  private static let foundationTypes: Set<String> = ["Data", "Date", "TimeInterval", "URL", "UUID"]
}
