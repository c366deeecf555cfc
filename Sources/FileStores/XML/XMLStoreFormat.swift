public import Foundation
public import MemoryStore
public import ObjectModel
public import PropertyLists
public import StoreInterface

/// A store in one XML file, in the form of Core Data's XML stores on macOS:
///
/// ```xml
/// <database>
///   <databaseInfo>
///     <version>134481920</version>
///     <UUID>…</UUID>
///     <nextObjectID>104</nextObjectID>
///     <metadata><plist version="1.0"><dict>…</dict></plist></metadata>
///   </databaseInfo>
///   <object type="EMPLOYEE" id="z103">
///     <attribute name="name" type="string">Ann</attribute>
///     <relationship name="department" type="0/1" destination="DEPARTMENT" idrefs="z102"></relationship>
///   </object>
/// </database>
/// ```
///
/// A missing value has no element. Dates are seconds since 2001-01-01T00:00:00Z, binary values Base64. Ids are unique
/// in the whole file. Objects that have been changed carry a `version` attribute, which is this package's own and is 1
/// where there is none.
///
/// XML has no way to write some control characters; a save of a text that has one is refused, and so is a to-many list
/// too long for an XML parser (some 800,000 members).
public struct XMLStoreFormat: AtomicStoreFormat {
  /// The name of the type in Core Data's metadata.
  public var storeType: String { "XML" }
  /// Ids are unique in the file.
  public var givesKeysStoreWide: Bool { true }

  /// The format; `.xml` reads better.
  public init() {}

  /// Whether the file's start has a `database` element.
  public func recognizes(_ start: Data) -> Bool {
    String(decoding: start, as: UTF8.self).contains("<database")
  }

  /// Reads a whole file.
  public func read(_ file: Data, model: ManagedObjectModel) throws(StoreError) -> StoreContents {
    try XMLStoreDecoder(try XMLStoreParser.parse(file), model: model).contents()
  }

  /// The property list in the file's head, with the UUID.
  public func metadata(of file: Data) throws(StoreError) -> [String: PropertyListValue] {
    let head = try XMLStoreHead(try XMLStoreParser.parse(file))
    return head.metadata.merging([StoreMetadataKey.storeUUID: .string(head.identifier.uuidString)]) { $1 }
  }

  /// Makes a whole file.
  public func write(_ contents: StoreContents, model: ManagedObjectModel) throws(StoreError) -> Data {
    var writer = XMLStoreWriter()
    try writer.append(contents)
    return writer.bytes
  }

  /// The number under which the framework's XML stores state the version of their format.
  static let version = "134481920"
}

extension AttributeType {
  /// The `type` of an `attribute` element.
  var xmlName: String {
    switch self {
    case .integer16: "int16"
    case .integer32: "int32"
    case .integer64: "int64"
    case .decimal: "decimal"
    case .double: "double"
    case .float: "float"
    case .string: "string"
    case .boolean: "bool"
    case .date: "date"
    case .binary: "binary"
    case .uuid: "uuid"
    case .uri: "uri"
    case .transformable: "transformable"
    case .undefined, .objectID, .composite: "undefined"
    }
  }

  /// The type that a value of an attribute without a type of its own is written as.
  init?(formOf value: Value) {
    switch value {
    case .null, .composite: return nil
    case .integer: self = .integer64
    case .boolean: self = .boolean
    case .double: self = .double
    case .decimal: self = .decimal
    case .string: self = .string
    case .date: self = .date
    case .data: self = .binary
    case .uuid: self = .uuid
    case .uri: self = .uri
    }
  }
}
