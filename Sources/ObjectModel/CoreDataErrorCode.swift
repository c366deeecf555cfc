/// Core Data's codes in `NSCocoaErrorDomain`, under Core Data's names without NS.
public enum CoreDataErrorCode {
  public static let managedObjectValidation = 1550
  public static let validationMultipleErrors = 1560
  public static let validationMissingMandatoryProperty = 1570
  public static let validationRelationshipLacksMinimumCount = 1580
  public static let validationRelationshipExceedsMaximumCount = 1590
  public static let validationRelationshipDeniedDelete = 1600
  public static let validationNumberTooLarge = 1610
  public static let validationNumberTooSmall = 1620
  public static let validationDateTooLate = 1630
  public static let validationDateTooSoon = 1640
  public static let validationStringTooLong = 1660
  public static let validationStringTooShort = 1670
  public static let validationStringPatternMatching = 1680
  public static let managedObjectReferentialIntegrity = 133_000
  public static let managedObjectMerge = 133_020
  public static let managedObjectConstraintMerge = 133_021
  public static let coreData = 134_060
  public static let persistentStoreOperation = 134_070
  public static let persistentStoreOpen = 134_080
  public static let persistentStoreTimeout = 134_090
  public static let persistentStoreUnsupportedRequestType = 134_091
  public static let persistentStoreIncompatibleVersionHash = 134_100
}

/// The keys of Core Data's errors in `userInfo`; their texts are Core Data's.
public enum CoreDataErrorKey {
  /// The errors of a `validationMultipleErrors`.
  public static let detailedErrors = "NSDetailedErrors"
  /// The object that does not pass. Errors cross queues, so it is the `ObjectID`.
  public static let validationObject = "NSValidationErrorObject"
  /// The name of the property.
  public static let validationKey = "NSValidationErrorKey"
  /// The value that does not pass.
  public static let validationValue = "NSValidationErrorValue"
  /// The conflicts of a save.
  public static let conflictList = "conflictList"
  /// The path or name of the store that could not be read or written.
  public static let affectedStores = "NSAffectedStoresErrorKey"
  /// The objects that could not be saved.
  public static let affectedObjects = "NSAffectedObjectsErrorKey"
}
