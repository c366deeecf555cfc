import Foundation
public import ObjectModel

extension PredicateFormatError: BridgedError {
  /// What is wrong and where, as `description` has it.
  public var errorDescription: String? { description }
  /// What to do about it.
  public var recoverySuggestion: String? { hint }
  /// The type's own: Core Data has no such errors.
  public static var errorDomain: String { "Seedbed.PredicateFormatError" }
  /// Always 1: `code` tells more.
  public var errorCode: Int { 1 }
}
