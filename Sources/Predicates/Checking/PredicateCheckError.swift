import Foundation
public import ObjectModel

/// Why a predicate or an expression does not fit the entity that it is asked of.
public struct PredicateCheckError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The first mistake, for people.
  public var message: String

  /// An error with that message.
  public init(_ message: String) {
    self.message = message
  }

  /// The same text as `message`.
  public var description: String { message }
}

extension PredicateCheckError: BridgedError {
  /// The message about the first mistake.
  public var errorDescription: String? { message }
  /// Core Data's error domain.
  public static var errorDomain: String { NSCocoaErrorDomain }
  /// Core Data's code for errors without one of their own.
  public var errorCode: Int { CoreDataErrorCode.coreData }
}
