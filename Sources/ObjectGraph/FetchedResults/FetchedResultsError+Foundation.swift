import Foundation
public import ObjectModel

extension FetchedResultsError: BridgedError {
  /// What happened, in a sentence.
  public var errorDescription: String? { description }
  /// Core Data's error domain.
  public static var errorDomain: String { NSCocoaErrorDomain }
  /// Core Data's general code.
  public var errorCode: Int { CoreDataErrorCode.coreData }
  /// The description, under Foundation's key.
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
}
