import Foundation
public import ObjectModel
public import PropertyLists

extension ArchiveContentError: BridgedError {
  /// The description, under Foundation's name.
  public var errorDescription: String? { description }
  /// The type's own: Core Data has no such errors.
  public static var errorDomain: String { "Seedbed.ArchiveContentError" }
  /// Always 1: there is one kind.
  public var errorCode: Int { 1 }
}
