import Foundation
public import ObjectModel

/// Why a controller could not make its results.
public enum FetchedResultsError: Error, Sendable, CustomStringConvertible {
  /// The request has no order, which gives results their places.
  case noSortDescriptor
  /// The section key path does not lead over to-one relationships to an attribute of the request's entity.
  case unknownSectionKeyPath(String, entity: String)
  /// Objects of one section do not follow each other.
  case sectionsOutOfOrder(section: String, keyPath: String, firstSortKeyPath: String)

  /// What happened, in a sentence.
  public var description: String {
    switch self {
    case .noSortDescriptor: "a fetched results controller needs a request with a sort descriptor"
    case .unknownSectionKeyPath(let keyPath, let entity):
      "\"\(keyPath)\" leads to no attribute of \(entity): "
        + "sections are named by an attribute, or by one behind to-one relationships"
    case .sectionsOutOfOrder(let section, let keyPath, let first):
      "the objects of section \"\(section)\" (\(keyPath)) do not follow each other: the request sorts by \(first) first"
    }
  }
}

extension FetchedResultsError: BridgedError {
  /// What happened, in a sentence.
  public var errorDescription: String? { description }
  /// Core Data's error domain.
  public static var errorDomain: String { NSCocoaErrorDomain }
  /// Core Data's general code.
  public var errorCode: Int { CoreDataErrorCode.coreData }
}
