import Foundation
public import ObjectModel

/// A comparison by `MATCHES` that has no answer, because the search was given up.
///
/// ICU tries the alternatives of a regular expression one after another. Where these are nested, as in `(a+)+`, their
/// number doubles with every character, and `(.|x)+` keeps a place to come back to for each one.
public struct UndecidedMatchError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The regular expression.
  public var pattern: String

  /// The error of a search for that expression.
  public init(pattern: String) { self.pattern = pattern }

  /// How the description begins.
  package static let beginning = "a search by MATCHES was given up"

  /// What happened, and of which expression.
  public var description: String {
    "\(Self.beginning): whether a text matches \"\(pattern)\" takes too many steps, or too much memory, to find out"
  }
}

extension UndecidedMatchError: BridgedError {
  /// The same text as `description`.
  public var errorDescription: String? { description }
  /// Core Data's error domain.
  public static var errorDomain: String { NSCocoaErrorDomain }
  /// Core Data's code for errors without one of their own.
  public var errorCode: Int { CoreDataErrorCode.coreData }
}
