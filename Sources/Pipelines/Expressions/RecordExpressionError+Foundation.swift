import Foundation
public import ObjectModel

extension RecordExpressionError: BridgedError {
  /// What is wrong and where, as `description` has it.
  public var errorDescription: String? { description }
  /// What to do about it.
  public var recoverySuggestion: String? { hint }
  /// The type's own: Core Data has no such errors.
  public static var errorDomain: String { "Seedbed.RecordExpressionError" }
  /// Always 1; what is wrong has no further kinds.
  public var errorCode: Int { 1 }
}

extension RecordExpressionFailure: BridgedError {
  /// The description, under Foundation's name.
  public var errorDescription: String? { description }
  /// What to do about it.
  public var recoverySuggestion: String? { hint }
  /// The type's own: Core Data has no such errors.
  public static var errorDomain: String { "Seedbed.RecordExpressionFailure" }
  /// Always 1: `code` tells more.
  public var errorCode: Int { 1 }
}

extension DateFormatError: BridgedError {
  /// The description, under Foundation's name.
  public var errorDescription: String? { description }
  /// What to do about it.
  public var recoverySuggestion: String? { hint }
  /// The type's own: Core Data has no such errors.
  public static var errorDomain: String { "Seedbed.DateFormatError" }
  /// Always 1: there is one kind.
  public var errorCode: Int { 1 }
}
