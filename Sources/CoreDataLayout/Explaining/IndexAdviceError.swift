import Foundation
public import ObjectModel

/// Why no advice about indexes can be given.
public enum IndexAdviceError: Error, Sendable, Hashable {
  /// There is no `sqlite3` program on the path.
  case noShell
  /// The shell did not understand the request, in its words.
  case shell(String)
}

extension IndexAdviceError: CustomStringConvertible, BridgedError {
  /// Why there is no advice, in a sentence.
  public var description: String {
    switch self {
    case .noShell: "advice about indexes takes the sqlite3 shell, which is not installed"
    case .shell(let message): "the sqlite3 shell has no advice for this request: \(message)"
    }
  }
  /// The description, under Foundation's name.
  public var errorDescription: String? { description }
  /// Core Data's error domain.
  public static var errorDomain: String { NSCocoaErrorDomain }
  /// Core Data's code for SQLite's errors.
  public var errorCode: Int { 134180 }
}
