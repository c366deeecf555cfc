import Foundation
public import ObjectModel

extension ContextError: BridgedError {
  /// What happened, in a sentence.
  public var errorDescription: String? { description }
  /// Core Data's error domain.
  public static var errorDomain: String { NSCocoaErrorDomain }

  /// Core Data's code for the error, or its general code where it has none.
  public var errorCode: Int {
    switch self {
    case .objectGone: CoreDataErrorCode.managedObjectReferentialIntegrity
    case .endlessConflicts: CoreDataErrorCode.managedObjectMerge
    case .contextGone, .endlessWillSave, .saveInsideSave, .foreignID: CoreDataErrorCode.coreData
    }
  }

  /// The description, and the id of an object that is gone.
  public var errorUserInfo: [String: Any] {
    var information: [String: Any] = [NSLocalizedDescriptionKey: description]
    if case .objectGone(let id) = self { information[CoreDataErrorKey.affectedObjects] = [id] }
    return information
  }
}

extension SaveConflictError: BridgedError {
  /// One line per conflict.
  public var errorDescription: String? { description }
  /// Core Data's error domain.
  public static var errorDomain: String { NSCocoaErrorDomain }

  /// Core Data's code: 133020 when rows were changed elsewhere, 133021 for uniqueness constraints alone.
  public var errorCode: Int {
    optimisticLockingConflicts.isEmpty && !constraintConflicts.isEmpty
      ? CoreDataErrorCode.managedObjectConstraintMerge : CoreDataErrorCode.managedObjectMerge
  }

  /// The description, and in `conflictList` the conflicts of the kind that the code tells of.
  public var errorUserInfo: [String: Any] {
    let isOfConstraints = errorCode == CoreDataErrorCode.managedObjectConstraintMerge
    return [
      NSLocalizedDescriptionKey: description,
      CoreDataErrorKey.conflictList: isOfConstraints ? constraintConflicts as [Any] : optimisticLockingConflicts,
    ]
  }
}
