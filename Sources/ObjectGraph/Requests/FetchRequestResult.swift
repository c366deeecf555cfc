public import Foundation
public import ObjectModel
import StoreInterface

/// What a fetch request can return: managed objects, `ObjectID`, `[String: Any]` or `NSDictionary`, `NSNumber` (the
/// count).
public protocol FetchRequestResult {
  /// What a request for these asks for.
  static var fetchRequestResultType: FetchRequestResultType { get }
}

/// The kinds of results, with Core Data's names.
public enum FetchRequestResultType: Sendable, Hashable, CaseIterable {
  case managedObjectResultType
  case managedObjectIDResultType
  case dictionaryResultType
  case countResultType

  init(_ type: FetchSpecification.ResultType) {
    self =
      switch type {
      case .objects: .managedObjectResultType
      case .objectIDs: .managedObjectIDResultType
      case .dictionaries: .dictionaryResultType
      case .count: .countResultType
      }
  }

  var specified: FetchSpecification.ResultType {
    switch self {
    case .managedObjectResultType: .objects
    case .managedObjectIDResultType: .objectIDs
    case .dictionaryResultType: .dictionaries
    case .countResultType: .count
    }
  }
}

extension ManagedObject: FetchRequestResult {
  /// A request for managed objects.
  public static var fetchRequestResultType: FetchRequestResultType { .managedObjectResultType }
}

extension FetchRequestResult where Self: ManagedObject {
  /// A request for the objects of the class's entity.
  ///
  /// For a class that is only known at run time, as in `type(of: object).fetchRequest()`, it is that class's entity.
  public static func fetchRequest() -> FetchRequest<Self> {
    let request = FetchRequest<Self>()
    // `self` is the class itself, `Self` only what the compiler knows of it.
    request.settings.objectClass = self
    return request
  }

  /// The same where the type of the request says no class, as code that deletes in batches writes it:
  /// `let request: FetchRequest<FetchRequestResult> = Recipe.fetchRequest()`.
  @_disfavoredOverload
  public static func fetchRequest() -> FetchRequest<any FetchRequestResult> {
    let request = FetchRequest<any FetchRequestResult>()
    request.settings.objectClass = self
    return request
  }
}

extension ObjectID: FetchRequestResult {
  /// A request for the ids of objects.
  public static var fetchRequestResultType: FetchRequestResultType { .managedObjectIDResultType }
}

extension Dictionary: FetchRequestResult where Key == String, Value == Any {
  /// A request for dictionaries of properties.
  public static var fetchRequestResultType: FetchRequestResultType { .dictionaryResultType }
}

extension NSDictionary: FetchRequestResult {
  /// A request for dictionaries of properties.
  public class var fetchRequestResultType: FetchRequestResultType { .dictionaryResultType }
}

extension NSNumber: FetchRequestResult {
  /// A request for the number of objects.
  public static var fetchRequestResultType: FetchRequestResultType { .countResultType }
}
