import Foundation
public import ObjectModel

extension PipelineError: BridgedError {
  /// What is wrong and where, as `description` has it.
  public var errorDescription: String? { description }
  /// The type's own: Core Data has no such errors.
  public static var errorDomain: String { "Seedbed.PipelineError" }
  /// The exit code that stands for it.
  public var errorCode: Int { Int(exitCode) }
}
