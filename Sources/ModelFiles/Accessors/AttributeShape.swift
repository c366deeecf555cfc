import ObjectModel

/// How the accessor of an attribute's type reads and writes.
struct AttributeShape {
  /// The Swift type, without its module.
  var type: String
  /// The case of `Value` that holds it.
  var valueCase: String
  /// Wraps the name of a held value to get one of the type, and back; nil where nothing has to be done.
  var read: ((String) -> String)?
  var write: ((String) -> String)?
  /// The default for a missing value where the property is not optional; nil where there is none.
  var zero: String?

  /// - Parameter names: for types whose names the model takes.
  /// - Returns: nil for types whose values have no one Swift type.
  init?(_ type: AttributeType, usesScalar: Bool, names: SwiftNames) {
    let foundation = names.type("Date")
    switch type {
    case .integer16: self.init(integer: "Int16", names)
    case .integer32: self.init(integer: "Int32", names)
    case .integer64: self.init(type: "Int64", valueCase: "integer", zero: "0")
    case .boolean: self.init(type: "Bool", valueCase: "boolean", zero: "false")
    case .double: self.init(type: "Double", valueCase: "double", zero: "0")
    case .float:
      let (float, double) = (names.type("Float"), names.type("Double"))
      self.init(
        type: "Float", valueCase: "double", read: { "\(float)(\($0))" }, write: { "\(double)(\($0))" }, zero: "0")
    case .decimal: self.init(type: "Decimal", valueCase: "decimal", zero: "0")
    case .string: self.init(type: "String", valueCase: "string", zero: "\"\"")
    case .date where usesScalar:
      self.init(
        type: "TimeInterval", valueCase: "date", read: { "\($0).timeIntervalSinceReferenceDate" },
        write: { "\(foundation)(timeIntervalSinceReferenceDate: \($0))" }, zero: "0")
    case .date:
      self.init(type: "Date", valueCase: "date", zero: "\(foundation)(timeIntervalSinceReferenceDate: 0)")
    case .binary, .transformable: self.init(type: "Data", valueCase: "data", zero: "\(names.type("Data"))()")
    case .uuid: self.init(type: "UUID", valueCase: "uuid")
    case .uri: self.init(type: "URL", valueCase: "uri")
    case .undefined, .objectID, .composite: return nil
    }
  }

  private init(
    type: String, valueCase: String, read: ((String) -> String)? = nil, write: ((String) -> String)? = nil,
    zero: String? = nil
  ) {
    self.type = type
    self.valueCase = valueCase
    self.read = read
    self.write = write
    self.zero = zero
  }

  private init(integer type: String, _ names: SwiftNames) {
    let (small, large) = (names.type(type), names.type("Int64"))
    self.init(
      type: type, valueCase: "integer", read: { "\(small)(clamping: \($0))" }, write: { "\(large)(\($0))" }, zero: "0")
  }
}
