import Foundation

extension ModelError: BridgedError {
  /// The problems, as `description` has them.
  public var errorDescription: String? { description }
  /// The hint of the first problem that has one.
  public var recoverySuggestion: String? { problems.lazy.compactMap(\.hint).first }
  /// Core Data has no errors of its own about models.
  public static var errorDomain: String { "Seedbed.ModelError" }
  /// Always 1: the problems' codes tell more.
  public var errorCode: Int { 1 }
  /// The description, the hint and the file, under Foundation's keys.
  public var errorUserInfo: [String: Any] {
    var information: [String: Any] = [NSLocalizedDescriptionKey: description]
    information[NSLocalizedRecoverySuggestionErrorKey] = recoverySuggestion
    information[NSFilePathErrorKey] = problems.lazy.compactMap(\.file).first
    return information
  }
}
