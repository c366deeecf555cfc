package import ObjectModel

extension AttributeType {
  /// The type as a model editor names it.
  package var title: (name: String, article: String) {
    switch self {
    case .undefined: ("Undefined", "an undefined value")
    case .integer16: ("Integer 16", "an Integer 16")
    case .integer32: ("Integer 32", "an Integer 32")
    case .integer64: ("Integer 64", "an Integer 64")
    case .decimal: ("Decimal", "a Decimal")
    case .double: ("Double", "a Double")
    case .float: ("Float", "a Float")
    case .string: ("String", "a String")
    case .boolean: ("Boolean", "a Boolean")
    case .date: ("Date", "a Date")
    case .binary: ("Binary", "Binary")
    case .uuid: ("UUID", "a UUID")
    case .uri: ("URI", "a URI")
    case .transformable: ("Transformable", "a Transformable")
    case .objectID: ("ObjectID", "an ObjectID")
    case .composite: ("Composite", "a Composite")
    }
  }
}
