public import Seedbed

/// Why objects that meet the rules of a model could not be generated.
public struct GenerationError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The name of the entity.
  public var entity: String
  /// The property; nil where it is about the entity.
  public var property: String?
  /// What prevents such objects, in words.
  public var message: String
  /// What to do about it, where that is known.
  public var hint: String?

  init(_ entity: String, _ property: String?, _ message: String, hint: String? = nil) {
    self.entity = entity
    self.property = property
    self.message = message
    self.hint = hint
  }

  private var sentence: String { ([entity, property].compactMap { $0 }.joined(separator: ".")) + ": " + message }

  /// The entity, the property, the obstacle, and the hint.
  public var description: String { sentence + (hint.map { "\n  hint: \($0)" } ?? "") }
}

extension GenerationError: BridgedError {
  /// The entity, the property, and what stands in the way.
  public var errorDescription: String? { sentence }
  /// What to do about it, where that is known.
  public var recoverySuggestion: String? { hint }
  /// The error domain of this type.
  public static var errorDomain: String { "Seedbed.GenerationError" }
  /// 1: there is one kind.
  public var errorCode: Int { 1 }
}
