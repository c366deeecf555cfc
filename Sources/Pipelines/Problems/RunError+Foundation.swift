import Foundation
public import ObjectModel

extension RunError: BridgedError {
  /// What is wrong and where, as `description` has it.
  public var errorDescription: String? { description }
  /// What to do about it.
  public var recoverySuggestion: String? { hint }
  /// The type's own: Core Data has no such errors.
  public static var errorDomain: String { "Seedbed.RunError" }
  /// The exit code that stands for `kind`.
  public var errorCode: Int { Int(kind.exitCode) }
}

extension RunError.Kind {
  /// The exit code that stands for this kind of failure.
  package var exitCode: Int32 {
    switch self {
    case .badData: 65
    case .missingInput: 66
    case .internal: 70
    case .cannotCreate: 73
    case .inputOutput: 74
    case .locked: 75
    case .badPipeline: 78
    case .interrupted: 130
    }
  }
}
