public import Foundation
public import ObjectModel
import PropertyLists
import Synchronization

/// Makes the values of Transformable attributes of the bytes that stores hold, and bytes of values: what a value
/// transformer does for Core Data. Called on the queues of contexts and the workers of imports.
public protocol AttributeTransformer: Sendable {
  /// The type of the values in Swift.
  associatedtype Transformed
  /// The value that bytes stand for.
  /// - Throws: any error when they stand for none.
  func value(from data: Data) throws -> Transformed
  /// The bytes of a value. Equal values should have equal bytes: an object counts as changed when its bytes are others.
  /// - Throws: any error for a value that has none.
  func data(from value: Transformed) throws -> Data
}

/// The transformers by the names that models use. What the models of a program name is registered once, before the
/// first attribute is read: `AttributeTransformers.register(ColorTransformer(), forName: "ColorTransformer")`.
///
/// Attributes that name none, `NSSecureUnarchiveFromData` or `NSKeyedUnarchiveFromData`, also with `Transformer` behind
/// it, have `SecureUnarchiveTransformer`, unless another is registered under that name.
public enum AttributeTransformers {
  private static let registered = Mutex<[String: any AttributeTransformer]>([:])
  private static let archiving: Set<String> = [
    "NSSecureUnarchiveFromData", "NSSecureUnarchiveFromDataTransformer", "NSKeyedUnarchiveFromData",
    "NSKeyedUnarchiveFromDataTransformer",
  ]

  /// Registers a transformer in the place of the one that had the name; nil takes it away.
  public static func register(_ transformer: (any AttributeTransformer)?, forName name: String) {
    registered.withLock { $0[name] = transformer }
  }

  /// The transformer of that name; nil where there is none.
  public static func transformer(forName name: String) -> (any AttributeTransformer)? {
    registered.withLock { $0[name] } ?? (archiving.contains(name) ? SecureUnarchiveTransformer() : nil)
  }

  /// The transformer of a Transformable attribute. Models of Swift name a class as `Module.Class`; it is found without
  /// the module too.
  /// - Throws: `AttributeTransformError` for a name that none is registered under.
  public static func transformer(of attribute: AttributeDefinition) throws -> any AttributeTransformer {
    guard let name = attribute.valueTransformerName, !name.isEmpty else { return SecureUnarchiveTransformer() }
    let last = name.split(separator: ".").last.map(String.init) ?? name
    if let transformer = transformer(forName: name) ?? transformer(forName: last) { return transformer }
    throw AttributeTransformError(
      attribute: attribute.name,
      "its transformer \(name) is not registered (AttributeTransformers.register), so that it keeps its bytes")
  }
}

/// Why the value of a Transformable attribute could not be had, or not be set.
public struct AttributeTransformError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The name of the attribute whose value is at fault.
  public let attribute: String
  /// What is wrong: one sentence without a period.
  public let message: String

  init(attribute: String, _ message: String) {
    self.attribute = attribute
    self.message = message
  }

  /// The attribute and what is wrong.
  public var description: String { "\(attribute): \(message)" }
}

extension AttributeTransformError: BridgedError {
  /// The attribute and what is wrong.
  public var errorDescription: String? { description }
  /// The type's own: Core Data has no such errors.
  public static var errorDomain: String { "Seedbed.AttributeTransformError" }
  /// Always 1: there is one kind.
  public var errorCode: Int { 1 }
}

extension AttributeTransformer {
  /// The bytes of a value of any type.
  package func data(fromAny value: Any) throws -> Data {
    guard let value = value as? Transformed else {
      throw AttributeTransformError(
        attribute: "", "a value of the type \(type(of: value)) is no \(Transformed.self)")
    }
    return try data(from: value)
  }
}

/// Reads and writes keyed archives of property-list classes, as Core Data's `NSSecureUnarchiveFromData` does:
/// `NSArray`, `NSDictionary`, `NSString`, `NSNumber`, `NSDate`, `NSData`, `NSURL`, `NSUUID`, `NSSet`, `NSNull`, nested.
/// In Swift these are `[Any]`, `[String: Any]`, `String`, `Int`, `Double`, `Bool`, `Decimal`, `Date`, `Data`, `URL`,
/// `UUID`, `Set<AnyHashable>`, `NSNull`. No object is made of a class that an archive names; an archive with any other
/// class is refused.
public struct SecureUnarchiveTransformer: AttributeTransformer {
  /// A class that may stand outermost.
  public enum TopLevelClass: Sendable, Hashable, CaseIterable {
    case array, dictionary, string, number, date, data, url, uuid, set, null
  }

  /// What may stand outermost; Core Data's `allowedTopLevelClasses`.
  public let allowedTopLevelClasses: Set<TopLevelClass>

  /// A transformer that takes archives of these only.
  public init(allowedTopLevelClasses: Set<TopLevelClass> = Set(TopLevelClass.allCases)) {
    self.allowedTopLevelClasses = allowedTopLevelClasses
  }

  /// What the archive holds.
  /// - Throws: `AttributeTransformError` for bytes that are no archive, are damaged, or hold another class.
  public func value(from data: Data) throws -> Any {
    guard let content = ArchivedContent(archive: Array(data)) else {
      throw AttributeTransformError(
        attribute: "", "its bytes are no keyed archive of property-list classes, which are all that is read")
    }
    try check(content)
    return content.anyValue
  }

  /// The archive of a value. Equal values give equal bytes.
  /// - Throws: `ArchiveContentError` for what has none of the classes, `AttributeTransformError` for what may not stand
  ///   outermost.
  public func data(from value: Any) throws -> Data {
    let content = try ArchivedContent(value)
    try check(content)
    return try content.archived()
  }

  private func check(_ content: ArchivedContent) throws {
    if !allowedTopLevelClasses.contains(TopLevelClass(content)) {
      throw AttributeTransformError(attribute: "", "a \(TopLevelClass(content)) may not stand outermost")
    }
  }
}

extension SecureUnarchiveTransformer.TopLevelClass {
  fileprivate init(_ content: ArchivedContent) {
    self =
      switch content {
      case .null: .null
      case .boolean, .integer, .real, .decimal: .number
      case .string: .string
      case .date: .date
      case .data: .data
      case .uuid: .uuid
      case .url: .url
      case .list: .array
      case .set: .set
      case .dictionary: .dictionary
      }
  }
}
