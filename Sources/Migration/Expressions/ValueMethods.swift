import Foundation
import ObjectGraph
import ObjectModel
import Predicates

/// Methods without operands that expressions of mapping models ask of values, beside those that the format language
/// computes: `$source.objectID.URIRepresentation.path`, `$source.picture.length`.
enum ValueMethods {
  private static let url: [String: @Sendable (URL) -> Any?] = [
    "path": { $0.path },
    "relativePath": { $0.relativePath },
    "host": { $0.host() },
    "scheme": { $0.scheme },
    "query": { $0.query() },
    "fragment": { $0.fragment() },
    "lastPathComponent": { $0.lastPathComponent },
    "pathExtension": { $0.pathExtension },
    "absoluteString": { $0.absoluteString },
  ]

  /// The names of all of them.
  static let names = Set(url.keys).union(["URIRepresentation", "length", "count", "UUIDString", "objectID"])

  /// The type of what a method gives for a receiver of a type.
  static func resultType(of name: String, _ receiver: MappedType) -> MappedType {
    guard let receiver = receiver.operand, name != "objectID" else { return .unknown }
    switch name {
    case "count": return .value(OperandType(.attribute(.integer64)))
    case "length": return .value(OperandType(.attribute(.integer64), isList: receiver.isList))
    case "URIRepresentation": return .value(OperandType(.attribute(.uri), isList: receiver.isList))
    default: return .value(OperandType(.attribute(.string), isList: receiver.isList))
    }
  }

  /// Whether values of attributes of a type have the method, as far as the type says it.
  static func isKnown(_ name: String, of type: AttributeType?) -> Bool {
    switch type {
    case nil, .undefined, .transformable, .objectID: names.contains(name)
    case .uri: url[name] != nil
    case .binary: name == "length" || name == "count"
    case .uuid: name == "UUIDString"
    default: false
    }
  }

  /// The method's result; nil for nil, and a list for a list.
  /// - Throws: `MigrationError` where the value has no such method.
  static func call(_ name: String, of receiver: Any?) throws -> Any? {
    switch receiver {
    case nil, is NSNull: return nil
    case let list as [Any]: return name == "count" ? list.count : try list.compactMap { try call(name, of: $0) }
    case let url as URL: if let method = Self.url[name] { return method(url) }
    case let id as ObjectID: if name == "URIRepresentation" { return id.uriRepresentation() }
    case let object as ManagedObject: if name == "objectID" { return object.objectID }
    case let data as Data: if name == "length" || name == "count" { return data.count }
    case let text as String: if name == "length" { return text.utf16.count }
    case let uuid as UUID: if name == "UUIDString" { return uuid.uuidString }
    default: break
    }
    throw MigrationError(
      .mappingModel, "\(receiver.map { "\(type(of: $0))" } ?? "nil") has no method \"\(name)\"",
      hint: "compute the value in a function of a migration policy")
  }
}
