import Foundation
public import ObjectModel

extension PredicateConversionError: BridgedError {
  /// What is wrong and where, as `description` has it.
  public var errorDescription: String? { description }
  /// What to do about it.
  public var recoverySuggestion: String? { hint }
  /// The type's own: Core Data has no such errors.
  public static var errorDomain: String { "Seedbed.PredicateConversionError" }
  /// Always 1: there is one kind.
  public var errorCode: Int { 1 }
}
