import Foundation
import ObjectGraph
import ObjectModel
import Predicates

/// The result of a mapping's expression.
enum MappedValue {
  /// A computed value: a plain value, the id of an object, or a list.
  case plain(ExpressionValue)
  /// The result of a call, of any type.
  case object(Any?)

  /// As key-value coding has values: objects for ids, numbers as `NSNumber`.
  func any(_ variables: MigrationVariables) -> Any? {
    switch self {
    case .object(let object): object
    case .plain(let value): Self.any(value, variables)
    }
  }

  private static func any(_ value: ExpressionValue, _ variables: MigrationVariables) -> Any? {
    switch value {
    case .value(let value): value.anyValue
    case .object(let id): variables.object(id)
    case .list(let elements): elements.compactMap { any($0, variables) }
    }
  }

  /// The managed objects that the value is or has.
  /// - Throws: `MigrationError` for anything else.
  func objects(_ variables: MigrationVariables) throws -> [ManagedObject] {
    switch any(variables) {
    case nil, is NSNull: return []
    case let object as ManagedObject: return [object]
    case let objects as [ManagedObject]: return objects
    case let objects as Set<ManagedObject>: return objects.sorted { Self.precedes($0.objectID, $1.objectID) }
    case let list as [Any] where list.isEmpty: return []
    case let other?:
      throw MigrationError(.value, "the expression gives \(type(of: other)), where managed objects belong")
    }
  }

  private static func precedes(_ left: ObjectID, _ right: ObjectID) -> Bool {
    (left.entity.index, left.primaryKey ?? .max, left.low) < (
      right.entity.index, right.primaryKey ?? .max, right.low
    )
  }

  /// The value for calculations.
  /// - Throws: `MigrationError` where a call gave a value that expressions cannot use.
  func expressionValue() throws -> ExpressionValue {
    switch self {
    case .plain(let value): return value
    case .object(let object): return try Self.expressionValue(object)
    }
  }

  private static func expressionValue(_ object: Any?) throws -> ExpressionValue {
    switch object {
    case let object as ManagedObject: return .object(object.objectID)
    case let objects as [ManagedObject]: return .list(objects.map { .object($0.objectID) })
    case let objects as Set<ManagedObject>: return .list(try MappedValue.object(objects).sortedIDs())
    case let id as ObjectID: return .object(id)
    case let list as [Any?]: return .list(try list.map { try expressionValue($0) })
    default:
      if let value = Value(anyValue: object) { return .value(value) }
      throw MigrationError(
        .value, "a call gives \(object.map { "\(type(of: $0))" } ?? "nil"), with which nothing can be computed")
    }
  }

  private func sortedIDs() throws -> [ExpressionValue] {
    try objects(MigrationVariables()).map { .object($0.objectID) }
  }
}
