public import Foundation

extension PageError: LocalizedError, CustomNSError {
  /// What is wrong and where, as `description` has it.
  public var errorDescription: String? { description }
  /// The type's own: Core Data has no such errors.
  public static var errorDomain: String { "Seedbed.PageError" }
  /// A number for `kind`.
  public var errorCode: Int {
    switch kind {
    case .unsuitable: 1
    case .inputOutput: 2
    case .malformed: 3
    case .duplicateKey: 4
    }
  }
  /// The description, under Foundation's keys.
  public var errorUserInfo: [String: Any] {
    [NSLocalizedDescriptionKey: description]
  }
}
