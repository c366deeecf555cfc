// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// Core Data's codes, to compare with `CocoaError.Code(rawValue: (error as NSError).code)`.
extension CocoaError.Code {
  /// `CoreDataErrorCode.managedObjectValidation`
  public static var managedObjectValidation: Self { Self(rawValue: CoreDataErrorCode.managedObjectValidation) }
  /// `CoreDataErrorCode.validationMultipleErrors`
  public static var validationMultipleErrors: Self { Self(rawValue: CoreDataErrorCode.validationMultipleErrors) }
  /// `CoreDataErrorCode.validationMissingMandatoryProperty`
  public static var validationMissingMandatoryProperty: Self {
    Self(rawValue: CoreDataErrorCode.validationMissingMandatoryProperty)
  }
  /// `CoreDataErrorCode.validationRelationshipLacksMinimumCount`
  public static var validationRelationshipLacksMinimumCount: Self {
    Self(rawValue: CoreDataErrorCode.validationRelationshipLacksMinimumCount)
  }
  /// `CoreDataErrorCode.validationRelationshipExceedsMaximumCount`
  public static var validationRelationshipExceedsMaximumCount: Self {
    Self(rawValue: CoreDataErrorCode.validationRelationshipExceedsMaximumCount)
  }
  /// `CoreDataErrorCode.validationRelationshipDeniedDelete`
  public static var validationRelationshipDeniedDelete: Self {
    Self(rawValue: CoreDataErrorCode.validationRelationshipDeniedDelete)
  }
  /// `CoreDataErrorCode.validationNumberTooLarge`
  public static var validationNumberTooLarge: Self { Self(rawValue: CoreDataErrorCode.validationNumberTooLarge) }
  /// `CoreDataErrorCode.validationNumberTooSmall`
  public static var validationNumberTooSmall: Self { Self(rawValue: CoreDataErrorCode.validationNumberTooSmall) }
  /// `CoreDataErrorCode.validationDateTooLate`
  public static var validationDateTooLate: Self { Self(rawValue: CoreDataErrorCode.validationDateTooLate) }
  /// `CoreDataErrorCode.validationDateTooSoon`
  public static var validationDateTooSoon: Self { Self(rawValue: CoreDataErrorCode.validationDateTooSoon) }
  /// `CoreDataErrorCode.validationStringTooLong`
  public static var validationStringTooLong: Self { Self(rawValue: CoreDataErrorCode.validationStringTooLong) }
  /// `CoreDataErrorCode.validationStringTooShort`
  public static var validationStringTooShort: Self { Self(rawValue: CoreDataErrorCode.validationStringTooShort) }
  /// `CoreDataErrorCode.validationStringPatternMatching`
  public static var validationStringPatternMatching: Self {
    Self(rawValue: CoreDataErrorCode.validationStringPatternMatching)
  }
  /// `CoreDataErrorCode.managedObjectReferentialIntegrity`
  public static var managedObjectReferentialIntegrity: Self {
    Self(rawValue: CoreDataErrorCode.managedObjectReferentialIntegrity)
  }
  /// `CoreDataErrorCode.managedObjectMerge`
  public static var managedObjectMerge: Self { Self(rawValue: CoreDataErrorCode.managedObjectMerge) }
  /// `CoreDataErrorCode.managedObjectConstraintMerge`
  public static var managedObjectConstraintMerge: Self {
    Self(rawValue: CoreDataErrorCode.managedObjectConstraintMerge)
  }
  /// `CoreDataErrorCode.coreData`
  public static var coreData: Self { Self(rawValue: CoreDataErrorCode.coreData) }
  /// `CoreDataErrorCode.persistentStoreOperation`
  public static var persistentStoreOperation: Self { Self(rawValue: CoreDataErrorCode.persistentStoreOperation) }
  /// `CoreDataErrorCode.persistentStoreOpen`
  public static var persistentStoreOpen: Self { Self(rawValue: CoreDataErrorCode.persistentStoreOpen) }
  /// `CoreDataErrorCode.persistentStoreTimeout`
  public static var persistentStoreTimeout: Self { Self(rawValue: CoreDataErrorCode.persistentStoreTimeout) }
  /// `CoreDataErrorCode.persistentStoreUnsupportedRequestType`
  public static var persistentStoreUnsupportedRequestType: Self {
    Self(rawValue: CoreDataErrorCode.persistentStoreUnsupportedRequestType)
  }
  /// `CoreDataErrorCode.persistentStoreIncompatibleVersionHash`
  public static var persistentStoreIncompatibleVersionHash: Self {
    Self(rawValue: CoreDataErrorCode.persistentStoreIncompatibleVersionHash)
  }
  /// `CoreDataErrorCode.migration`
  public static var migration: Self { Self(rawValue: CoreDataErrorCode.migration) }
  /// `CoreDataErrorCode.migrationCancelled`
  public static var migrationCancelled: Self { Self(rawValue: CoreDataErrorCode.migrationCancelled) }
  /// `CoreDataErrorCode.migrationMissingSourceModel`
  public static var migrationMissingSourceModel: Self { Self(rawValue: CoreDataErrorCode.migrationMissingSourceModel) }
  /// `CoreDataErrorCode.migrationMissingMappingModel`
  public static var migrationMissingMappingModel: Self {
    Self(rawValue: CoreDataErrorCode.migrationMissingMappingModel)
  }
  /// `CoreDataErrorCode.migrationManagerSourceStore`
  public static var migrationManagerSourceStore: Self { Self(rawValue: CoreDataErrorCode.migrationManagerSourceStore) }
  /// `CoreDataErrorCode.migrationManagerDestinationStore`
  public static var migrationManagerDestinationStore: Self {
    Self(rawValue: CoreDataErrorCode.migrationManagerDestinationStore)
  }
  /// `CoreDataErrorCode.entityMigrationPolicy`
  public static var entityMigrationPolicy: Self { Self(rawValue: CoreDataErrorCode.entityMigrationPolicy) }
  /// `CoreDataErrorCode.persistentHistoryTokenExpired`
  public static var persistentHistoryTokenExpired: Self {
    Self(rawValue: CoreDataErrorCode.persistentHistoryTokenExpired)
  }
  /// `CoreDataErrorCode.inferredMappingModel`
  public static var inferredMappingModel: Self { Self(rawValue: CoreDataErrorCode.inferredMappingModel) }
}

/// `CoreDataErrorCode.managedObjectValidation`
public let ManagedObjectValidationError = CoreDataErrorCode.managedObjectValidation
/// `CoreDataErrorCode.validationMultipleErrors`
public let ValidationMultipleErrorsError = CoreDataErrorCode.validationMultipleErrors
/// `CoreDataErrorCode.validationMissingMandatoryProperty`
public let ValidationMissingMandatoryPropertyError = CoreDataErrorCode.validationMissingMandatoryProperty
/// `CoreDataErrorCode.validationRelationshipLacksMinimumCount`
public let ValidationRelationshipLacksMinimumCountError = CoreDataErrorCode.validationRelationshipLacksMinimumCount
/// `CoreDataErrorCode.validationRelationshipExceedsMaximumCount`
public let ValidationRelationshipExceedsMaximumCountError = CoreDataErrorCode.validationRelationshipExceedsMaximumCount
/// `CoreDataErrorCode.validationRelationshipDeniedDelete`
public let ValidationRelationshipDeniedDeleteError = CoreDataErrorCode.validationRelationshipDeniedDelete
/// `CoreDataErrorCode.validationNumberTooLarge`
public let ValidationNumberTooLargeError = CoreDataErrorCode.validationNumberTooLarge
/// `CoreDataErrorCode.validationNumberTooSmall`
public let ValidationNumberTooSmallError = CoreDataErrorCode.validationNumberTooSmall
/// `CoreDataErrorCode.validationDateTooLate`
public let ValidationDateTooLateError = CoreDataErrorCode.validationDateTooLate
/// `CoreDataErrorCode.validationDateTooSoon`
public let ValidationDateTooSoonError = CoreDataErrorCode.validationDateTooSoon
/// `CoreDataErrorCode.validationStringTooLong`
public let ValidationStringTooLongError = CoreDataErrorCode.validationStringTooLong
/// `CoreDataErrorCode.validationStringTooShort`
public let ValidationStringTooShortError = CoreDataErrorCode.validationStringTooShort
/// `CoreDataErrorCode.validationStringPatternMatching`
public let ValidationStringPatternMatchingError = CoreDataErrorCode.validationStringPatternMatching
/// `CoreDataErrorCode.managedObjectReferentialIntegrity`
public let ManagedObjectReferentialIntegrityError = CoreDataErrorCode.managedObjectReferentialIntegrity
/// `CoreDataErrorCode.managedObjectMerge`
public let ManagedObjectMergeError = CoreDataErrorCode.managedObjectMerge
/// `CoreDataErrorCode.managedObjectConstraintMerge`
public let ManagedObjectConstraintMergeError = CoreDataErrorCode.managedObjectConstraintMerge
/// `CoreDataErrorCode.coreData`
public let CoreDataError = CoreDataErrorCode.coreData
/// `CoreDataErrorCode.persistentStoreOperation`
public let PersistentStoreOperationError = CoreDataErrorCode.persistentStoreOperation
/// `CoreDataErrorCode.persistentStoreOpen`
public let PersistentStoreOpenError = CoreDataErrorCode.persistentStoreOpen
/// `CoreDataErrorCode.persistentStoreTimeout`
public let PersistentStoreTimeoutError = CoreDataErrorCode.persistentStoreTimeout
/// `CoreDataErrorCode.persistentStoreUnsupportedRequestType`
public let PersistentStoreUnsupportedRequestTypeError = CoreDataErrorCode.persistentStoreUnsupportedRequestType
/// `CoreDataErrorCode.persistentStoreIncompatibleVersionHash`
public let PersistentStoreIncompatibleVersionHashError = CoreDataErrorCode.persistentStoreIncompatibleVersionHash
/// `CoreDataErrorCode.migrationCancelled`
public let MigrationCancelledError = CoreDataErrorCode.migrationCancelled
/// `CoreDataErrorCode.migrationMissingSourceModel`
public let MigrationMissingSourceModelError = CoreDataErrorCode.migrationMissingSourceModel
/// `CoreDataErrorCode.migrationMissingMappingModel`
public let MigrationMissingMappingModelError = CoreDataErrorCode.migrationMissingMappingModel
/// `CoreDataErrorCode.migrationManagerSourceStore`
public let MigrationManagerSourceStoreError = CoreDataErrorCode.migrationManagerSourceStore
/// `CoreDataErrorCode.migrationManagerDestinationStore`
public let MigrationManagerDestinationStoreError = CoreDataErrorCode.migrationManagerDestinationStore
/// `CoreDataErrorCode.entityMigrationPolicy`
public let EntityMigrationPolicyError = CoreDataErrorCode.entityMigrationPolicy
/// `CoreDataErrorCode.persistentHistoryTokenExpired`
public let PersistentHistoryTokenExpiredError = CoreDataErrorCode.persistentHistoryTokenExpired
/// `CoreDataErrorCode.inferredMappingModel`
public let InferredMappingModelError = CoreDataErrorCode.inferredMappingModel

/// `CoreDataErrorKey.detailedErrors`
public let DetailedErrorsKey = CoreDataErrorKey.detailedErrors
/// `CoreDataErrorKey.validationObject`
public let ValidationObjectErrorKey = CoreDataErrorKey.validationObject
/// `CoreDataErrorKey.validationKey`
public let ValidationKeyErrorKey = CoreDataErrorKey.validationKey
/// `CoreDataErrorKey.validationValue`
public let ValidationValueErrorKey = CoreDataErrorKey.validationValue
/// `CoreDataErrorKey.validationPredicate`
public let ValidationPredicateErrorKey = CoreDataErrorKey.validationPredicate
/// `CoreDataErrorKey.conflictList`
public let PersistentStoreSaveConflictsErrorKey = CoreDataErrorKey.conflictList
/// `CoreDataErrorKey.affectedStores`
public let AffectedStoresErrorKey = CoreDataErrorKey.affectedStores
/// `CoreDataErrorKey.affectedObjects`
public let AffectedObjectsErrorKey = CoreDataErrorKey.affectedObjects
