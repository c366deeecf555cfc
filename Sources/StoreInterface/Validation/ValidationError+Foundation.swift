import Foundation
public import ObjectModel
import Predicates

extension ValidationError: BridgedError {
  /// For one problem a sentence for people, such as `name is a required value.`; for several a line each, ten at most.
  public var errorDescription: String? { problems.count == 1 ? problems[0].sentence : description }
  /// Core Data's error domain.
  public static var errorDomain: String { NSCocoaErrorDomain }

  /// Core Data's code of the problem; 1560 for several.
  public var errorCode: Int {
    problems.count == 1 ? problems[0].code.coreDataCode : CoreDataErrorCode.validationMultipleErrors
  }

  /// Under Core Data's keys: for one problem the object (its id), the property, the value as key-value coding has it,
  /// the predicate and the underlying error; for several an error each in `NSDetailedErrors`, as a save that has only
  /// that problem would throw it.
  public var errorUserInfo: [String: Any] {
    var information: [String: Any] = [NSLocalizedDescriptionKey: errorDescription ?? description]
    if problems.count == 1 {
      information[CoreDataErrorKey.validationObject] = problems[0].objectID
      information[CoreDataErrorKey.validationKey] = problems[0].property
      information[CoreDataErrorKey.validationValue] = problems[0].value.map { $0.anyValue ?? NSNull() }
      information[CoreDataErrorKey.validationPredicate] = problems[0].predicate.flatMap {
        try? FetchPredicate(parsing: $0)
      }
      information[NSUnderlyingErrorKey] = problems[0].underlyingError.map { $0 as NSError }
    } else {
      information[CoreDataErrorKey.detailedErrors] = problems.map { ValidationError([$0]).thrown as NSError }
    }
    return information
  }
}

extension ValidationError.Problem {
  /// The problem for people who know the property and not the model, as Core Data says it.
  fileprivate var sentence: String {
    guard let property else { return message }
    switch code {
    case .missingValue, .missingRelationship: return "\(property) is a required value."
    case .numberTooSmall: return "\(property) is too small."
    case .numberTooLarge: return "\(property) is too large."
    case .dateTooSoon: return "\(property) is too early."
    case .dateTooLate: return "\(property) is too late."
    case .stringTooShort: return "\(property) is too short."
    case .stringTooLong: return "\(property) is too long."
    case .tooFewObjects: return "\(property) has too few objects."
    case .tooManyObjects: return "\(property) has too many objects."
    case .patternMismatch, .wrongType, .notANumber, .wrongDestination, .deletedDestination, .deniedDelete, .custom:
      return message
    }
  }
}

extension ValidationError.Code {
  /// Core Data's code in `NSCocoaErrorDomain`; the general one of validation where it has none.
  public var coreDataCode: Int {
    switch self {
    case .missingValue, .missingRelationship: CoreDataErrorCode.validationMissingMandatoryProperty
    case .numberTooSmall: CoreDataErrorCode.validationNumberTooSmall
    case .numberTooLarge: CoreDataErrorCode.validationNumberTooLarge
    case .dateTooSoon: CoreDataErrorCode.validationDateTooSoon
    case .dateTooLate: CoreDataErrorCode.validationDateTooLate
    case .stringTooShort: CoreDataErrorCode.validationStringTooShort
    case .stringTooLong: CoreDataErrorCode.validationStringTooLong
    case .patternMismatch: CoreDataErrorCode.validationStringPatternMatching
    case .tooFewObjects: CoreDataErrorCode.validationRelationshipLacksMinimumCount
    case .tooManyObjects: CoreDataErrorCode.validationRelationshipExceedsMaximumCount
    case .deniedDelete: CoreDataErrorCode.validationRelationshipDeniedDelete
    case .wrongType, .notANumber, .wrongDestination, .deletedDestination, .custom:
      CoreDataErrorCode.managedObjectValidation
    }
  }
}
