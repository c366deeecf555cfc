/// What a context cannot do.
public enum ContextError: Error, Sendable, CustomStringConvertible {
  /// The object's context no longer exists.
  case contextGone
  /// Objects kept changing in `willSave` for as many rounds as a save allows.
  case endlessWillSave(rounds: Int)

  /// What happened, in a sentence.
  public var description: String {
    switch self {
    case .contextGone: "the object's context no longer exists"
    case .endlessWillSave(let rounds): "objects were still being changed by willSave after \(rounds) rounds"
    }
  }
}
