/// Names for entities and properties that Core Data and Swift take, each once.
struct ModelNames {
  /// Names that `NSObject`, `NSManagedObject` or Swift have themselves.
  private static let reservedProperties: Set<String> = [
    "description", "debugdescription", "hash", "hashvalue", "self", "super", "superclass", "class", "init", "zone",
    "objectid", "managedobjectcontext", "entity", "isinserted", "isupdated", "isdeleted", "isfault", "deleted",
    "inserted", "updated", "fault", "haschanges", "haspersistentchangedvalues", "changedvalues", "context", "isproxy",
    "copy", "mutablecopy", "type", "protocol", "faultingstate", "observationinfo", "objectwillchange", "version",
    "isequal", "value", "validate", "retain", "release", "autorelease", "dealloc", "load", "initialize", "new",
    "prepare", "awakefromfetch", "awakefrominsert", "willsave", "didsave", "entityname", "fetchrequest", "some",
    "any", "in", "is", "as", "let", "var", "func", "if", "else", "for", "while", "do", "try", "throw", "throws", "case",
    "default", "switch", "return", "true", "false", "nil", "import", "public", "private", "internal", "static",
    "struct", "enum", "extension", "operator", "repeat", "where", "guard", "defer", "break", "continue", "catch",
    "rethrows", "inout", "associatedtype", "typealias", "subscript", "fileprivate", "open",
  ]
  /// Types of Swift, Foundation and SwiftUI that a class of the same name would hide.
  private static let reservedEntities: Set<String> = [
    "Any", "AnyObject", "Actor", "Array", "AttributedString", "Binding", "Bool", "Bundle", "Button", "Calendar",
    "Character", "Class", "Collection", "Color", "Data", "Date", "DateInterval", "Decimal", "Dictionary", "Dimension",
    "Double",
    "Entity", "Error", "Expression", "FileManager", "Float", "Font", "Form", "Group", "Host", "Identifiable", "Image",
    "Index", "IndexSet", "Int",
    "Label", "Layout", "Link", "List", "Locale", "Mapping", "Measurement", "Menu", "Never", "Notification", "Number",
    "Object",
    "Operation", "Optional", "Path", "Picker", "Port", "Predicate", "Process", "Progress", "Protocol", "Query", "Range",
    "Result", "Scanner", "Scene",
    "Section", "Selector", "Self", "Sequence", "Set", "Slider", "State", "Stepper", "Stream", "String", "Table", "Tag",
    "Task", "Text",
    "Thread", "TimeZone", "Timer", "Toggle", "Type", "UUID", "Uuid", "Url", "URL", "Unit", "View", "Void", "Window",
  ]

  private var entities: Set<String> = []
  private var properties: [String: Set<String>] = [:]

  /// A name for the entity whose objects come from a file, or stand under a key: singular, in camel case.
  /// - Parameter owner: put in front where the name alone is taken.
  mutating func entity(_ text: String, owner: String? = nil) -> String {
    var words = NameWords.words(text)
    while words.count > 1, let first = words.first, first.allSatisfy(\.isNumber) { words.removeFirst() }
    if let last = words.popLast() { words.append(NameWords.singular(last)) }
    var name = NameWords.upperCamel(words)
    if name.isEmpty { name = "Record" }
    if name.unicodeScalars.first?.properties.isAlphabetic == false { name = "Record" + name }
    if Self.reservedEntities.contains(name) || Self.reservedProperties.contains(name.lowercased()) && owner == nil {
      name = owner.map { $0 + name } ?? name + "Record"
    }
    if isTaken(name), let owner { name = owner + name }
    name = unique(name) { isTaken($0) }
    entities.insert(name.uppercased())
    return name
  }

  private func isTaken(_ name: String) -> Bool { entities.contains(name.uppercased()) }

  /// A name for a property of an entity, in lower camel case. Names that differ in case alone would be one column.
  mutating func property(_ text: String, of entity: String, fallback: String) -> String {
    var name = Self.isLowerCamel(text) ? text : NameWords.lowerCamel(NameWords.words(text))
    if name.isEmpty { name = fallback }
    if name.unicodeScalars.first?.properties.isAlphabetic == false { name = "x" + name }
    if Self.reservedProperties.contains(name.lowercased()) {
      name = NameWords.lowerCamel(NameWords.words(entity)) + NameWords.capitalized(name)
    }
    let taken = properties[entity] ?? []
    name = unique(name) { taken.contains($0.uppercased()) }
    properties[entity, default: []].insert(name.uppercased())
    return name
  }

  private static func isLowerCamel(_ text: String) -> Bool {
    guard let first = text.utf8.first, (97...122).contains(first) else { return false }
    return text.utf8.allSatisfy { $0.isLetter || $0.isDigit }
  }

  private func unique(_ name: String, isTaken: (String) -> Bool) -> String {
    guard isTaken(name) else { return name }
    var number = 2
    while isTaken(name + String(number)) { number += 1 }
    return name + String(number)
  }
}
