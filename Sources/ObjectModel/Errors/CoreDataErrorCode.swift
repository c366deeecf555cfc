/// Core Data's codes in `NSCocoaErrorDomain`, under Core Data's names without NS.
public enum CoreDataErrorCode {
  /// A rule without a code of its own.
  public static let managedObjectValidation = 1550
  /// Several rules are broken.
  public static let validationMultipleErrors = 1560
  /// A required property has no value.
  public static let validationMissingMandatoryProperty = 1570
  /// A relationship has too few members.
  public static let validationRelationshipLacksMinimumCount = 1580
  /// A relationship has too many members.
  public static let validationRelationshipExceedsMaximumCount = 1590
  /// A delete rule denies the deletion.
  public static let validationRelationshipDeniedDelete = 1600
  /// A number is over its maximum.
  public static let validationNumberTooLarge = 1610
  /// A number is under its minimum.
  public static let validationNumberTooSmall = 1620
  /// A date is after its maximum.
  public static let validationDateTooLate = 1630
  /// A date is before its minimum.
  public static let validationDateTooSoon = 1640
  /// A text is too long.
  public static let validationStringTooLong = 1660
  /// A text is too short.
  public static let validationStringTooShort = 1670
  /// A text does not match the regular expression.
  public static let validationStringPatternMatching = 1680
  /// There is no row for an object.
  public static let managedObjectReferentialIntegrity = 133_000
  /// The objects to save were changed elsewhere.
  public static let managedObjectMerge = 133_020
  /// Objects have the same values for a uniqueness constraint.
  public static let managedObjectConstraintMerge = 133_021
  /// Anything without a code of its own.
  public static let coreData = 134_060
  /// Reading or writing a store failed.
  public static let persistentStoreOperation = 134_070
  /// A store cannot be opened or created.
  public static let persistentStoreOpen = 134_080
  /// Another process holds the store.
  public static let persistentStoreTimeout = 134_090
  /// The store cannot do what is asked.
  public static let persistentStoreUnsupportedRequestType = 134_091
  /// A migration failed for a reason without a code of its own.
  public static let migration = 134_110
  /// A migration was cancelled.
  public static let migrationCancelled = 134_120
  /// The model that a store was made with is not known.
  public static let migrationMissingSourceModel = 134_130
  /// There is no mapping model, and none can be inferred.
  public static let migrationMissingMappingModel = 134_140
  /// The source store of a migration cannot be read.
  public static let migrationManagerSourceStore = 134_150
  /// The destination store of a migration cannot be written.
  public static let migrationManagerDestinationStore = 134_160
  /// A migration policy failed.
  public static let entityMigrationPolicy = 134_170
  /// The history behind a token was deleted.
  public static let persistentHistoryTokenExpired = 134_301
  /// The store was made with another model.
  public static let persistentStoreIncompatibleVersionHash = 134_100
  /// No mapping can be inferred from two models.
  public static let inferredMappingModel = 134_190
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
  /// The predicate that the value does not meet.
  public static let validationPredicate = "NSValidationErrorPredicate"
  /// The conflicts of a save.
  public static let conflictList = "conflictList"
  /// The path or name of the store that could not be read or written.
  public static let affectedStores = "NSAffectedStoresErrorKey"
  /// The objects that could not be saved.
  public static let affectedObjects = "NSAffectedObjectsErrorKey"
}
