/// The classes that may occur in the archive of a model. A name is looked up here and never turned into a class; an
/// object of any other class is refused where it matters and left out, with a warning, where a model may hold objects
/// of the app's own (default values).
package enum ArchiveClass: String {
  case model = "NSManagedObjectModel"
  case entity = "NSEntityDescription"
  case attribute = "NSAttributeDescription"
  case derivedAttribute = "NSDerivedAttributeDescription"
  case compositeAttribute = "NSCompositeAttributeDescription"
  case relationship = "NSRelationshipDescription"
  case fetchedProperty = "NSFetchedPropertyDescription"
  case expressionProperty = "NSExpressionDescription"
  case propertyProxy = "_NSPropertyDescriptionProxy"
  case fetchIndex = "NSFetchIndexDescription"
  case fetchIndexElement = "NSFetchIndexElementDescription"
  case fetchRequest = "NSFetchRequest"
  case sortDescriptor = "NSSortDescriptor"

  case array = "NSArray"
  case mutableArray = "NSMutableArray"
  case set = "NSSet"
  case mutableSet = "NSMutableSet"
  case dictionary = "NSDictionary"
  case mutableDictionary = "NSMutableDictionary"
  case knownKeysDictionary = "NSKnownKeysDictionary1"
  case knownKeysMapping = "NSKnownKeysMappingStrategy1"

  case null = "NSNull"
  case string = "NSString"
  case mutableString = "NSMutableString"
  case data = "NSData"
  case mutableData = "NSMutableData"
  case date = "NSDate"
  case uuid = "NSUUID"
  case url = "NSURL"
  case decimalNumber = "NSDecimalNumber"
  case decimalNumberPlaceholder = "NSDecimalNumberPlaceholder"

  case truePredicate = "NSTruePredicate"
  case falsePredicate = "NSFalsePredicate"
  case comparisonPredicate = "NSComparisonPredicate"
  case compoundPredicate = "NSCompoundPredicate"
  case selfExpression = "NSSelfExpression"
  case variableExpression = "NSVariableExpression"
  case constantExpression = "NSConstantValueExpression"
  case keyPathExpression = "NSKeyPathExpression"
  case keyPathSpecifier = "NSKeyPathSpecifierExpression"
  case functionExpression = "NSFunctionExpression"
  case aggregateExpression = "NSAggregateExpression"
  case fetchExpression = "NSFetchRequestExpression"
  case comparisonOperator = "NSComparisonPredicateOperator"
  case equalityOperator = "NSEqualityPredicateOperator"
  case matchingOperator = "NSMatchingPredicateOperator"
  case likeOperator = "NSLikePredicateOperator"
  case substringOperator = "NSSubstringPredicateOperator"
  case inOperator = "NSInPredicateOperator"
  case betweenOperator = "NSBetweenPredicateOperator"

  package var isPredicateOperator: Bool {
    switch self {
    case .comparisonOperator, .equalityOperator, .matchingOperator, .likeOperator, .substringOperator, .inOperator,
      .betweenOperator:
      true
    default: false
    }
  }
}
