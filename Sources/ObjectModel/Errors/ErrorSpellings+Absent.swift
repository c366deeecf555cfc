// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// Core Data's codes that no error here has, so that code which lists them compiles: docs/FROM-CORE-DATA.md says what
/// comes instead.
extension CoreDataErrorCode {
  /// Core Data's `NSValidationInvalidDateError`.
  public static let validationInvalidDate = 1650
  /// Core Data's `NSValidationInvalidURIError`.
  public static let validationInvalidURI = 1690
  /// Core Data's `NSManagedObjectConstraintValidationError`.
  public static let managedObjectConstraintValidation = 1551
  /// Core Data's `NSManagedObjectContextLockingError`.
  public static let managedObjectContextLocking = 132_000
  /// Core Data's `NSPersistentStoreCoordinatorLockingError`.
  public static let persistentStoreCoordinatorLocking = 132_010
  /// Core Data's `NSManagedObjectExternalRelationshipError`.
  public static let managedObjectExternalRelationship = 133_010
  /// Core Data's `NSPersistentStoreInvalidTypeError`.
  public static let persistentStoreInvalidType = 134_000
  /// Core Data's `NSPersistentStoreTypeMismatchError`.
  public static let persistentStoreTypeMismatch = 134_010
  /// Core Data's `NSPersistentStoreIncompatibleSchemaError`.
  public static let persistentStoreIncompatibleSchema = 134_020
  /// Core Data's `NSPersistentStoreSaveError`.
  public static let persistentStoreSave = 134_030
  /// Core Data's `NSPersistentStoreIncompleteSaveError`.
  public static let persistentStoreIncompleteSave = 134_040
  /// Core Data's `NSPersistentStoreSaveConflictsError`.
  public static let persistentStoreSaveConflicts = 134_050
  /// Core Data's `NSMigrationConstraintViolationError`.
  public static let migrationConstraintViolation = 134_111
  /// Core Data's `NSExternalRecordImportError`.
  public static let externalRecordImport = 134_200
  /// Core Data's `NSManagedObjectModelReferenceNotFoundError`.
  public static let managedObjectModelReferenceNotFound = 134_504
  /// Core Data's `NSStagedMigrationFrameworkVersionMismatchError`.
  public static let stagedMigrationFrameworkVersionMismatch = 134_505
  /// Core Data's `NSStagedMigrationBackwardMigrationError`.
  public static let stagedMigrationBackwardMigration = 134_506
}

/// The codes that no error here has.
extension CocoaError.Code {
  /// `CoreDataErrorCode.validationInvalidDate`
  public static var validationInvalidDate: Self { Self(rawValue: CoreDataErrorCode.validationInvalidDate) }
  /// `CoreDataErrorCode.validationInvalidURI`
  public static var validationInvalidURI: Self { Self(rawValue: CoreDataErrorCode.validationInvalidURI) }
  /// `CoreDataErrorCode.managedObjectConstraintValidation`
  public static var managedObjectConstraintValidation: Self {
    Self(rawValue: CoreDataErrorCode.managedObjectConstraintValidation)
  }
  /// `CoreDataErrorCode.managedObjectContextLocking`
  public static var managedObjectContextLocking: Self { Self(rawValue: CoreDataErrorCode.managedObjectContextLocking) }
  /// `CoreDataErrorCode.persistentStoreCoordinatorLocking`
  public static var persistentStoreCoordinatorLocking: Self {
    Self(rawValue: CoreDataErrorCode.persistentStoreCoordinatorLocking)
  }
  /// `CoreDataErrorCode.managedObjectExternalRelationship`
  public static var managedObjectExternalRelationship: Self {
    Self(rawValue: CoreDataErrorCode.managedObjectExternalRelationship)
  }
  /// `CoreDataErrorCode.persistentStoreInvalidType`
  public static var persistentStoreInvalidType: Self { Self(rawValue: CoreDataErrorCode.persistentStoreInvalidType) }
  /// `CoreDataErrorCode.persistentStoreTypeMismatch`
  public static var persistentStoreTypeMismatch: Self { Self(rawValue: CoreDataErrorCode.persistentStoreTypeMismatch) }
  /// `CoreDataErrorCode.persistentStoreIncompatibleSchema`
  public static var persistentStoreIncompatibleSchema: Self {
    Self(rawValue: CoreDataErrorCode.persistentStoreIncompatibleSchema)
  }
  /// `CoreDataErrorCode.persistentStoreSave`
  public static var persistentStoreSave: Self { Self(rawValue: CoreDataErrorCode.persistentStoreSave) }
  /// `CoreDataErrorCode.persistentStoreIncompleteSave`
  public static var persistentStoreIncompleteSave: Self {
    Self(rawValue: CoreDataErrorCode.persistentStoreIncompleteSave)
  }
  /// `CoreDataErrorCode.persistentStoreSaveConflicts`
  public static var persistentStoreSaveConflicts: Self {
    Self(rawValue: CoreDataErrorCode.persistentStoreSaveConflicts)
  }
  /// `CoreDataErrorCode.migrationConstraintViolation`
  public static var migrationConstraintViolation: Self {
    Self(rawValue: CoreDataErrorCode.migrationConstraintViolation)
  }
  /// `CoreDataErrorCode.externalRecordImport`
  public static var externalRecordImport: Self { Self(rawValue: CoreDataErrorCode.externalRecordImport) }
  /// `CoreDataErrorCode.managedObjectModelReferenceNotFound`
  public static var managedObjectModelReferenceNotFound: Self {
    Self(rawValue: CoreDataErrorCode.managedObjectModelReferenceNotFound)
  }
  /// `CoreDataErrorCode.stagedMigrationFrameworkVersionMismatch`
  public static var stagedMigrationFrameworkVersionMismatch: Self {
    Self(rawValue: CoreDataErrorCode.stagedMigrationFrameworkVersionMismatch)
  }
  /// `CoreDataErrorCode.stagedMigrationBackwardMigration`
  public static var stagedMigrationBackwardMigration: Self {
    Self(rawValue: CoreDataErrorCode.stagedMigrationBackwardMigration)
  }
}

/// `CoreDataErrorCode.validationInvalidDate`
public let ValidationInvalidDateError = CoreDataErrorCode.validationInvalidDate
/// `CoreDataErrorCode.validationInvalidURI`
public let ValidationInvalidURIError = CoreDataErrorCode.validationInvalidURI
/// `CoreDataErrorCode.managedObjectConstraintValidation`
public let ManagedObjectConstraintValidationError = CoreDataErrorCode.managedObjectConstraintValidation
/// `CoreDataErrorCode.managedObjectContextLocking`
public let ManagedObjectContextLockingError = CoreDataErrorCode.managedObjectContextLocking
/// `CoreDataErrorCode.persistentStoreCoordinatorLocking`
public let PersistentStoreCoordinatorLockingError = CoreDataErrorCode.persistentStoreCoordinatorLocking
/// `CoreDataErrorCode.managedObjectExternalRelationship`
public let ManagedObjectExternalRelationshipError = CoreDataErrorCode.managedObjectExternalRelationship
/// `CoreDataErrorCode.persistentStoreInvalidType`
public let PersistentStoreInvalidTypeError = CoreDataErrorCode.persistentStoreInvalidType
/// `CoreDataErrorCode.persistentStoreTypeMismatch`
public let PersistentStoreTypeMismatchError = CoreDataErrorCode.persistentStoreTypeMismatch
/// `CoreDataErrorCode.persistentStoreIncompatibleSchema`
public let PersistentStoreIncompatibleSchemaError = CoreDataErrorCode.persistentStoreIncompatibleSchema
/// `CoreDataErrorCode.persistentStoreSave`
public let PersistentStoreSaveError = CoreDataErrorCode.persistentStoreSave
/// `CoreDataErrorCode.persistentStoreIncompleteSave`
public let PersistentStoreIncompleteSaveError = CoreDataErrorCode.persistentStoreIncompleteSave
/// `CoreDataErrorCode.persistentStoreSaveConflicts`
public let PersistentStoreSaveConflictsError = CoreDataErrorCode.persistentStoreSaveConflicts
/// `CoreDataErrorCode.migrationConstraintViolation`
public let MigrationConstraintViolationError = CoreDataErrorCode.migrationConstraintViolation
/// `CoreDataErrorCode.externalRecordImport`
public let ExternalRecordImportError = CoreDataErrorCode.externalRecordImport
/// `CoreDataErrorCode.managedObjectModelReferenceNotFound`
public let ManagedObjectModelReferenceNotFoundError = CoreDataErrorCode.managedObjectModelReferenceNotFound
/// `CoreDataErrorCode.stagedMigrationFrameworkVersionMismatch`
public let StagedMigrationFrameworkVersionMismatchError = CoreDataErrorCode.stagedMigrationFrameworkVersionMismatch
/// `CoreDataErrorCode.stagedMigrationBackwardMigration`
public let StagedMigrationBackwardMigrationError = CoreDataErrorCode.stagedMigrationBackwardMigration
